package decode

import (
	"errors"
	"fmt"
	"io"

	"waxwing/internal/audio"
)

// packetCodec decodes the packets of one stream.
type packetCodec interface {
	// decode returns the interleaved samples that packet completes, valid until the next call.
	decode(packet []byte) ([]float32, error)
	// reset forgets all earlier packets.
	reset()
}

// oggTrack says where the sound of a logical stream lies and what it is.
type oggTrack struct {
	reader *oggReader
	serial uint32
	start  int64 // offset of the first page with sound
	limit  int64 // offset after the last
	codec  packetCodec
	info   audio.Info // all but Frames

	delay    int64 // frames at the start that are not to be heard
	runUp    int64 // frames to decode before a place that was sought, at least; 0 when the codec remembers one packet only
	farthest int64 // and at most
}

// oggSource plays an oggTrack. Positions count as the pages do, in granules;
// frame 0 is granule origin.
type oggSource struct {
	oggTrack
	packets oggPackets
	first   int64 // granule of the first sample the first packets give
	origin  int64

	frame   int64     // the next frame Read yields
	cursor  int64     // granule after the samples in pending
	pending []float32 // decoded and not yet read
	failed  error
}

// newOggSource finds the track's beginning and length. Memory and time do not depend
// on what the file claims.
func newOggSource(track oggTrack) (*oggSource, error) {
	s := &oggSource{oggTrack: track}
	s.packets = oggPackets{reader: track.reader, serial: track.serial, limit: track.limit, max: oggMaxPacket}
	last, err := s.reader.lastGranule(s.serial, s.start, s.limit)
	if err != nil {
		return nil, fmt.Errorf("find the end: %w", err)
	}
	if s.first, err = s.firstGranule(); err != nil {
		return nil, fmt.Errorf("find the beginning: %w", err)
	}
	s.origin = max(0, s.first) + s.delay
	s.info.Frames = max(0, last-s.origin)
	s.rewind()
	return s, nil
}

// firstGranule decodes as far as the first page that tells a position and counts
// back. A negative result asks for the beginning to be cut off.
func (s *oggSource) firstGranule() (int64, error) {
	s.packets.seek(s.start)
	s.codec.reset()
	defer s.codec.reset()
	frames := int64(0)
	for range oggMaxUnplaced {
		packet, err := s.packets.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
		samples, err := s.codec.decode(packet.data)
		if err == nil {
			frames += int64(len(samples) / s.info.Channels)
		}
		if packet.granule >= 0 {
			if packet.last {
				return max(0, packet.granule-frames), nil // a short last page cuts the end, not the beginning
			}
			return packet.granule - frames, nil
		}
	}
	return 0, nil
}

func (s *oggSource) rewind() {
	s.packets.seek(s.start)
	s.codec.reset()
	s.cursor, s.pending = s.first, nil
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
			s.failed = fmt.Errorf("decode frame %d of %d: %w", s.frame, s.info.Frames, noEOF(err))
			return 0, s.failed
		}
	}
}

// advance decodes the next packet into pending, which is empty. After a hole the cursor
// follows the page, and Read yields silence up to the samples that were found.
func (s *oggSource) advance() error {
	packet, err := s.packets.read()
	if err != nil {
		return err
	}
	samples, err := s.codec.decode(packet.data)
	if err != nil {
		samples = nil // one bad packet is a hole, not the end
	}
	s.cursor += int64(len(samples) / s.info.Channels)
	s.pending = samples
	if hole := packet.granule - s.cursor; hole > 0 {
		if hole > maxHoleSeconds*int64(s.info.Rate) {
			return fmt.Errorf("%d frames are missing", hole)
		}
		s.cursor += hole
	}
	return nil
}

const (
	maxHoleSeconds = 60      // of silence that may stand in for lost pages
	oggMaxUnplaced = 4 * 255 // packets without a position: four pages full
)
