package decode

import (
	"fmt"
	"testing"
)

func TestALACEqualsSource(t *testing.T) {
	for _, c := range []struct {
		rate, channels, frames int
		args                   []string
	}{
		{8000, 1, 20011, nil},
		{44100, 1, 100000, nil},
		{44100, 2, 200003, nil},
		{44100, 2, 100, nil},
		{48000, 2, 4096, []string{"-sample_fmt", "s32p"}},
		{96000, 2, 150001, []string{"-sample_fmt", "s32p"}},
		{192000, 2, 150001, []string{"-sample_fmt", "s32p"}},
		{48000, 1, 50001, []string{"-sample_fmt", "s32p"}},
		{48000, 3, 60000, []string{"-channel_layout", "3.0"}},
		{48000, 5, 60000, []string{"-channel_layout", "5.0"}},
		{48000, 6, 60001, []string{"-channel_layout", "5.1"}},
		{96000, 6, 60001, []string{"-channel_layout", "5.1", "-sample_fmt", "s32p"}},
		{48000, 7, 60001, []string{"-channel_layout", "6.1(back)"}},
		{48000, 8, 60001, []string{"-channel_layout", "7.1(wide)"}},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			args := append([]string{"-c:a", "alac"}, c.args...)
			if c.args == nil {
				args = append(args, "-sample_fmt", "s16p")
			}
			path := encode(t, melody(c.rate, c.channels, c.frames), c.rate, c.channels, "m4a", args...)
			source := mustOpen(t, openMP4, load(t, path))
			info := source.Info()
			if info.Codec != "alac" || info.Rate != c.rate || info.Channels != c.channels || info.Frames != int64(c.frames) {
				t.Fatalf("%+v", info)
			}
			whole := readWhole(t, source)
			want := byFFmpeg(t, path)
			if c.channels == 7 { // ffmpeg puts the one in the middle after those at the sides
				for i := 0; i < len(want); i += 7 {
					want[i+4], want[i+5], want[i+6] = want[i+6], want[i+4], want[i+5]
				}
			}
			checkClose(t, whole, want, -1000)
			checkSeeks(t, source, whole, -1000)
		})
	}
}

func TestAACEqualsFFmpeg(t *testing.T) {
	for _, c := range []struct {
		rate, channels, frames int
		args                   []string
	}{
		{8000, 1, 20011, nil},
		{16000, 2, 50000, nil},
		{22050, 1, 50001, nil},
		{44100, 1, 100000, nil},
		{44100, 2, 300003, nil},
		{44100, 2, 200003, []string{"-b:a", "320k"}},
		{44100, 2, 100, nil},
		{48000, 2, 10240, []string{"-movflags", "+faststart"}},
		{48000, 2, 200000, []string{"-movflags", "+frag_keyframe+empty_moov", "-frag_duration", "500000"}},
		{96000, 2, 150001, nil},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			t.Parallel()
			args := append([]string{"-c:a", "aac", "-aac_pns", "0"}, c.args...)
			path := encode(t, melody(c.rate, c.channels, c.frames), c.rate, c.channels, "m4a", args...)
			source := mustOpen(t, openMP4, load(t, path))
			info := source.Info()
			want := byFFmpeg(t, path)
			t.Logf("%+v, ffmpeg %d", info, len(want)/c.channels)
			if info.Codec != "aac" || info.Rate != c.rate || info.Channels != c.channels || info.Frames != int64(c.frames) {
				t.Fatalf("%+v", info)
			}
			whole := readWhole(t, source)
			checkClose(t, whole, want[:min(len(want), len(whole))], -90)
			checkSeeks(t, source, whole, -1000)
		})
	}
}
