package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/bench/genlib/library"
	"waxwing/internal/testenv"
)

// intactFiles creates short files of every format.
func intactFiles(t *testing.T) (paths []string) {
	t.Helper()
	dir := t.TempDir()
	songs, err := library.Generate(t.Context(), library.Config{Dir: dir, Files: 60, Seed: 9,
		Length: 150 * time.Millisecond, Sounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, song := range songs {
		paths = append(paths, filepath.Join(dir, filepath.FromSlash(song.Path)))
	}
	return paths
}

// damage writes damaged copies of the originals into dir.
func damage(t *testing.T, rnd *rand.Rand, dir string, originals []string, files int) {
	t.Helper()
	for i := range files {
		original := originals[i%len(originals)]
		whole, err := os.ReadFile(original)
		if err != nil {
			t.Fatal(err)
		}
		b := bytes.Clone(whole)
		size := len(b) // damage alternately the whole file and the headers
		if i%2 == 0 {
			size = min(size, 2000)
		}
		for range 1 + rnd.IntN(12) {
			b[rnd.IntN(size)] = byte(rnd.Uint32())
		}
		if rnd.IntN(5) == 0 {
			b = b[:1+rnd.IntN(len(b))]
		}
		testenv.FixChecksums(b, whole)
		path := filepath.Join(dir, fmt.Sprint(i/50), fmt.Sprintf("%d%s", i, filepath.Ext(original)))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDamagedFilesDoNotStopPlayback scans and plays damaged files, each followed by a good song.
// The good one must be played completely and exactly each time, and the process must survive.
func TestDamagedFilesDoNotStopPlayback(t *testing.T) {
	t.Parallel()
	testenv.NeedsTool(t, "ffmpeg")
	files, originals := testenv.Size(60, 1000, 5000), intactFiles(t)
	seed := testenv.Seed(t)
	// Playback takes real time, so all servers play at the same time.
	fixtures := make([]*damagedLibrary, testenv.Size(5, 10, 10))
	for i := range fixtures {
		rnd := rand.New(rand.NewPCG(seed, uint64(i)))
		if i == 0 { // the same in every run
			rnd = rand.New(rand.NewPCG(7, 7))
		}
		music := t.TempDir()
		damage(t, rnd, music, originals, files/len(fixtures))
		fixtures[i] = openDamagedLibrary(t, music, files/len(fixtures))
	}
	songs, skipped, interrupted, complete := 0, 0, 0, 0
	for _, h := range fixtures {
		h.eventually(time.Duration(len(h.queue))*10*time.Second, "the queue to be played", func() bool {
			for _, each := range fixtures {
				each.poll()
			}
			return h.ended
		})
		songs, interrupted = songs+len(h.queue)/2, interrupted+h.interrupted
		skipped += int(h.metric("waxwing_player_skipped_total"))
		complete += h.checkRecording()
	}
	if songs == skipped {
		t.Errorf("skipped songs: got all %d, want some played", songs)
	}
	testenv.Report(t, testenv.DamagedFiles, testenv.Tally{Inputs: files, Violations: max(0, songs-complete),
		Note: fmt.Sprintf("played: %s; %d became songs, the player skipped %d, the test skipped %d, and the good song "+
			"that followed was recorded completely %d times",
			testenv.TriedOf(files, 5000, "files"), songs, skipped, interrupted, complete)})
}

// goodSong is the title of the undamaged song.
const goodSong = "After the damage"

// damagedLibrary is a server that plays damaged songs, each followed by the good one, into a file.
type damagedLibrary struct {
	*server
	process   int
	recording string
	good      []float32
	queue     []string

	at          float64   // current index of the queue
	since       time.Time // when the index changed
	interrupted int       // songs that the test skipped because they did not end
	ended       bool
}

// openDamagedLibrary scans a folder of damaged files and plays all songs in it.
func openDamagedLibrary(t *testing.T, music string, files int) *damagedLibrary {
	t.Helper()
	h := &damagedLibrary{good: noise(11, 2205), // 50 ms of unique audio
		recording: filepath.Join(t.TempDir(), "recording.wav"), since: time.Now()}
	writeWAV(t, filepath.Join(music, goodSong+".wav"), 44100, h.good)
	h.server = launch(t, nil, "--output", "file:"+h.recording, "--no-mpris", "--music", music, "--rate-limit", "0",
		"--replay-gain", "off")
	h.process = h.cmd.Process.Pid
	h.eventually(5*time.Minute, "the end of the scan", func() bool {
		scan := h.get("/api/scan")["scan"].(map[string]any)
		return scan["running"] == false && scan["files_done"].(float64) > float64(files)
	})
	songs := h.allSongs()
	good := songs[goodSong]
	if good == "" {
		t.Fatalf("songs: got %d without %q, want it", len(songs), goodSong)
	}
	delete(songs, goodSong)
	for _, id := range songs {
		h.queue = append(h.queue, id, good)
	}
	body, err := json.Marshal(map[string]any{"track_ids": h.queue, "index": 0, "play": true})
	if err != nil {
		t.Fatal(err)
	}
	h.post("/volume", `{"volume":100}`)
	h.post("/queue/replace", string(body))
	return h
}

// poll checks the progress of the queue. It skips a damaged song after five seconds.
func (h *damagedLibrary) poll() {
	h.t.Helper()
	if h.ended {
		return
	}
	queue := h.get("/playback-queue")
	if at := queue["current_index"].(float64); at != h.at {
		h.at, h.since = at, time.Now()
	}
	h.ended = queue["is_playing"] == false
	if !h.ended && int(h.at)%2 == 0 && time.Since(h.since) > 5*time.Second {
		h.post("/next", "")
		h.interrupted++
		h.since = time.Now()
	}
}

// checkRecording stops the server and returns how often the good song was played completely.
func (h *damagedLibrary) checkRecording() (complete int) {
	h.t.Helper()
	if h.cmd.Process.Pid != h.process || strings.Contains(h.log.String(), "panic:") ||
		strings.Contains(h.log.String(), "fatal error") {
		h.t.Errorf("log: got a crash or a panic, want none:\n%s", h.log)
	}
	h.stop()
	raw, err := os.ReadFile(h.recording)
	if err != nil {
		h.t.Fatal(err)
	}
	sound := testenv.Float32s(raw[len(raw)%8:]) // the header's length modulo a frame
	for at := find(sound, h.good, 0.0001); at >= 0; at = find(sound, h.good, 0.0001) {
		sound = sound[2*at:]
		if slices.EqualFunc(sound[:len(h.good)], h.good, func(a, b float32) bool { return abs(a-b) <= 0.0001 }) {
			complete++
		}
		sound = sound[len(h.good):]
	}
	if songs := len(h.queue) / 2; complete != songs {
		h.t.Errorf("complete recordings of the good song: got %d, want %d, one after each damaged song", complete, songs)
	}
	return complete
}

// allSongs returns the catalog's songs by title, from all pages.
func (s *server) allSongs() map[string]string {
	s.t.Helper()
	ids := map[string]string{}
	for page := 1; ; page++ {
		list := s.get(fmt.Sprintf("/api/songs?limit=200&page=%d", page))["songs"].([]any)
		for _, song := range list {
			song := song.(map[string]any)
			title, id := song["title"].(string), song["id"].(string)
			if title != goodSong {
				title = id // damaged titles may be equal
			}
			ids[title] = id
		}
		if len(list) < 200 {
			return ids
		}
	}
}
