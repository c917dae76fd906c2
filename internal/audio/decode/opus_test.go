package decode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"

	"waxwing/internal/audio"
	"waxwing/internal/testenv"
)

// byOpusdec decodes a file with libopus, in WAVE order.
func byOpusdec(t *testing.T, path string) []float32 {
	t.Helper()
	testenv.NeedsTool(t, "opusdec")
	wave := path + ".wav"
	out, err := exec.Command("opusdec", "--quiet", "--float", "--rate", "48000", path, wave).CombinedOutput()
	if err != nil {
		t.Fatalf("opusdec: %v\n%s", err, out)
	}
	return byFFmpeg(t, wave)
}

func TestOpusEqualsLibopus(t *testing.T) {
	type variant struct {
		channels, frames int
		args             []string
	}
	variants := []variant{
		{1, 300000, []string{"-application", "voip", "-b:a", "12k"}},
		{2, 60011, []string{"-application", "voip", "-b:a", "28k"}},
		{2, 50001, []string{"-b:a", "128k"}},
		{6, 30001, []string{"-mapping_family", "1", "-channel_layout", "5.1"}},
		{2, 100, nil},
	}
	few := len(variants)
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
		args := []string{"-channel_layout", layout, "-mapping_family", "1"}
		variants = append(variants, variant{channels, 196000 + channels, args})
	}
	for _, v := range some(few, variants) {
		t.Run(fmt.Sprint(v), func(t *testing.T) {
			t.Parallel()
			args := append([]string{"-c:a", "libopus"}, v.args...)
			path := encode(t, melody(48000, v.channels, v.frames), 48000, v.channels, "opus", args...)
			source := mustOpen(t, openOgg, load(t, path))
			info := source.Info()
			if info.Codec != "opus" || info.Rate != 48000 || info.Channels != v.channels || info.Frames != int64(v.frames) {
				t.Fatalf("got %+v, want %+v", info, v)
			}
			whole := readWhole(t, source)
			checkClose(t, whole, byOpusdec(t, path), -96)
			checkSeeks(t, source, whole, -100)
		})
	}
}

// steadyVoice returns a vowel of constant pitch.
func steadyVoice(seconds int) []float32 {
	rng := rand.New(rand.NewPCG(5, 6))
	voice := make([]float32, seconds*48000)
	for i := range voice {
		x := 2 * math.Pi * (150*float64(i)/48000 + 0.02*math.Sin(2*math.Pi*5*float64(i)/48000))
		for h := 1.0; h < 20; h++ {
			voice[i] += float32(0.15 * math.Sin(h*x) / h)
		}
		voice[i] += 0.001 * (rng.Float32() - 0.5)
	}
	return voice
}

// The decoder for speech remembers a steady voice far longer than the 80 ms that the format
// requires.
func TestOpusSeeksExactlyInSteadyVoice(t *testing.T) {
	path := encode(t, steadyVoice(12), 48000, 1, "opus", "-c:a", "libopus", "-application", "voip", "-b:a", "12k")
	source := mustOpen(t, openOgg, load(t, path))
	checkSeeks(t, source, readWhole(t, source), -100)
}

// The state never becomes independent of the start here: 16 s before the target are not enough, and
// in the long form not even 64 s.
func TestOpusSeekIsExactIfTheStateDependsOnTheStart(t *testing.T) {
	seconds := 24
	if *thorough {
		seconds = 80
	}
	target := (seconds-5)*48000 + 777
	path := encode(t, steadyVoice(seconds), 48000, 1, "opus", "-c:a", "libopus", "-application", "voip", "-b:a", "12k")
	source := mustOpen(t, openOgg, load(t, path))
	whole := readWhole(t, source)
	if err := source.SeekTo(int64(target)); err != nil {
		t.Fatal(err)
	}
	checkSame(t, readFrames(t, source, 48000), whole[target:target+48000])
}

// The gain of the header is part of the audio; the gains of tags are not.
func TestOpusAppliesOutputGainOfHeader(t *testing.T) {
	path := encode(t, melody(48000, 2, 20000), 48000, 2, "opus", "-c:a", "libopus",
		"-metadata", "R128_TRACK_GAIN=-1664", "-metadata", "R128_ALBUM_GAIN=256")
	file := input(t, path)
	head := bytes.Index(file, []byte("OpusHead"))
	binary.LittleEndian.PutUint16(file[head+16:], 0xfa80) // −5.5 dB in 1/256
	testenv.FixOggChecksums(file)
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	source := mustOpen(t, openOgg, load(t, path))
	checkClose(t, readWhole(t, source), byOpusdec(t, path), -96)
}

func TestInvalidOpusHeadIsRejected(t *testing.T) {
	head := func(tail ...byte) []byte {
		return append([]byte("OpusHead\x01\x02\x38\x01\x80\xbb\x00\x00\x00\x00"), tail...)
	}
	for name, c := range map[string]struct {
		data        []byte
		unsupported bool
	}{
		"short":       {data: head()},
		"no channels": {data: bytes.Replace(head(1, 1, 1), []byte("\x01\x02"), []byte("\x01\x00"), 1)},
		"version 16": {
			data:        bytes.Replace(head(0), []byte("\x01\x02"), []byte("\x10\x02"), 1),
			unsupported: true,
		},
		"family 0 with 3":        {data: bytes.Replace(head(0), []byte("\x01\x02"), []byte("\x01\x03"), 1)},
		"family 1 without map":   {data: head(1, 1, 1)},
		"too many pairs":         {data: head(1, 1, 2, 0, 1)},
		"map beyond the streams": {data: head(1, 1, 1, 0, 2)},
		"no streams":             {data: head(1, 0, 0, 255, 255)},
		"ambisonics":             {data: head(2, 1, 1, 0, 1), unsupported: true},
	} {
		if _, err := readOpusHead(c.data); err == nil || errors.Is(err, audio.ErrUnsupported) != c.unsupported {
			t.Errorf("%s: got %v, want an error (unsupported: %v)", name, err, c.unsupported)
		}
	}
	got, err := readOpusHead(head(1, 1, 1, 1, 255))
	if err != nil || !bytes.Equal(got.mapping, []byte{1, 255}) {
		t.Errorf("got %+v and %v, want the mapping 1 255", got, err)
	}
}

func BenchmarkOpus(b *testing.B) { benchmark(b, openOgg, opusFile(b, 480000)) }
