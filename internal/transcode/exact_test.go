package transcode_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/fault"
	"waxwing/internal/testenv"
	"waxwing/internal/transcode"
)

func TestLosslessTranscodesHaveTheSamplesOfTheFile(t *testing.T) {
	testenv.NeedsTool(t, "flac")
	s := open(t, transcode.Config{})
	for name, path := range map[string]string{
		"alac":     music(t, "a.m4a", "2.5", "44100", "2", "-c:a", "alac"),
		"24 bits":  music(t, "a.wav", "2", "96000", "2", "-c:a", "pcm_s24le"),
		"5.1":      music(t, "b.flac", "1", "48000", "6"),
		"floats":   music(t, "a.aiff", "1", "44100", "1", "-c:a", "pcm_f32be"),
		"wavpack":  music(t, "a.wv", "1", "44100", "2", "-sample_fmt", "s16p"),
		"mp3":      music(t, "a.mp3", "2", "44100", "2", "-b:a", "128k"),
		"vorbis":   music(t, "a.ogg", "1", "44100", "1", "-c:a", "libvorbis"),
		"one line": music(t, "c.flac", "0.0001", "44100", "1"),
	} {
		t.Run(name, func(t *testing.T) {
			original, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			src := source(t, path)
			for _, format := range []transcode.Format{transcode.FLAC, transcode.WAV} {
				for _, offset := range []time.Duration{0, 777_777 * time.Microsecond} {
					if offset > 0 && name == "one line" {
						continue
					}
					file, description := get(t, s, src, transcode.Variant{Format: format, Offset: offset})
					got, info := samples(t, file, 0, nil)
					want, from := samples(t, original, int64(math.Round(offset.Seconds()*float64(info.Rate))), nil)
					if info.Rate != from.Rate || info.Channels != from.Channels {
						t.Fatalf("%s: got %+v, want the rate and channels of %+v", format, info, from)
					}
					checkClose(t, got, want, from.Depth)
					length := time.Duration(float64(len(want)/from.Channels) / float64(from.Rate) * float64(time.Second))
					if d := description.Duration - length; d.Abs() > time.Microsecond {
						t.Errorf("%s: got the duration %v, want %v", format, description.Duration, length)
					}
					if format == transcode.FLAC {
						checkFLAC(t, file)
					}
				}
			}
		})
	}
}

// checkClose compares samples: exactly if the source has a depth of up to 24 bits, else within the
// rounding of the result.
func checkClose(t *testing.T, got, want []float32, depth int) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d samples, want %d", len(got), len(want))
	}
	allowed := 0.0
	switch {
	case depth == 0:
		allowed = 0.5001 / (1 << 15)
	case depth > 24:
		allowed = 0.5001 / (1 << 23)
	}
	for i := range got {
		if d := math.Abs(float64(got[i]) - float64(want[i])); d > allowed {
			t.Fatalf("sample %d of %d: got %v, want %v", i, len(got), got[i], want[i])
		}
	}
}

// checkFLAC runs the reference decoder, which also compares the checksum.
func checkFLAC(t *testing.T, file []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.flac")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "flac", "-t", "-s", path).CombinedOutput(); err != nil {
		t.Errorf("flac -t: %v\n%s", err, out)
	}
}

func TestLossyTranscodesHaveTheExactLengthAndStart(t *testing.T) {
	s := open(t, transcode.Config{})
	for name, path := range map[string]string{
		"44.1 kHz stereo": music(t, "a.flac", "3", "44100", "2"),
		"5.1 at 96 kHz":   music(t, "b.flac", "1.5", "96000", "6"),
		"mono at 22 kHz":  music(t, "c.wav", "2", "22050", "1"),
	} {
		t.Run(name, func(t *testing.T) {
			original, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			src := source(t, path)
			for _, format := range []transcode.Format{transcode.Opus, transcode.MP3} {
				for _, offset := range []time.Duration{0, time.Second + 234567*time.Microsecond} {
					file, description := get(t, s, src, transcode.Variant{Format: format, Offset: offset, BitRate: 256})
					got, info := samples(t, file, 0, nil)
					at := int64(math.Round(offset.Seconds() * float64(info.Rate)))
					want, _ := samples(t, original, at, func(src audio.Source) audio.Source {
						if src.Info().Channels > 2 {
							src = audio.Downmix(src)
						}
						return audio.Resample(src, info.Rate)
					})
					if len(got) != len(want) {
						t.Fatalf("%s from %v: got %d samples, want %d", format, offset, len(got), len(want))
					}
					if ratio := signalToNoise(got, want); ratio < 12 {
						t.Errorf("%s from %v: got %.1f dB between signal and error, want 12 or more", format, offset, ratio)
					}
					length := time.Duration(float64(len(want)/info.Channels) / float64(info.Rate) * float64(time.Second))
					if d := description.Duration - length; d.Abs() > time.Microsecond {
						t.Errorf("%s: got the duration %v, want %v", format, description.Duration, length)
					}
				}
			}
		})
	}
}

// signalToNoise compares a signal with its lossy copy, in dB. A copy that begins at another sample
// has about 0.
func signalToNoise(got, want []float32) float64 {
	var signal, noise float64
	for i := range want {
		d := float64(got[i]) - float64(want[i])
		signal += float64(want[i]) * float64(want[i])
		noise += d * d
	}
	return 10 * math.Log10(signal/noise)
}

func TestLimitsOfTheClientAreKept(t *testing.T) {
	s := open(t, transcode.Config{})
	src := source(t, music(t, "a.wav", "1", "96000", "6", "-c:a", "pcm_s24le"))
	for _, c := range []struct {
		limit transcode.Limit
		want  audio.Info
	}{
		{transcode.Limit{}, audio.Info{Rate: 96000, Channels: 6, Frames: 96000, Depth: 24}},
		{transcode.Limit{Rate: 192000}, audio.Info{Rate: 96000, Channels: 6, Frames: 96000, Depth: 24}},
		{transcode.Limit{Rate: 44100, Bits16: true}, audio.Info{Rate: 44100, Channels: 6, Frames: 44100, Depth: 16}},
		{transcode.Limit{Stereo: true}, audio.Info{Rate: 96000, Channels: 2, Frames: 96000, Depth: 24}},
	} {
		file, _ := get(t, s, src, transcode.Variant{Format: transcode.FLAC, Limit: c.limit})
		_, got := samples(t, file, 0, nil)
		c.want.Codec = "flac"
		if got != c.want {
			t.Errorf("%+v: got %+v, want %+v", c.limit, got, c.want)
		}
	}
}

func TestBitRateIsAnUpperLimit(t *testing.T) {
	s := open(t, transcode.Config{})
	src := source(t, music(t, "a.flac", "6", "44100", "2"))
	for _, c := range []struct {
		format          transcode.Format
		requested, want int
	}{
		{transcode.MP3, 0, 192}, {transcode.MP3, 64, 64}, {transcode.MP3, 100, 96}, {transcode.MP3, 5000, 320},
		{transcode.MP3, 1, 32}, {transcode.Opus, 48, 48},
	} {
		_, f := get(t, s, src, transcode.Variant{Format: c.format, BitRate: c.requested})
		got := float64(f.Size) * 8 / f.Duration.Seconds() / 1000
		if got > 1.15*float64(c.want) || got < 0.6*float64(c.want) {
			t.Errorf("%s with %d kbit/s: got %.0f kbit/s, want about %d", c.format, c.requested, got, c.want)
		}
	}
}

func TestInvalidVariantsAreRefused(t *testing.T) {
	s := open(t, transcode.Config{})
	src := source(t, music(t, "a.flac", "1", "44100", "2"))
	external := source(t, music(t, "a.wv", "1", "44100", "2"))
	for name, r := range map[string]transcode.Request{
		"unknown format": {Source: src, Variant: transcode.Variant{Format: "exe"}},
		"no format":      {Source: src},
		"odd limit": {Source: src, Variant: transcode.Variant{
			Format: transcode.WAV, Limit: transcode.Limit{Rate: 12345},
		}},
		"negative rate":   {Source: src, Variant: transcode.Variant{Format: transcode.MP3, BitRate: -1}},
		"negative offset": {Source: src, Variant: transcode.Variant{Format: transcode.WAV, Offset: -1}},
		"late offset":     {Source: src, Variant: transcode.Variant{Format: transcode.WAV, Offset: time.Second}},
		"late, external":  {Source: external, Variant: transcode.Variant{Format: transcode.WAV, Offset: 2 * time.Second}},
		"years":           {Source: external, Variant: transcode.Variant{Format: transcode.FLAC, Offset: 1 << 60}},
	} {
		f, err := s.Get(t.Context(), r)
		if kind, _ := fault.Of(err); kind != fault.Invalid {
			t.Errorf("%s: got %v and %v, want an Invalid fault", name, f, err)
		}
	}
}
