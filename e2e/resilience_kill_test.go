package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/internal/demo"
	"waxwing/internal/testenv"
)

// TestKillLosesNoAcknowledgedWrite kills the program at random times while music files change and
// clients edit the queue, seek, and create tokens, keys, playlists and plays. Everything
// acknowledged exists afterwards.
func TestKillLosesNoAcknowledgedWrite(t *testing.T) {
	t.Parallel()
	kills, fixtures := testenv.Size(24, 100, 2000), 4
	seed := testenv.Seed(t)
	var all killTotals
	t.Run("fixtures", func(t *testing.T) {
		for i := range fixtures {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				h := openFixture(t, rand.New(rand.NewPCG(seed, uint64(i))))
				for range kills / fixtures {
					h.cycle(&all)
				}
			})
		}
	})
	testenv.Report(t, testenv.Kills, testenv.Tally{Inputs: int(all.acknowledged.Load()), Faults: int(all.kills.Load()),
		Violations: int(all.violations.Load()),
		Note: fmt.Sprintf("%s; slowest restart %v of %v, largest error of the position %d ms of %d",
			testenv.TriedOf(int(all.kills.Load()), 2000, "kills"), time.Duration(all.slowest.Load()).Round(time.Millisecond),
			maxRestart, all.positionError.Load(), maxPositionError.Milliseconds())})
}

// What a killed server may cost.
const (
	maxRestart       = 2 * time.Second
	maxPositionError = time.Second
)

// killTotals adds up the results of all fixtures. The last two are maxima.
type killTotals struct {
	kills, acknowledged, violations, slowest, positionError atomic.Int64
}

// raise sets most to value if that is larger.
func raise(most *atomic.Int64, value int64) {
	for old := most.Load(); value > old && !most.CompareAndSwap(old, value); old = most.Load() {
	}
}

// fixture is a server with its music, and the clients that write to it.
type fixture struct {
	*server
	rnd   *rand.Rand
	music string
	songs []string

	queue   []string // as acknowledged
	pending []string // if the unacknowledged edit was applied; nil if there is none
	cycles  int      // so far, for the names of created objects
}

func openFixture(t *testing.T, rnd *rand.Rand) *fixture {
	music := t.TempDir()
	if err := os.CopyFS(music, demo.FS()); err != nil {
		t.Fatal(err)
	}
	h := &fixture{rnd: rnd, music: music}
	h.server = launch(t, nil, "--output", "null", "--no-mpris", "--music", music)
	h.eventually(20*time.Second, "the scan", func() bool { return len(h.server.songs()) >= 12 })
	for _, id := range h.server.songs() {
		h.songs = append(h.songs, id)
	}
	slices.Sort(h.songs)
	h.queue = slices.Clone(h.songs[:3])
	ids, _ := json.Marshal(h.queue)
	h.post("/queue/replace", `{"track_ids":`+string(ids)+`,"play":true}`)
	h.post("/repeat", `{"repeat":"one"}`)
	return h
}

// writes are what the server acknowledged in one cycle.
type writes struct {
	tokens     map[string]bool // by id: whether it is revoked
	playlists  map[string]int  // by id: its songs
	keys       []string
	plays      []string // by idempotency key
	position   time.Duration
	positionAt time.Time // when the position was read; the zero time: unknown
	count      int64

	mu     sync.Mutex
	errors []error // responses of a running server
}

// attempt calls try and keeps the error of a server that still replies.
func (h *fixture) attempt(w *writes, method, path, body string, header ...string) (map[string]any, error) {
	out, err := h.try(method, path, body, header...)
	if err != nil && out != nil {
		w.mu.Lock()
		w.errors = append(w.errors, err)
		w.mu.Unlock()
	}
	return out, err
}

// try sends a request to a server that may have been killed.
func (s *server) try(method, path, body string, header ...string) (map[string]any, error) {
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return out, fmt.Errorf("%s %s: %d %s", method, path, resp.StatusCode, text)
	}
	return out, nil
}

// cycle kills the server while the clients write, starts it again and checks for missing data.
func (h *fixture) cycle(all *killTotals) {
	h.t.Helper()
	w := &writes{tokens: map[string]bool{}, playlists: map[string]int{}}
	first := 1000 * h.cycles
	h.cycles++
	rnd := make([]*rand.Rand, 4)
	for i := range rnd {
		rnd[i] = rand.New(rand.NewPCG(h.rnd.Uint64(), 1))
	}
	var clients sync.WaitGroup
	clients.Go(func() { h.editQueue(w, rnd[0]) })
	clients.Go(func() { h.createTokens(w, first) })
	clients.Go(func() { h.createPlaylists(w, rnd[1], first) })
	clients.Go(func() { h.recordPlays(w, rnd[2], first) })
	clients.Go(func() { h.seek(w, rnd[3]) })
	deadline := time.Now().Add(time.Duration(20+h.rnd.IntN(140)) * time.Millisecond)
	for time.Now().Before(deadline) {
		h.shuffleFiles()
	}
	killed := time.Now()
	h.kill()
	clients.Wait()
	all.kills.Add(1)
	all.acknowledged.Add(w.count)

	wrong := func(format string, args ...any) {
		all.violations.Add(1)
		h.t.Errorf(format, args...)
	}
	for _, err := range w.errors {
		wrong("before the kill: got %v, want 200", err)
	}
	h.inspect(w, wrong)
	began := time.Now()
	h.start()
	took := time.Since(began)
	raise(&all.slowest, int64(took))
	if took > maxRestart {
		wrong("the restart took %v, want at most %v", took, maxRestart)
	}
	h.compare(w, killed, all, wrong)
}

func (h *fixture) editQueue(w *writes, rnd *rand.Rand) {
	for {
		next := slices.Clone(h.queue)
		path, body := "/queue/add", ""
		last := len(next) - 1
		switch {
		case last > 40 || last > 2 && rnd.IntN(3) == 0:
			path, body = "/queue/remove", fmt.Sprintf(`{"index":%d,"id":%q}`, last, next[last])
			next = next[:last]
		case last > 2 && rnd.IntN(2) == 0:
			path, body = "/queue/move", fmt.Sprintf(`{"from":%d,"to":1,"id":%q}`, last, next[last])
			next = slices.Insert(next[:last:last], 1, next[last])
		default:
			id := h.songs[rnd.IntN(len(h.songs))]
			body, next = fmt.Sprintf(`{"track_ids":[%q]}`, id), append(next, id)
		}
		h.pending = next
		if _, err := h.attempt(w, "POST", path, body); err != nil {
			return
		}
		h.queue, h.pending = next, nil
		atomic.AddInt64(&w.count, 1)
	}
}

func (h *fixture) createTokens(w *writes, first int) {
	for i := first; ; i++ {
		created, err := h.attempt(w, "POST", "/tokens", fmt.Sprintf(`{"name":"t%d","permissions":["read"]}`, i))
		if err != nil {
			return
		}
		id := object(created, "token")["id"].(string)
		w.tokens[id] = false
		atomic.AddInt64(&w.count, 1)
		if i%3 > 0 {
			continue
		}
		if _, err := h.attempt(w, "POST", "/tokens/revoke", fmt.Sprintf(`{"id":%q}`, id)); err != nil {
			delete(w.tokens, id) // the result is unknown
			return
		}
		w.tokens[id] = true
		atomic.AddInt64(&w.count, 1)
	}
}

func (h *fixture) createPlaylists(w *writes, rnd *rand.Rand, first int) {
	for i := first; ; i++ {
		created, err := h.attempt(w, "POST", "/api/playlists",
			fmt.Sprintf(`{"name":"list %d","song_ids":[%q]}`, i, h.songs[0]))
		if err != nil {
			return
		}
		id := object(created, "playlist")["id"].(string)
		w.playlists[id] = 1
		atomic.AddInt64(&w.count, 1)
		for range rnd.IntN(3) {
			if _, err := h.attempt(w, "POST", "/api/playlists/"+id+"/songs",
				fmt.Sprintf(`{"song_ids":[%q]}`, h.songs[1])); err != nil {
				w.playlists[id] = -w.playlists[id] // one more may exist
				return
			}
			w.playlists[id]++
			atomic.AddInt64(&w.count, 1)
		}
	}
}

func (h *fixture) recordPlays(w *writes, rnd *rand.Rand, first int) {
	for i := first; ; i++ {
		key := fmt.Sprintf("play-%d", i)
		if _, err := h.attempt(w, "POST", "/api/plays", fmt.Sprintf(`{"song_id":%q}`, h.songs[rnd.IntN(len(h.songs))]),
			"Idempotency-Key", key); err != nil {
			return
		}
		w.plays = append(w.plays, key)
		atomic.AddInt64(&w.count, 1)
		if i%4 > 0 {
			continue
		}
		created, err := h.attempt(w, "POST", "/api/keys", fmt.Sprintf(`{"name":"key %d","permissions":["read"]}`, i))
		if err != nil {
			return
		}
		w.keys = append(w.keys, object(created, "key")["id"].(string))
		atomic.AddInt64(&w.count, 1)
	}
}

// seek keeps the first track playing and records its position.
func (h *fixture) seek(w *writes, rnd *rand.Rand) {
	if _, err := h.attempt(w, "POST", "/play", ""); err != nil {
		return
	}
	for {
		to := rnd.IntN(8000)
		if _, err := h.attempt(w, "POST", "/seek", fmt.Sprintf(`{"position":%d}`, to)); err != nil {
			w.positionAt = time.Time{}
			return
		}
		w.position, w.positionAt = time.Duration(to)*time.Millisecond, time.Now()
		for range 20 {
			now, err := h.attempt(w, "GET", "/current-track", "")
			if err != nil {
				return
			}
			w.position, w.positionAt = time.Duration(object(now, "track")["position"].(float64))*time.Millisecond, time.Now()
		}
	}
}

// shuffleFiles adds and removes music files, so that the scanner has work.
func (h *fixture) shuffleFiles() {
	name := filepath.Join(h.music, fmt.Sprintf("new %d.opus", h.rnd.IntN(20)))
	if os.Remove(name) == nil {
		return
	}
	found, err := filepath.Glob(filepath.Join(h.music, "*", "*", "*.*"))
	if err != nil || len(found) == 0 {
		h.t.Fatalf("no music to copy: %v", err)
	}
	data, err := os.ReadFile(found[h.rnd.IntN(len(found))])
	if err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		h.t.Fatal(err)
	}
}
