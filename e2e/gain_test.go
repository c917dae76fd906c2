package e2e

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"waxwing/internal/app"
	"waxwing/internal/testenv"
	"waxwing/internal/testenv/postgres"
)

// TestReplayGainOfScannedFilesScalesPlayback tags two halves of one sound with different track
// gains and one album gain, plays them in order, and compares the recording with the source scaled
// by the album gain, including the join.
func TestReplayGainOfScannedFilesScalesPlayback(t *testing.T) {
	testenv.NeedsTool(t, "ffmpeg")
	cluster := postgres.ForTest(t)
	for engine, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return cluster.Database(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			const rate = 44100 // the rate of the file output
			whole := noise(1, 2*rate)
			cut := 2 * (rate + 1234)
			dir, decoded := album(t, rate, "flac", []string{"-c:a", "flac", "-metadata", "REPLAYGAIN_ALBUM_GAIN=-6.00 dB",
				"-metadata", "REPLAYGAIN_ALBUM_PEAK=0.5", "-metadata", "REPLAYGAIN_TRACK_GAIN=-12.00 dB"}, whole[:cut], whole[cut:])
			path := filepath.Join(t.TempDir(), "recording.wav")
			s := start(t, withOutput("file:"+path), withMusic(dir), func(c *app.Config) { c.Catalog.DB = database(t) })
			var songs map[string]string
			s.eventually(20*time.Second, "the scan", func() bool { songs = s.songs(); return len(songs) == 2 })
			s.post("/volume", `{"volume":100}`)
			s.post("/queue/replace", `{"track_ids":["`+songs["Piece 1"]+`","`+songs["Piece 2"]+`"],"play":true}`)
			s.eventually(20*time.Second, "the end of the queue",
				func() bool { return s.get("/playback-state")["is_playing"] == false })
			s.stop()
			recorded := testenv.Float32s(ffmpeg(t, "-i", path, "-f", "f32le", "-"))
			factor := float32(math.Pow(10, -6.0/20))
			want := append(decoded[0], decoded[1]...)
			for i := range want {
				want[i] *= factor
			}
			at := find(recorded, want, 1e-6)
			if at < 0 {
				t.Fatalf("the recording of %d frames does not contain the source at -6 dB; log: %s", len(recorded)/2, s.log)
			}
			for i, v := range recorded[2*at:][:len(want)] {
				if abs(v-want[i]) > 1e-6 {
					t.Fatalf("frame %d: got sample %v, want %v; the join is at frame %d", i/2, v, want[i], cut/2)
				}
			}
		})
	}
}
