package e2e

import (
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// pair is a catalog and a player in two processes with a proxy between them.
type pair struct {
	*server    // the player
	catalog    *exec.Cmd
	catalogDir string // data folder of the catalog
	addr       string
	music      string
	link       *testenv.Proxy
	catalogLog testenv.Buffer
}

// openPair starts both with tracks of the given seconds and queues them all.
func openPair(t *testing.T, pieces, seconds int, output string, env ...string) *pair {
	t.Helper()
	home := t.TempDir()
	p := &pair{catalogDir: filepath.Join(home, "catalog"), music: t.TempDir(), addr: freeAddr(t)}
	for i := range pieces {
		writeWAV(t, filepath.Join(p.music, fmt.Sprintf("%02d Piece.wav", i+1)), 44100, noise(uint64(i+1), seconds*44100))
	}
	p.server = &server{t: t, dir: filepath.Join(home, "player"), env: environment(home, env...), log: &testenv.Buffer{},
		process: process{alone: true}}
	p.link = testenv.NewProxy(t, p.addr)
	p.startCatalog()
	t.Cleanup(p.killCatalog)
	p.eventually(20*time.Second, "the catalog", func() bool {
		resp, err := http.Get("http://" + p.addr + "/ready")
		if err != nil {
			return false
		}
		_ = resp.Body.Close() // only the status counts
		return resp.StatusCode == http.StatusOK
	})
	secret, errs, code := command(t, p.env, "key", "create", "--name", "player", "--permission", "read", "--permission",
		"write", "--data-dir", p.catalogDir)
	if code != 0 {
		t.Fatal(errs)
	}
	key := filepath.Join(home, "key")
	if err := os.WriteFile(key, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	p.args = []string{"--output", output, "--no-mpris", "--catalog", "http://" + p.link.Addr(), "--api-key-file", key}
	p.start()
	t.Cleanup(func() {
		p.stop()
		if t.Failed() {
			t.Logf("log of the player:\n%s\nlog of the catalog:\n%s", p.log, p.catalogLog.String())
		}
	})
	p.eventually(20*time.Second, "the scan", func() bool {
		reply, err := p.try("GET", "/api/songs?limit=1", "")
		return err == nil && reply["total"] == float64(pieces)
	})
	ids := []string{}
	for _, song := range p.get("/api/songs?limit=200")["songs"].([]any) {
		ids = append(ids, fmt.Sprintf("%q", object(song)["id"]))
	}
	p.post("/queue/replace", `{"track_ids":[`+strings.Join(ids, ",")+`],"play":true}`)
	return p
}

func (p *pair) startCatalog() {
	p.t.Helper()
	p.catalog = exec.Command(program, "catalog", "--data-dir", p.catalogDir, "--catalog-addr", p.addr, "--music", p.music,
		"--catalog-host", p.link.Addr())
	p.catalog.Env, p.catalog.Stdout, p.catalog.Stderr = p.env, &p.catalogLog, &p.catalogLog
	p.catalog.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.catalog.Start(); err != nil {
		p.t.Fatal(err)
	}
}

func (p *pair) killCatalog() {
	if p.catalog.ProcessState == nil {
		_ = p.catalog.Process.Kill() // it may have ended
		_ = p.catalog.Wait()
	}
}

// at returns the index in the queue and the position in the track.
func (p *pair) at() (index int, position time.Duration) {
	p.t.Helper()
	queue := p.get("/playback-queue")
	track := object(p.get("/current-track"), "track")
	return int(queue["current_index"].(float64)), time.Duration(track["position"].(float64)) * time.Millisecond
}

// waitPast waits until playback is past a position of the queue.
func (p *pair) waitPast(within time.Duration, index int, position time.Duration) {
	p.t.Helper()
	p.eventually(within, fmt.Sprintf("playback past %v of track %d", position, index), func() bool {
		i, at := p.at()
		return i > index || i == index && at > position
	})
}

// TestPlaybackContinuesWithoutTheCatalog makes the catalog unavailable in four ways during
// playback. The track plays on from its buffer, the next ones play when the catalog is back, and
// each play is counted once.
func TestPlaybackContinuesWithoutTheCatalog(t *testing.T) {
	t.Parallel()
	const seconds = 4
	p := openPair(t, 8, seconds, "null")
	violations := 0
	p.waitPast(10*time.Second, 0, 300*time.Millisecond)

	outages := []struct {
		name       string
		start, end func()
	}{
		{"killed", p.killCatalog, p.startCatalog},
		{"cut off", p.link.Cut, p.link.Restore},
		{"half open", func() { p.link.Blackhole(true) }, func() { p.link.Blackhole(false) }},
	}
	for _, outage := range outages {
		index, position := p.at()
		for position > 1500*time.Millisecond { // start with a new track that is completely buffered
			p.post("/next", "")
			p.waitPast(10*time.Second, index+1, 300*time.Millisecond)
			index, position = p.at()
		}
		outage.start()
		p.waitPast(10*time.Second, index, 3*time.Second) // from the buffer
		if state := p.get("/playback-state"); state["is_playing"] != true {
			violations++
			t.Errorf("catalog %s: got state %v, want is_playing true", outage.name, state)
		}
		began := time.Now()
		for _, path := range []string{"/pause", "/play"} {
			p.post(path, "")
		}
		if took := time.Since(began); took > time.Second {
			violations++
			t.Errorf("catalog %s: pause and play took %v, want at most 1s", outage.name, took)
		}
		outage.end()
		p.waitPast(30*time.Second, index+1, 500*time.Millisecond)
	}
	p.link.Latency(300 * time.Millisecond)
	index, _ := p.at()
	p.waitPast(30*time.Second, index+1, 200*time.Millisecond)
	p.link.Latency(0)

	// Each track was played almost to its end: its play is recorded exactly once.
	p.stop()
	p.killCatalog()
	db, err := sql.Open("sqlite", filepath.Join(p.catalogDir, "catalog.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var plays, keys, songs int
	if err := db.QueryRow(`SELECT count(*), count(DISTINCT idempotency), count(DISTINCT song) FROM plays`).Scan(&plays,
		&keys, &songs); err != nil {
		t.Fatal(err)
	}
	unsent, err := os.ReadFile(filepath.Join(p.dir, "plays.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	left := strings.Count(string(unsent), "\n")
	if plays != keys || plays != songs || plays+left < 4 {
		violations++
		t.Errorf("got %d plays with %d idempotency keys of %d songs and %d unsent, want one per song and at least 4",
			plays, keys, songs, left)
	}
	testenv.Report(t, testenv.DatabaseLoss, testenv.Tally{Inputs: plays + left, Faults: 4, Violations: violations,
		Note: "the catalog killed, cut off, half open and slow during playback; each play counted once"})
}
