package e2e

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"waxwing/internal/app"
	"waxwing/internal/player"
	"waxwing/internal/testenv"
)

// noise returns aperiodic stereo audio, so that every position in it is unique. It lies in the
// middle octaves, which lossy codecs at a high rate preserve.
func noise(seed uint64, frames int) []float32 {
	rnd := rand.New(rand.NewPCG(seed, seed))
	pcm := make([]float32, 2*frames)
	for ch := range 2 {
		once, twice, slow := 0.0, 0.0, 0.0
		for i := range frames {
			once += 0.1 * (rnd.Float64()*2 - 1 - once)
			twice += 0.1 * (once - twice)
			slow += 0.03 * (twice - slow)
			v := max(min(5*(twice-slow), 0.95), -0.95)
			pcm[2*i+ch] = float32(math.Round(v*32767) / 32768)
		}
	}
	return pcm
}

// writeWAV writes 16-bit stereo.
func writeWAV(t *testing.T, path string, rate int, pcm []float32) {
	t.Helper()
	data := make([]byte, 0, 44+2*len(pcm))
	data = append(data, "RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x02\x00"...)
	data = binary.LittleEndian.AppendUint32(data, uint32(rate))
	data = binary.LittleEndian.AppendUint32(data, uint32(rate*4))
	data = append(data, "\x04\x00\x10\x00data"...)
	data = binary.LittleEndian.AppendUint32(data, uint32(2*len(pcm)))
	for _, v := range pcm {
		data = binary.LittleEndian.AppendUint16(data, uint16(int16(math.Round(float64(v)*32768))))
	}
	binary.LittleEndian.PutUint32(data[4:], uint32(len(data)-8))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func ffmpeg(t *testing.T, args ...string) []byte {
	t.Helper()
	out, err := exec.Command("ffmpeg", append([]string{"-v", "error", "-nostdin", "-y"}, args...)...).Output()
	if err != nil {
		t.Fatalf("ffmpeg %v: %v", args, err)
	}
	return out
}

// album creates a music folder with one track per piece, in order, and returns the tracks as
// decoded by ffmpeg.
func album(t *testing.T, rate int, ext string, codec []string, pieces ...[]float32) (dir string, decoded [][]float32) {
	t.Helper()
	dir = t.TempDir()
	for i, pcm := range pieces {
		wav := filepath.Join(t.TempDir(), "piece.wav")
		writeWAV(t, wav, rate, pcm)
		path := filepath.Join(dir, fmt.Sprintf("%02d Piece.%s", i+1, ext))
		args := append([]string{"-i", wav, "-metadata", fmt.Sprintf("title=Piece %d", i+1), "-metadata", "artist=Tester",
			"-metadata", "album=Test",
			"-metadata", fmt.Sprintf("track=%d", i+1)}, codec...)
		ffmpeg(t, append(args, path)...)
		decoded = append(decoded, testenv.Float32s(ffmpeg(t, "-i", path, "-f", "f32le", "-ac", "2", "-")))
	}
	return dir, decoded
}

// songs lists the catalog's songs by title through the player's catalog proxy.
func (s *server) songs() map[string]string {
	s.t.Helper()
	byTitle := map[string]string{}
	for _, song := range s.get("/api/songs?limit=200")["songs"].([]any) {
		m := song.(map[string]any)
		byTitle[m["title"].(string)] = m["id"].(string)
	}
	return byTitle
}

// listen starts a server with its own sound server and the pieces queued, paused, at full volume.
func listen(t *testing.T, pulse *testenv.Pulse, dir string, pieces int) *server {
	t.Helper()
	setenv(t, pulse.Env())
	s := start(t, withOutput("pulse"), withMusic(dir), func(c *app.Config) { c.Player.Gain = player.GainOff })
	var songs map[string]string
	s.eventually(20*time.Second, "the scan", func() bool { songs = s.songs(); return len(songs) == pieces })
	ids := ""
	for i := range pieces {
		if i > 0 {
			ids += ","
		}
		ids += fmt.Sprintf("%q", songs[fmt.Sprintf("Piece %d", i+1)])
	}
	s.post("/volume", `{"volume":100}`)
	s.post("/queue/replace", `{"track_ids":[`+ids+`],"play":false}`)
	return s
}

// find returns the frame of recorded at which want begins, or -1.
func find(recorded, want []float32, tolerance float32) int {
	const probe = 400
	for at := 0; at+len(want) <= len(recorded); at += 2 {
		k := 0
		for k < 2*probe && abs(recorded[at+k]-want[k]) <= tolerance {
			k++
		}
		if k == 2*probe {
			return at / 2
		}
	}
	return -1
}

func abs(v float32) float32 { return float32(math.Abs(float64(v))) }

// fidelity compares two stretches: their correlation, and the second's level in dB relative to the
// first.
func fidelity(want, got []float32) (correlation, level float64) {
	var ww, gg, wg float64
	for i := range want {
		w, g := float64(want[i]), float64(got[i])
		ww, gg, wg = ww+w*w, gg+g*g, wg+w*g
	}
	return wg / math.Sqrt(ww*gg), 10 * math.Log10(gg/ww)
}

// TestPlaybackIsExactAndGapless plays tracks cut in mid-sound to a sound server and compares the
// recording with the source, sample by sample.
func TestPlaybackIsExactAndGapless(t *testing.T) {
	testenv.NeedsTool(t, "ffmpeg")
	tests := []struct {
		ext       string
		rate      int
		codec     []string
		tolerance float32 // against ffmpeg's decoder
	}{
		{"flac", 44100, []string{"-c:a", "flac"}, 0},
		{"mp3", 44100, []string{"-c:a", "libmp3lame", "-b:a", "320k"}, 2e-5},
		{"opus", 48000, []string{"-c:a", "libopus", "-b:a", "510k"}, 2e-4},
	}
	for _, tt := range tests {
		t.Run(tt.ext, func(t *testing.T) {
			pulse := testenv.StartPulse(t)
			sink := "null0"
			if tt.rate != 44100 {
				sink = "nullx"
				pulse.Control("load-module", "module-null-sink", "sink_name=nullx", "format=float32le",
					fmt.Sprintf("rate=%d", tt.rate), "channels=2")
				pulse.Control("set-default-sink", "nullx")
			}
			source := noise(1, 3*tt.rate)
			cut := 2*(3*tt.rate/2) + 2*1234 // in mid-sound, not at a frame boundary of any codec
			dir, decoded := album(t, tt.rate, tt.ext, tt.codec, source[:cut], source[cut:])
			if len(decoded[0]) != cut || len(decoded[0])+len(decoded[1]) != len(source) {
				t.Fatalf("decoded by ffmpeg: got %d + %d samples, want %d + %d: the codec itself is not gapless",
					len(decoded[0]), len(decoded[1]), cut, len(source)-cut)
			}
			s := listen(t, pulse, dir, 2)
			rec := pulse.RecordSink(sink, tt.rate)
			s.post("/play", "")
			s.eventually(20*time.Second, "the end of the queue",
				func() bool { return s.get("/playback-state")["is_playing"] == false })
			rec.Wait(rec.Len() + tt.rate/5)
			recorded := rec.Stop()

			want := append(decoded[0], decoded[1]...)
			skip := 2 * tt.rate / 5 // the recorder needs this to start
			at := find(recorded, want[skip:], tt.tolerance)
			if at < 0 {
				t.Fatalf("the tracks are not in the recording of %d frames", len(recorded)/2)
			}
			got := recorded[2*at:][:len(want)-skip]
			worst, where := float32(0), 0
			for i := range got {
				if d := abs(got[i] - want[skip+i]); d > worst {
					worst, where = d, i/2
				}
			}
			correlation, level := fidelity(source[skip:], got)
			if worst > tt.tolerance {
				t.Errorf("got a difference of %v at frame %d, want at most %v; the join is at frame %d", worst, where,
					tt.tolerance, (cut-skip)/2)
			}
			if tt.ext == "flac" && correlation < 0.9999999 || correlation < 0.999 || math.Abs(level) > 0.1 {
				t.Errorf("against the source: got correlation %.7f, level %+.3f dB; want 0.999 (FLAC: 0.9999999), 0 ± 0.1 dB",
					correlation, level)
			}
			rest := recorded[2*at+len(got):]
			for i, v := range rest {
				if v != 0 {
					t.Fatalf("got audio %d frames after the end, want silence", i/2)
				}
			}
			t.Logf("%s: %d frames, 0 inserted or lost at the join, worst difference %.2g, correlation %.6f, level %+.4f dB",
				tt.ext, len(got)/2, worst, correlation, level)
		})
	}
}

// TestPauseAndSeekActImmediately measures in the recording when audio stops after a pause and what
// follows a seek.
func TestPauseAndSeekActImmediately(t *testing.T) {
	testenv.NeedsTool(t, "ffmpeg")
	const rate = 44100
	pulse := testenv.StartPulse(t)
	source := noise(2, 30*rate)
	dir, decoded := album(t, rate, "flac", []string{"-c:a", "flac"}, source)
	pcm := decoded[0]
	s := listen(t, pulse, dir, 1)
	rec := pulse.Record()
	s.post("/play", "")
	position := func() float64 { return s.get("/current-track")["track"].(map[string]any)["position"].(float64) }
	s.eventually(10*time.Second, "sound", func() bool { return position() > 500 })

	var late []float64
	for range 5 {
		began := time.Now()
		before := position()
		s.post("/pause", "")
		acknowledged := float64(time.Since(began).Microseconds()) / 1000
		rec.Wait(rec.Len() + rate/4)
		recorded := rec.Samples()
		end := len(recorded)
		for end > 1 && recorded[end-1] == 0 && recorded[end-2] == 0 {
			end -= 2
		}
		stopped := find(pcm, recorded[end-800:end], 0) + 400
		if stopped < 400 {
			t.Fatal("the last audio before the pause does not match the source")
		}
		if p := position(); math.Abs(p-float64(stopped)*1000/rate) > 10 {
			t.Errorf("position after the pause: got %.1f ms, want %.1f ± 10 as recorded", p, float64(stopped)*1000/rate)
		}
		// Audio between the reading of the position and the acknowledgement is in time.
		played := float64(stopped)*1000/rate - before
		late = append(late, played-acknowledged)
		t.Logf("pause: acknowledged after %.2f ms, %.2f ms of audio since the position was read", acknowledged, played)
		s.post("/play", "")
		rec.Wait(rec.Len() + rate/4)
	}

	// A busy machine may schedule the sound server late, so the median has the tight limit. The other
	// limit is below the length of the buffers, which a pause must not play.
	slices.Sort(late)
	if median, most := late[len(late)/2], late[len(late)-1]; median > 10 || most > 200 {
		t.Errorf("audio after the pause was acknowledged: got median %.2f ms, maximum %.2f ms; want at most 10, 200",
			median, most)
	}

	for _, to := range []int{20_000, 1_234, 12_345} {
		s.post("/seek", fmt.Sprintf(`{"position":%d}`, to))
		rec.Wait(rec.Len() + rate/3)
		recorded := rec.Samples()
		// Find the jump in the recording, going back from its end, which is in the source.
		tail := recorded[len(recorded)-2*rate/10:]
		last := find(pcm, tail, 0)
		if last < 0 {
			t.Fatal("the audio after a seek does not match the source")
		}
		first, at := last, len(recorded)/2-rate/10
		for first > 0 && at > 0 && recorded[2*(at-1)] == pcm[2*(first-1)] && recorded[2*(at-1)+1] == pcm[2*(first-1)+1] {
			first, at = first-1, at-1
		}
		if off := float64(first)*1000/rate - float64(to); math.Abs(off) > 5 {
			t.Errorf("seek to %d ms: playback starts %+.2f ms beside it, want at most 5", to, off)
		} else {
			t.Logf("seek to %d ms: playback starts %+.3f ms beside it", to, off)
		}
	}
}

// TestPlaybackResumesAfterSoundServerRestart kills the sound server during playback.
func TestPlaybackResumesAfterSoundServerRestart(t *testing.T) {
	testenv.NeedsTool(t, "ffmpeg")
	const rate = 44100
	pulse := testenv.StartPulse(t)
	dir, decoded := album(t, rate, "flac", []string{"-c:a", "flac"}, noise(3, 30*rate))
	pcm := decoded[0]
	s := listen(t, pulse, dir, 1)
	s.post("/play", "")
	position := func() float64 { return s.get("/current-track")["track"].(map[string]any)["position"].(float64) }
	s.eventually(10*time.Second, "sound", func() bool { return position() > 700 })
	pulse.Kill()
	stopped := -1.0
	s.eventually(time.Second, "the position to stop", func() bool {
		last := stopped
		stopped = position()
		time.Sleep(20 * time.Millisecond)
		return stopped == last
	})
	if s.get("/playback-state")["is_playing"] != true {
		t.Error("got is_playing false after the sound server was killed, want true")
	}
	pulse.Restart()
	rec := pulse.Record()
	s.eventually(10*time.Second, "playback to continue", func() bool { return position() > stopped+700 })
	recorded := rec.Stop()
	at := find(recorded, pcm[2*int(stopped/1000*rate)+2*rate/4:][:4*rate/10], 0)
	if at < 0 {
		t.Error("the audio after the restart does not continue at the position where it stopped")
	}
	t.Logf("playback continued at %.0f ms", stopped)
}
