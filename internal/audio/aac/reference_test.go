package aac

import (
	"fmt"
	"testing"
)

// TestEqualsFFmpeg compares with another decoder, to the last bits of its single precision.
func TestEqualsFFmpeg(t *testing.T) {
	type stream struct {
		rate, channels int
		args           []string
	}
	for _, c := range []stream{
		{44100, 1, nil},
		{44100, 2, nil},
		{48000, 2, []string{"-b:a", "320k"}},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			path := encode(t, signal(c.rate, c.channels, c.rate), c.rate, c.channels, append([]string{"-aac_pns", "0"}, c.args...)...)
			config, packets := packetsOf(t, path)
			got, want := decodeAll(t, config, packets), byFFmpeg(t, path)
			level := difference(t, got, want)
			t.Logf("%.1f dBFS", level)
			if !(level <= -120) {
				t.Errorf("differs by %.1f dBFS", level)
			}
		})
	}
}
