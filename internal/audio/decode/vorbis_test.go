package decode

import (
	"bytes"
	"fmt"
	"os/exec"
	"testing"

	"waxwing/internal/testenv"
)

func TestVorbisEqualsFFmpeg(t *testing.T) {
	type variant struct {
		rate, channels, frames int
		quality                string
	}
	for _, v := range some(3, []variant{
		{8000, 1, 20011, "2"},
		{44100, 2, 70003, "5"},
		{48000, 6, 30000, "4"},
		{11025, 2, 30000, "-1"},
		{22050, 1, 50001, "5"},
		{44100, 2, 400003, "5"},
		{48000, 2, 120000, "10"},
		{48000, 3, 60000, "4"},
		{48000, 4, 60000, "4"},
		{48000, 5, 60000, "4"},
		{44100, 6, 100000, "6"},
		{48000, 7, 60000, "3"},
		{48000, 8, 60000, "3"},
		{96000, 2, 150001, "6"},
		{96000, 6, 100001, "3"},
	}) {
		t.Run(fmt.Sprint(v), func(t *testing.T) {
			t.Parallel()
			path := encode(t, melody(v.rate, v.channels, v.frames), v.rate, v.channels, "ogg",
				"-c:a", "libvorbis", "-q:a", v.quality)
			source := mustOpen(t, openOgg, load(t, path))
			info := source.Info()
			if info.Codec != "vorbis" || info.Rate != v.rate || info.Channels != v.channels || info.Frames != int64(v.frames) {
				t.Fatalf("got %+v, want %+v", info, v)
			}
			whole := readWhole(t, source)
			checkClose(t, whole, byFFmpeg(t, path)[:len(whole)], -120) // ffmpeg does not remove the padding of a single page
			checkSeeks(t, source, whole, -1000)
		})
	}
}

// In a file of one page the position drops samples at the end, not at the beginning. The reference
// decoder does so; ffmpeg does not.
func TestShortVorbisEqualsOggdec(t *testing.T) {
	testenv.NeedsTool(t, "oggdec")
	for _, frames := range []int{1, 30, 777, 3000} {
		path := encode(t, melody(44100, 2, frames), 44100, 2, "ogg", "-c:a", "libvorbis")
		if out, err := exec.Command("oggdec", "--quiet", "--output", path+".wav", path).CombinedOutput(); err != nil {
			t.Fatalf("oggdec: %v\n%s", err, out)
		}
		got := readWhole(t, mustOpen(t, openOgg, load(t, path)))
		if len(got) != 2*frames {
			t.Errorf("got %d samples, want %d", len(got), 2*frames)
		}
		checkClose(t, got, byFFmpeg(t, path+".wav"), -90)
	}
}

func BenchmarkVorbis(b *testing.B) { benchmark(b, openOgg, vorbisFile(b, 44100, 2, 441000)) }

// benchmark reads a file of ten seconds.
func benchmark(b *testing.B, open opener, file []byte) {
	b.Helper()
	dst := make([]float32, 8192)
	source := mustOpen(b, open, bytes.NewReader(file))
	for b.Loop() {
		if err := source.SeekTo(0); err != nil {
			b.Fatal(err)
		}
		for {
			if _, err := source.Read(dst); err != nil {
				break
			}
		}
	}
	b.ReportMetric(10*float64(b.N)/b.Elapsed().Seconds(), "x-real-time")
}
