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

// wholeFiles returns short files of every format.
func wholeFiles(t *testing.T) (paths []string) {
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

// damage writes that many damaged copies of files into dir.
func damage(t *testing.T, rnd *rand.Rand, dir string, originals []string, files int) {
	t.Helper()
	for i := range files {
		original := originals[i%len(originals)]
		whole, err := os.ReadFile(original)
		if err != nil {
			t.Fatal(err)
		}
		b := bytes.Clone(whole)
		reach := len(b) // alternately the audio and the headers
		if i%2 == 0 {
			reach = min(reach, 2000)
		}
		for range 1 + rnd.IntN(12) {
			b[rnd.IntN(reach)] = byte(rnd.Uint32())
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
	files, originals := testenv.Size(100, 1000, 5000), wholeFiles(t)
	seed := testenv.Seed(t)
	// playback takes real time, so all play at once
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
	songs, skipped, left, heard := 0, 0, 0, 0
	for _, h := range fixtures {
		h.eventually(time.Duration(len(h.queue))*10*time.Second, "the queue to be played", func() bool {
			for _, every := range fixtures {
				every.poll()
			}
			return h.ended
		})
		songs, skipped, left = songs+len(h.queue)/2, skipped+int(h.metric("waxwing_player_skipped_total")), left+h.left
		heard += h.judge()
	}
	if songs == skipped {
		t.Errorf("none of %d songs was played", songs)
	}
	testenv.Report(t, testenv.DamagedFiles, testenv.Tally{Inputs: files, Violations: max(0, songs-heard),
		Note: fmt.Sprintf("played through: %s; %d became songs, %d were skipped, %d left by hand, and %d times the good "+
			"song behind was heard whole",
			testenv.TriedOf(files, 5000, "files"), songs, skipped, left, heard)})
}

// goodSong is the title of the undamaged song.
const goodSong = "Behind the damage"

// damagedLibrary is a server that plays damaged songs, each followed by the good one, into a file.
type damagedLibrary struct {
	*server
	process   int
	recording string
	good      []float32
	queue     []string

	at    float64   // the position in the queue
	since time.Time // when it reached it
	left  int       // songs that were skipped because they did not end
	ended bool
}

// openDamagedLibrary scans a folder of damaged files and plays all songs in it.
func openDamagedLibrary(t *testing.T, music string, files int) *damagedLibrary {
	t.Helper()
	// 50 ms of unique audio
	h := &damagedLibrary{good: noise(11, 2205), recording: filepath.Join(t.TempDir(), "heard.wav"), since: time.Now()}
	writeWAV(t, filepath.Join(music, goodSong+".wav"), 44100, h.good)
	h.server = launch(t, nil, "--output", "file:"+h.recording, "--no-mpris", "--music", music, "--rate-limit", "0",
		"--replay-gain", "off")
	h.process = h.cmd.Process.Pid
	h.eventually(5*time.Minute, "the scan to end", func() bool {
		scan := h.get("/api/scan")["scan"].(map[string]any)
		return scan["running"] == false && scan["files_done"].(float64) > float64(files)
	})
	songs := h.allSongs()
	behind := songs[goodSong]
	if behind == "" {
		t.Fatalf("the good song is not among %d", len(songs))
	}
	delete(songs, goodSong)
	for _, id := range songs {
		h.queue = append(h.queue, id, behind)
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
		h.left++
		h.since = time.Now()
	}
}

// judge stops the server and returns how often the good song was played completely.
func (h *damagedLibrary) judge() (heard int) {
	h.t.Helper()
	if h.cmd.Process.Pid != h.process || strings.Contains(h.log.String(), "panic:") ||
		strings.Contains(h.log.String(), "fatal error") {
		h.t.Error("the process crashed or recovered from a panic")
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
			heard++
		}
		sound = sound[len(h.good):]
	}
	if songs := len(h.queue) / 2; heard != songs {
		h.t.Errorf("%d damaged songs were played, and %d times the good one was heard behind them", songs, heard)
	}
	return heard
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
