package decode

import (
	"fmt"
	"os/exec"
	"testing"

	"waxwing/internal/proof"
)

// byOpusdec returns what libopus decodes from a file, in the order of WAVE.
func byOpusdec(t *testing.T, path string) []float32 {
	t.Helper()
	proof.Need(t, "opusdec")
	wave := path + ".wav"
	if out, err := exec.Command("opusdec", "--quiet", "--float", "--rate", "48000", path, wave).CombinedOutput(); err != nil {
		t.Fatalf("opusdec: %v\n%s", err, out)
	}
	return byFFmpeg(t, wave)
}

func TestOpusEqualsLibopus(t *testing.T) {
	type variant struct {
		channels, frames int
		args             []string
	}
	var variants []variant
	for _, duration := range []string{"2.5", "5", "10", "20", "40", "60"} {
		variants = append(variants, variant{2, 250001, []string{"-frame_duration", duration, "-b:a", "96k"}})
	}
	for _, rate := range []string{"6k", "12k", "24k", "32k", "64k", "256k"} {
		variants = append(variants,
			variant{1, 340000, []string{"-application", "voip", "-b:a", rate}},
			variant{2, 340011, []string{"-application", "voip", "-b:a", rate}},
			variant{2, 244000, []string{"-application", "audio", "-b:a", rate}})
	}
	for channels, layout := range map[int]string{3: "3.0", 4: "quad", 5: "5.0", 6: "5.1", 7: "6.1", 8: "7.1"} {
		variants = append(variants, variant{channels, 196000 + channels, []string{"-channel_layout", layout, "-mapping_family", "1"}})
	}
	variants = append(variants, variant{2, 100, nil}, variant{2, 5000, nil})
	for _, v := range variants {
		t.Run(fmt.Sprint(v), func(t *testing.T) {
			t.Parallel()
			path := encode(t, melody(48000, v.channels, v.frames), 48000, v.channels, "opus", append([]string{"-c:a", "libopus"}, v.args...)...)
			source := mustOpen(t, openOpus, load(t, path))
			info := source.Info()
			if info.Codec != "opus" || info.Rate != 48000 || info.Channels != v.channels || info.Frames != int64(v.frames) {
				t.Fatalf("%+v", info)
			}
			whole := readWhole(t, source)
			checkClose(t, whole, byOpusdec(t, path), -96)
			checkSeeks(t, source, whole, -100)
		})
	}
}
