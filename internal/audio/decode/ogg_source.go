package decode

import (
	"errors"
	"fmt"
	"io"

	"waxwing/internal/audio"
	"waxwing/internal/media/ogg"
)

const (
	maxHoleSeconds = 60      // of silence in place of lost pages
	maxUnplaced    = 4 * 255 // packets without a position: four pages full
)

// packetCodec decodes the packets of one stream.
type packetCodec interface {
	// decode returns the interleaved samples that packet completes, valid until the next call.
	decode(packet []byte) ([]float32, error)
	// reset forgets all earlier packets.
	reset()
}

// oggTrack is a stream and its decoder.
type oggTrack struct {
	reader *ogg.Reader
	stream *ogg.Stream
	codec  packetCodec
	info   audio.Info // all but Frames

	// runUp is the number of frames to decode before the target of a seek, at least; 0 when the
	// codec remembers one packet only. maxRunUp is the most.
	runUp, maxRunUp int64
}

// oggSource plays an oggTrack. Positions count like those of the pages, in granules; frame 0 has
// the position origin.
type oggSource struct {
	oggTrack
	packets *ogg.Packets
	origin  int64

	frame   int64     // the next frame that Read returns
	cursor  int64     // position after the samples in pending
	pending []float32 // decoded and not yet read
	failed  error
}

func newOggSource(track oggTrack) *oggSource {
	s := &oggSource{oggTrack: track, packets: track.stream.Packets(track.reader), origin: track.stream.Origin()}
	s.info.Frames = track.stream.Frames
	s.rewind()
	return s
}

func (s *oggSource) rewind() {
	s.packets.SeekPage(s.stream.Start)
	s.codec.reset()
	s.cursor, s.pending = s.stream.First, nil
}

func (s *oggSource) Info() audio.Info { return s.info }

func (s *oggSource) Close() error { return nil }

func (s *oggSource) Read(dst []float32) (int, error) {
	if s.failed != nil {
		return 0, s.failed
	}
	channels := s.info.Channels
	for {
		if s.frame >= s.info.Frames {
			return 0, io.EOF
		}
		ahead := int64(len(s.pending) / channels)
		if late := s.origin + s.frame - (s.cursor - ahead); late > 0 {
			drop := min(late, ahead)
			s.pending = s.pending[drop*int64(channels):]
			ahead -= drop
		}
		if ahead > 0 {
			n := min(ahead, int64(len(dst)/channels), s.info.Frames-s.frame)
			copy(dst, s.pending[:n*int64(channels)])
			s.pending = s.pending[n*int64(channels):]
			s.frame += n
			return int(n), nil
		}
		if missing := s.cursor - s.origin - s.frame; missing > 0 {
			n := min(missing, int64(len(dst)/channels), s.info.Frames-s.frame)
			clear(dst[:n*int64(channels)])
			s.frame += n
			return int(n), nil
		}
		if err := s.advance(); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			s.failed = fmt.Errorf("decode frame %d of %d: %w", s.frame, s.info.Frames, err)
			return 0, s.failed
		}
	}
}

// advance decodes the next packet into pending, which is empty. After a hole the cursor follows the
// page, and Read returns silence up to the samples that were found.
func (s *oggSource) advance() error {
	packet, err := s.packets.Next()
	if err != nil {
		return err
	}
	samples, err := s.codec.decode(packet.Data)
	if err != nil {
		samples = nil // one bad packet is a hole, not the end
	}
	s.cursor += int64(len(samples) / s.info.Channels)
	s.pending = samples
	if hole := packet.Granule - s.cursor; hole > 0 {
		if hole > maxHoleSeconds*int64(s.info.Rate) {
			return fmt.Errorf("%d frames are missing", hole)
		}
		s.cursor += hole
	}
	return nil
}
