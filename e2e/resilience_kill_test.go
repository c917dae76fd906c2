package e2e

import (
	"database/sql"
	"encoding/json"
	"errors"
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

	_ "modernc.org/sqlite" // reads the database of a killed server

	"waxwing/internal/demo"
	"waxwing/internal/testenv"
)

// TestKillLosesNoAcknowledgedWrite kills the program at random times while music files change and
// clients edit the queue, seek, and create tokens, keys, playlists and plays. Everything
// acknowledged exists afterwards.
func TestKillLosesNoAcknowledgedWrite(t *testing.T) {
	t.Parallel()
	kills, fixtures := testenv.Size(100, 100, 2000), 4
	var all tolls
	t.Run("fixtures", func(t *testing.T) {
		for i := range fixtures {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				h := openFixture(t, uint64(i))
				for range kills / fixtures {
					h.cycle(&all)
				}
			})
		}
	})
	testenv.Report(t, testenv.Kills, testenv.Tally{Inputs: int(all.acknowledged.Load()), Faults: int(all.kills.Load()),
		Violations: int(all.violations.Load()),
		Note: fmt.Sprintf("%s; back after %v of 2s at worst, position off by %d ms of 1000 at worst",
			testenv.TriedOf(int(all.kills.Load()), 2000, "kills"), time.Duration(all.slowest.Load()).Round(time.Millisecond),
			all.astray.Load())})
}

// tolls adds up the results of all fixtures.
type tolls struct {
	kills, acknowledged, violations, slowest, astray atomic.Int64
}

func raise(most *atomic.Int64, to int64) {
	for seen := most.Load(); to > seen && !most.CompareAndSwap(seen, to); seen = most.Load() {
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
	made    int      // objects created so far, for their names
}

func openFixture(t *testing.T, seed uint64) *fixture {
	music := t.TempDir()
	if err := os.CopyFS(music, demo.FS()); err != nil {
		t.Fatal(err)
	}
	h := &fixture{rnd: rand.New(rand.NewPCG(seed, 11)), music: music}
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

// diary records what the server acknowledged in one run.
type diary struct {
	tokens    map[string]bool // by id: whether it is revoked
	playlists map[string]int  // by id: its songs
	keys      []string
	plays     []string // by idempotency key
	place     time.Duration
	placedAt  time.Time // the zero time: unknown
	made      int64

	mu      sync.Mutex
	refused []error // errors of a running server
}

// ask calls try for a client of the fixture.
func (h *fixture) ask(d *diary, method, path, body string, header ...string) (map[string]any, error) {
	out, err := h.try(method, path, body, header...)
	if err != nil && out != nil {
		d.mu.Lock()
		d.refused = append(d.refused, err)
		d.mu.Unlock()
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
func (h *fixture) cycle(all *tolls) {
	h.t.Helper()
	d := &diary{tokens: map[string]bool{}, playlists: map[string]int{}}
	base := h.made
	h.made += 1000
	rnd := make([]*rand.Rand, 5)
	for i := range rnd {
		rnd[i] = rand.New(rand.NewPCG(h.rnd.Uint64(), 1))
	}
	var clients sync.WaitGroup
	clients.Go(func() { h.editQueue(d, rnd[0]) })
	clients.Go(func() { h.makeTokens(d, base) })
	clients.Go(func() { h.makeLists(d, rnd[2], base) })
	clients.Go(func() { h.report(d, rnd[3], base) })
	clients.Go(func() { h.seek(d, rnd[4]) })
	deadline := time.Now().Add(time.Duration(40+h.rnd.IntN(200)) * time.Millisecond)
	for time.Now().Before(deadline) {
		h.shuffleFiles()
	}
	killed := time.Now()
	h.kill()
	clients.Wait()
	all.kills.Add(1)
	all.acknowledged.Add(d.made)

	wrong := func(format string, args ...any) {
		all.violations.Add(1)
		h.t.Errorf(format, args...)
	}
	for _, err := range d.refused {
		wrong("refused: %v", err)
	}
	h.inspect(d, wrong)
	began := time.Now()
	h.start()
	took := time.Since(began) - runQueueWait(h.cmd.Process.Pid)
	raise(&all.slowest, int64(took))
	if took > 2*time.Second {
		wrong("it was back after %v only", took)
	}
	h.compare(d, killed, all, wrong)
}

func (h *fixture) editQueue(d *diary, rnd *rand.Rand) {
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
		if _, err := h.ask(d, "POST", path, body); err != nil {
			return
		}
		h.queue, h.pending = next, nil
		atomic.AddInt64(&d.made, 1)
	}
}

func (h *fixture) makeTokens(d *diary, base int) {
	for i := base; ; i++ {
		made, err := h.ask(d, "POST", "/tokens", fmt.Sprintf(`{"name":"t%d","permissions":["read"]}`, i))
		if err != nil {
			return
		}
		id := object(made, "token")["id"].(string)
		d.tokens[id] = false
		atomic.AddInt64(&d.made, 1)
		if i%3 > 0 {
			continue
		}
		if _, err := h.ask(d, "POST", "/tokens/revoke", fmt.Sprintf(`{"id":%q}`, id)); err != nil {
			delete(d.tokens, id) // the result is unknown
			return
		}
		d.tokens[id] = true
		atomic.AddInt64(&d.made, 1)
	}
}

func (h *fixture) makeLists(d *diary, rnd *rand.Rand, base int) {
	for i := base; ; i++ {
		made, err := h.ask(d, "POST", "/api/playlists", fmt.Sprintf(`{"name":"list %d","song_ids":[%q]}`, i, h.songs[0]))
		if err != nil {
			return
		}
		id := object(made, "playlist")["id"].(string)
		d.playlists[id] = 1
		atomic.AddInt64(&d.made, 1)
		for range rnd.IntN(3) {
			if _, err := h.ask(d, "POST", "/api/playlists/"+id+"/songs",
				fmt.Sprintf(`{"song_ids":[%q]}`, h.songs[1])); err != nil {
				d.playlists[id] = -d.playlists[id] // one more may exist
				return
			}
			d.playlists[id]++
			atomic.AddInt64(&d.made, 1)
		}
	}
}

func (h *fixture) report(d *diary, rnd *rand.Rand, base int) {
	for i := base; ; i++ {
		key := fmt.Sprintf("play-%d", i)
		if _, err := h.ask(d, "POST", "/api/plays", fmt.Sprintf(`{"song_id":%q}`, h.songs[rnd.IntN(len(h.songs))]),
			"Idempotency-Key", key); err != nil {
			return
		}
		d.plays = append(d.plays, key)
		atomic.AddInt64(&d.made, 1)
		if i%4 > 0 {
			continue
		}
		made, err := h.ask(d, "POST", "/api/keys", fmt.Sprintf(`{"name":"key %d","permissions":["read"]}`, i))
		if err != nil {
			return
		}
		d.keys = append(d.keys, object(made, "key")["id"].(string))
		atomic.AddInt64(&d.made, 1)
	}
}

// seek keeps the first track playing and records its position.
func (h *fixture) seek(d *diary, rnd *rand.Rand) {
	if _, err := h.ask(d, "POST", "/play", ""); err != nil {
		return
	}
	for {
		to := rnd.IntN(8000)
		if _, err := h.ask(d, "POST", "/seek", fmt.Sprintf(`{"position":%d}`, to)); err != nil {
			d.placedAt = time.Time{}
			return
		}
		d.place, d.placedAt = time.Duration(to)*time.Millisecond, time.Now()
		for range 20 {
			now, err := h.ask(d, "GET", "/current-track", "")
			if err != nil {
				return
			}
			d.place, d.placedAt = time.Duration(object(now, "track")["position"].(float64))*time.Millisecond, time.Now()
		}
	}
}

// shuffleFiles adds, moves and removes music files, so that the scanner has work.
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

// inspect reads a copy of the killed server's database.
func (h *fixture) inspect(d *diary, wrong func(string, ...any)) {
	dir := h.t.TempDir()
	for _, name := range []string{"catalog.db", "catalog.db-wal"} {
		data, err := os.ReadFile(filepath.Join(h.dir, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			h.t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "catalog.db"))
	if err != nil {
		h.t.Fatal(err)
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRow(`PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		wrong("integrity_check says %q, %v", verdict, err)
	}
	for _, key := range d.plays {
		var n int
		if err := db.QueryRow(`SELECT count(*) FROM plays WHERE idempotency = $1`, key).Scan(&n); err != nil || n != 1 {
			wrong("play %s is there %d times, %v", key, n, err)
		}
	}
	for _, id := range d.keys {
		var n int
		if err := db.QueryRow(`SELECT count(*) FROM keys WHERE id = $1`, id).Scan(&n); err != nil || n != 1 {
			wrong("key %s is there %d times, %v", id, n, err)
		}
	}
	var stored struct {
		Tokens []struct {
			ID        string    `json:"id"`
			RevokedAt time.Time `json:"revoked_at"`
		} `json:"tokens"`
	}
	text, err := os.ReadFile(filepath.Join(h.dir, "tokens.json"))
	if err == nil {
		err = json.Unmarshal(text, &stored)
	}
	if err != nil {
		wrong("tokens: %v", err)
	}
	revoked := map[string]bool{}
	for _, t := range stored.Tokens {
		revoked[t.ID] = !t.RevokedAt.IsZero()
	}
	for id, want := range d.tokens {
		if got, there := revoked[id]; !there || got != want {
			wrong("token %s: there %v, revoked %v, want %v", id, there, got, want)
		}
	}
}

// compare checks the restarted server against the diary.
func (h *fixture) compare(d *diary, killed time.Time, all *tolls, wrong func(string, ...any)) {
	var now []string
	reply := h.get("/playback-queue")
	for _, item := range reply["queue"].([]any) {
		now = append(now, object(item)["id"].(string))
	}
	if !slices.Equal(now, h.queue) && (h.pending == nil || !slices.Equal(now, h.pending)) {
		wrong("the queue is\n%v, acknowledged\n%v, under way\n%v", now, h.queue, h.pending)
	}
	h.queue, h.pending = now, nil
	track := object(h.get("/current-track"), "track")
	if track["is_playing"] != false || track["id"] != now[0] {
		wrong("it came back with %v", track)
	}
	if !d.placedAt.IsZero() {
		want := d.place + killed.Sub(d.placedAt)
		off := (time.Duration(track["position"].(float64))*time.Millisecond - want).Abs()
		raise(&all.astray, off.Milliseconds())
		if off > time.Second {
			wrong("it came back at %v ms, %v from where it was", track["position"], off)
		}
	}
	for id, songs := range d.playlists {
		list, err := h.try("GET", "/api/playlists/"+id, "")
		if err != nil {
			wrong("playlist %s: %v", id, err)
			continue
		}
		n := int(object(list, "playlist")["song_count"].(float64))
		if n != songs && (songs > 0 || n != -songs && n != 1-songs) {
			wrong("playlist %s has %d songs, acknowledged %d", id, n, songs)
		}
	}
}
