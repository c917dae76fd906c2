package decode

import (
	"fmt"
	"io"

	"waxwing/internal/audio"
	"waxwing/internal/media/mp4"
)

// maxBadPackets is the number of packets in a row that may be replaced by silence.
const maxBadPackets = 50

// packetTrack is a stream of packets that each hold the same number of frames.
type packetTrack struct {
	in      audio.Input
	packets *mp4.Samples
	codec   packetCodec
	info    audio.Info
	size    int64 // frames in a packet
	skip    int64 // frames before the first that is played

	// overlap means that the samples of a packet depend on the packet before it, and on no other.
	overlap bool
}

// packetSource plays a packetTrack.
type packetSource struct {
	packetTrack
	frame   int64 // the next frame that Read returns
	packet  int   // the next packet to decode
	reset   bool  // the codec has not decoded the packet before it
	pending []float32
	buf     []byte
	bad     int // packets in a row that could not be decoded
	failed  error
}

func newPacketSource(track packetTrack) *packetSource {
	s := &packetSource{packetTrack: track}
	s.moveTo(0)
	return s
}

func (s *packetSource) Info() audio.Info { return s.info }

func (s *packetSource) Close() error { return nil }

func (s *packetSource) Read(dst []float32) (int, error) {
	if s.failed != nil {
		return 0, s.failed
	}
	if s.frame >= s.info.Frames {
		return 0, io.EOF
	}
	channels := s.info.Channels
	for len(s.pending) == 0 {
		if err := s.advance(); err != nil {
			s.failed = fmt.Errorf("decode frame %d of %d: %w", s.frame, s.info.Frames, err)
			return 0, s.failed
		}
	}
	n := min(len(s.pending)/channels, len(dst)/channels, int(min(s.info.Frames-s.frame, 1<<20)))
	copy(dst, s.pending[:n*channels])
	s.pending = s.pending[n*channels:]
	s.frame += int64(n)
	return n, nil
}

// advance decodes the next packet into pending, from s.frame on; pending stays empty when the
// packet ends before it.
func (s *packetSource) advance() error {
	if s.packet >= s.packets.Count {
		return io.ErrUnexpectedEOF
	}
	if s.reset && s.overlap {
		s.codec.reset()
		if s.packet > 0 {
			if _, err := s.decode(s.packet - 1); err != nil {
				return err
			}
		}
	}
	s.reset = false
	samples, err := s.decode(s.packet)
	if err != nil {
		return err
	}
	start := int64(s.packet)*s.size - s.skip
	s.packet++
	if late := s.frame - start; late >= s.size {
		samples = nil
	} else if late > 0 {
		samples = samples[late*int64(s.info.Channels):]
	}
	s.pending = samples
	return nil
}

// decode returns a whole packet, with silence for what cannot be decoded.
func (s *packetSource) decode(packet int) ([]float32, error) {
	var err error
	if s.buf, err = s.packets.Read(s.in, packet, s.buf); err != nil {
		return nil, err
	}
	want := int(s.size) * s.info.Channels
	samples, err := s.codec.decode(s.buf)
	if err == nil {
		s.bad = 0
	} else if s.bad++; s.bad > maxBadPackets {
		return nil, err
	}
	if missing := want - len(samples); missing > 0 {
		samples = append(samples[:len(samples):len(samples)], make([]float32, missing)...)
	}
	return samples[:want], nil
}

func (s *packetSource) SeekTo(frame int64) error {
	if frame < 0 || frame > s.info.Frames {
		return fmt.Errorf("seek to frame %d of %d: out of range", frame, s.info.Frames)
	}
	s.moveTo(frame)
	return nil
}

// moveTo makes frame the next one, without decoding anything yet.
func (s *packetSource) moveTo(frame int64) {
	s.frame, s.pending, s.failed, s.bad = frame, nil, nil, 0
	s.packet, s.reset = int((frame+s.skip)/s.size), true
}
