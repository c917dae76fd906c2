package aac

import (
	"fmt"
	"testing"
)

// reference describes a stream of ffmpeg's encoder.
type reference struct {
	rate, channels int
	args           []string
}

func (c reference) String() string {
	return fmt.Sprintf("%d Hz, %d channels, %v", c.rate, c.channels, c.args)
}

// TestEqualsFFmpeg compares with ffmpeg's decoder, within its single precision.
func TestEqualsFFmpeg(t *testing.T) {
	streams := []reference{
		{44100, 1, nil},
		{44100, 2, nil},
		{44100, 2, []string{"-b:a", "320k"}},
		{44100, 2, []string{"-aac_coder", "fast"}},
		{44100, 2, []string{"-aac_ms", "1"}},
		{44100, 2, []string{"-aac_ms", "0", "-aac_is", "0", "-aac_tns", "0"}},
		{44100, 2, []string{"-b:a", "48k", "-aac_is", "1"}},
		{44100, 2, []string{"-aac_tns", "1", "-b:a", "64k"}},
		{48000, 3, []string{"-channel_layout", "3.0"}},
		{48000, 4, []string{"-channel_layout", "4.0"}},
		{48000, 5, []string{"-channel_layout", "5.0"}},
		{48000, 6, []string{"-channel_layout", "5.1"}},
		{44100, 8, []string{"-channel_layout", "7.1"}},
		{48000, 4, []string{"-channel_layout", "quad"}}, // the following streams describe their channels
		{48000, 3, []string{"-channel_layout", "2.1"}},
		{48000, 6, []string{"-channel_layout", "hexagonal"}},
		{48000, 7, []string{"-channel_layout", "6.1"}},
	}
	for _, rate := range rates {
		streams = append(streams, reference{rate, 1 + rate/1000%2, []string{"-aac_tns", "1", "-aac_coder", "fast"}})
	}
	for _, c := range streams {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			path := encode(t, signal(c.rate, c.channels, c.rate/4), c.rate, c.channels,
				append([]string{"-aac_pns", "0"}, c.args...)...)
			config, packets := packetsOf(t, path)
			if config.Rate != c.rate || config.Channels() != c.channels {
				t.Fatalf("configuration: got %d Hz, %d channels; want %d, %d", config.Rate, config.Channels(), c.rate, c.channels)
			}
			got, want := decodeAll(t, config, packets), byFFmpeg(t, path)
			level := difference(t, got, want)
			t.Logf("difference from ffmpeg: %.1f dBFS", level)
			if !(level <= -140) {
				t.Errorf("difference from ffmpeg: got %.1f dBFS, want at most -140", level)
			}
		})
	}
}
