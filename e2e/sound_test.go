package e2e

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
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
		args := append([]string{"-i", wav, "-metadata", fmt.Sprintf("title=Piece %d", i+1), "-metadata", "artist=Prover",
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

// find returns the frame of heard at which want begins, or -1.
func find(heard, want []float32, tolerance float32) int {
	const probe = 400
	for at := 0; at+len(want) <= len(heard); at += 2 {
		k := 0
		for k < 2*probe && abs(heard[at+k]-want[k]) <= tolerance {
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
			whole := noise(1, 5*tt.rate)
			cut := 2*(2*tt.rate) + 2*1234 // in mid-sound, not at a frame boundary of any codec
			dir, decoded := album(t, tt.rate, tt.ext, tt.codec, whole[:cut], whole[cut:])
			if len(decoded[0]) != cut || len(decoded[0])+len(decoded[1]) != len(whole) {
				t.Fatalf("the codec itself is not gapless here: %d + %d of %d", len(decoded[0]), len(decoded[1]), len(whole))
			}
			s := listen(t, pulse, dir, 2)
			rec := pulse.RecordSink(sink, tt.rate)
			s.post("/play", "")
			s.eventually(20*time.Second, "the end of the queue",
				func() bool { return s.get("/playback-state")["is_playing"] == false })
			rec.Wait(rec.Len() + tt.rate/5)
			heard := rec.Stop()

			want := append(decoded[0], decoded[1]...)
			skip := 2 * tt.rate / 5 // the recorder needs this to start
			at := find(heard, want[skip:], tt.tolerance)
			if at < 0 {
				t.Fatalf("the sound is not in the recording of %d frames", len(heard)/2)
			}
			got := heard[2*at:][:len(want)-skip]
			worst, where := float32(0), 0
			for i := range got {
				if d := abs(got[i] - want[skip+i]); d > worst {
					worst, where = d, i/2
				}
			}
			correlation, level := fidelity(whole[skip:], got)
			if worst > tt.tolerance {
				t.Errorf("off by %v at frame %d; the join is at %d", worst, where, (cut-skip)/2)
			}
			if tt.ext == "flac" && correlation < 0.9999999 || correlation < 0.999 || math.Abs(level) > 0.1 {
				t.Errorf("correlation %.6f, level %+.3f dB against the source", correlation, level)
			}
			rest := heard[2*at+len(got):]
			for i, v := range rest {
				if v != 0 {
					t.Fatalf("sound %d frames after the end", i/2)
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
	whole := noise(2, 30*rate)
	dir, decoded := album(t, rate, "flac", []string{"-c:a", "flac"}, whole)
	pcm := decoded[0]
	s := listen(t, pulse, dir, 1)
	rec := pulse.Record()
	s.post("/play", "")
	position := func() float64 { return s.get("/current-track")["track"].(map[string]any)["position"].(float64) }
	s.eventually(10*time.Second, "sound", func() bool { return position() > 500 })

	best := math.Inf(1)
	for range 5 {
		// The position is what is heard at t0; audio after the pause was sent is too late.
		before := position()
		t0 := time.Now()
		s.post("/pause", "")
		acked := float64(time.Since(t0).Microseconds()) / 1000
		rec.Wait(rec.Len() + rate/4)
		heard := rec.Samples()
		end := len(heard)
		for end > 1 && heard[end-1] == 0 && heard[end-2] == 0 {
			end -= 2
		}
		stopped := find(pcm, heard[end-800:end], 0) + 400
		if stopped < 400 {
			t.Fatal("the last audio before the pause does not match the source")
		}
		late := float64(stopped)*1000/rate - before
		if p := position(); math.Abs(p-float64(stopped)*1000/rate) > 10 {
			t.Errorf("paused at %.1f ms by the player, at %.1f ms by ear", p, float64(stopped)*1000/rate)
		}
		best = min(best, late)
		t.Logf("pause: acknowledged after %.2f ms, silent %.2f ms after the last position was read", acked, late)
		s.post("/play", "")
		from := rec.Len()
		rec.Wait(from + rate/2)
	}
	if best > 10 {
		t.Errorf("silence came %.2f ms after the pause at best", best)
	}

	for _, to := range []int{20_000, 1_234, 12_345} {
		s.post("/seek", fmt.Sprintf(`{"position":%d}`, to))
		rec.Wait(rec.Len() + rate/2)
		heard := rec.Samples()
		// What is heard now must be the source at the target plus the time since: find the jump in the
		// recording.
		tail := heard[len(heard)-2*rate/10:]
		place := find(pcm, tail, 0)
		if place < 0 {
			t.Fatal("the audio after a seek does not match the source")
		}
		first, at := place, len(heard)/2-rate/10
		for first > 0 && at > 0 && heard[2*(at-1)] == pcm[2*(first-1)] && heard[2*(at-1)+1] == pcm[2*(first-1)+1] {
			first, at = first-1, at-1
		}
		if off := float64(first)*1000/rate - float64(to); math.Abs(off) > 5 {
			t.Errorf("seek to %d ms is heard from %+.2f ms on", to, off)
		} else {
			t.Logf("seek to %d ms: heard from %+.3f ms on", to, off)
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
	s.eventually(10*time.Second, "sound", func() bool { return position() > 1500 })
	pulse.Kill()
	time.Sleep(300 * time.Millisecond) // the player notices within a second
	stood := position()
	s.eventually(time.Second, "the player to notice",
		func() bool { p := position(); ok := p == stood; stood = p; return ok })
	if s.get("/playback-state")["is_playing"] != true {
		t.Error("the player paused when the audio server was killed")
	}
	pulse.Restart()
	rec := pulse.Record()
	s.eventually(10*time.Second, "sound to go on", func() bool { return position() > stood+1000 })
	heard := rec.Stop()
	at := find(heard, pcm[2*int(stood/1000*rate)+2*rate/4:][:4*rate/10], 0)
	if at < 0 {
		t.Error("the audio after the restart does not continue at the position where it stopped")
	}
	t.Logf("went on from %.0f ms", stood)
}
