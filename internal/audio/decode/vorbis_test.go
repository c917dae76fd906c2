package decode

import (
	"fmt"
	"testing"
)

func TestVorbisEqualsFFmpeg(t *testing.T) {
	for _, c := range []struct {
		rate, channels, frames int
		quality                string
	}{
		{8000, 1, 20011, "2"},
		{11025, 2, 30000, "-1"},
		{22050, 1, 50001, "5"},
		{44100, 2, 200003, "5"},
		{44100, 2, 777, "5"},
		{44100, 2, 30, "5"},
		{48000, 2, 120000, "10"},
		{48000, 3, 60000, "4"},
		{48000, 4, 60000, "4"},
		{48000, 5, 60000, "4"},
		{44100, 6, 100000, "6"},
		{48000, 7, 60000, "3"},
		{48000, 8, 60000, "3"},
		{96000, 2, 150001, "6"},
		{96000, 6, 100001, "3"},
	} {
		t.Run(fmt.Sprintf("%dHz_%dch_%d", c.rate, c.channels, c.frames), func(t *testing.T) {
			t.Parallel()
			path := encode(t, melody(c.rate, c.channels, c.frames), c.rate, c.channels, "ogg", "-c:a", "libvorbis", "-q:a", c.quality)
			source := mustOpen(t, openVorbis, load(t, path))
			info := source.Info()
			if info.Codec != "vorbis" || info.Rate != c.rate || info.Channels != c.channels || info.Frames != int64(c.frames) {
				t.Fatalf("%+v", info)
			}
			whole := readWhole(t, source)
			checkClose(t, whole, byFFmpeg(t, path), -120)
			checkSeeks(t, source, whole, -200)
		})
	}
}
