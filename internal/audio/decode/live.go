package decode

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"waxwing/internal/audio"
	"waxwing/internal/audio/aac"
	"waxwing/internal/audio/mp3"
	"waxwing/internal/media"
	"waxwing/internal/media/mpeg"
	"waxwing/internal/media/window"
)

// OpenLive opens a stream that never ends, of which in has what was received last: a Source reads
// it from the start without gaps and never far behind. head is its beginning, which tells the
// format. MP3 and AAC-LC are decoded in the process. The source cannot seek.
func (o Options) OpenLive(head []byte, in audio.Input) (audio.Source, error) {
	src, err := openLive(head, in)
	if !errors.Is(err, audio.ErrUnsupported) || o.NoExternal {
		return src, err
	}
	src, external := protect(in, openLiveFFmpeg)
	switch {
	case errors.Is(external, ErrNoFFmpeg):
		return nil, fmt.Errorf("%w; %w", err, ErrNoFFmpeg)
	case errors.Is(external, errFFmpegRefused):
		return nil, err
	}
	return src, external
}

func openLive(head []byte, in audio.Input) (audio.Source, error) {
	file, err := media.Sniff(window.New(bytes.NewReader(head), int64(len(head))))
	if err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	switch file.Kind {
	case media.MPEG:
		return protect(in, func(in audio.Input) (audio.Source, error) {
			d, err := mp3.OpenLive(in)
			if err != nil {
				return nil, err // not d: an interface with a nil pointer is not nil
			}
			return d, nil
		})
	case media.ADTS:
		return protect(in, openLiveADTS)
	}
	return nil, fmt.Errorf("%w: %s", audio.ErrUnsupported, looksLike(bytes.NewReader(head)))
}

const (
	livePage    = 4 << 10  // of one read: what arrives in a quarter of a second
	maxLiveJunk = 64 << 10 // bytes in a row that belong to no packet
)

// liveADTS decodes AAC-LC packet by packet.
type liveADTS struct {
	w       *window.Reader
	at      int64 // offset of the next packet
	codec   *aacCodec
	info    audio.Info
	pending []float32
	bad     int // packets in a row that could not be decoded
}

func openLiveADTS(in audio.Input) (audio.Source, error) {
	s := &liveADTS{w: window.NewSize(in, in.Size(), livePage)}
	first, packet, err := s.next()
	if err != nil {
		return nil, fmt.Errorf("adts: %w", err)
	}
	s.codec, err = newAACCodec(aac.ConfigFromADTS(first.Profile, first.RateIndex, first.ChannelConfig, packet))
	if err != nil {
		return nil, fmt.Errorf("adts: %w", err)
	}
	s.info = audio.Info{Codec: "aac", Rate: s.codec.config.Rate, Channels: s.codec.config.Channels(), Frames: -1}
	for range 4 { // HE-AAC may show only in the packets
		if _, packet, err = s.next(); err != nil {
			return nil, fmt.Errorf("adts: %w", err)
		}
		if _, err := s.codec.decode(packet); errors.Is(err, aac.ErrUnsupported) {
			return nil, aacError(err)
		}
	}
	s.at = 0
	s.codec.reset()
	return inWaveOrder(s, s.codec.config.Speakers()), nil
}

// next returns the next packet, behind anything that is none.
func (s *liveADTS) next() (mpeg.ADTSHeader, []byte, error) {
	for range maxLiveJunk {
		b, err := s.w.At(s.at, mpeg.ADTSHeaderSize)
		if err != nil {
			return mpeg.ADTSHeader{}, nil, err
		}
		h, ok := mpeg.ParseADTS(b)
		if !ok || h.Blocks > 1 {
			s.at++
			continue
		}
		packet, err := s.w.At(s.at+int64(h.HeaderLen), h.Length-h.HeaderLen)
		if err != nil {
			return mpeg.ADTSHeader{}, nil, err
		}
		s.at += int64(h.Length)
		return h, packet, nil
	}
	return mpeg.ADTSHeader{}, nil, fmt.Errorf("no packet in %d bytes: %w", maxLiveJunk, io.ErrNoProgress)
}

func (s *liveADTS) Info() audio.Info { return s.info }

func (s *liveADTS) Close() error { return nil }

func (s *liveADTS) SeekTo(int64) error { return errors.New("a live stream cannot seek") }

func (s *liveADTS) Read(dst []float32) (int, error) {
	for len(s.pending) == 0 {
		_, packet, err := s.next()
		if err != nil {
			return 0, err
		}
		samples, err := s.codec.decode(packet)
		if err != nil {
			if s.bad++; s.bad > maxBadPackets {
				return 0, err
			}
			continue
		}
		s.bad, s.pending = 0, samples
	}
	n := min(len(dst), len(s.pending)) / s.info.Channels
	copy(dst, s.pending[:n*s.info.Channels])
	s.pending = s.pending[n*s.info.Channels:]
	return n, nil
}
