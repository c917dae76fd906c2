// Control measures the control API of the built binary beside a floor in one run: a bare net/http handler that checks
// a token and answers with the same bytes. It prints ratios; absolute figures are those of this machine.
//
//	go run ./bench/control [--requests 20000]
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	requests := flag.Int("requests", 20_000, "requests for each row")
	asFloor := flag.Bool("floor", false, "be the floor: print the address and serve (used by the bench itself)")
	flag.Parse()
	if *asFloor {
		serveFloor()
		return
	}
	if err := run(*requests); err != nil {
		fmt.Fprintln(os.Stderr, "control:", err)
		os.Exit(1)
	}
}

// slowAnswer is how long the catalog of this bench takes to give out a track.
const slowAnswer = 5 * time.Second

func run(requests int) (err error) {
	dir, err := os.MkdirTemp("", "waxwing-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	catalog, err := serve(slowCatalog())
	if err != nil {
		return err
	}
	player, stop, err := startPlayer(dir, catalog)
	if err != nil {
		return err
	}
	defer stop()
	body, err := player.once("GET", "/playback-state")
	if err != nil {
		return err
	}
	bare, stopFloor, err := startFloor(player.token, body)
	if err != nil {
		return err
	}
	defer stopFloor()

	// Turn and turn about, so that noise meets both alike.
	const rounds = 10
	var idle, loading, base, pauses []time.Duration
	for range rounds {
		if base, err = bare.many(base, "GET", "/playback-state", requests/rounds); err != nil {
			return err
		}
		if idle, err = player.many(idle, "GET", "/playback-state", requests/rounds); err != nil {
			return err
		}
		if _, err := player.once("POST", "/play"); err != nil { // starts a load that takes slowAnswer
			return err
		}
		if loading, err = player.many(loading, "GET", "/playback-state", requests/rounds); err != nil {
			return err
		}
		if pauses, err = player.many(pauses, "POST", "/pause", 1); err != nil {
			return err
		}
		if _, err := player.once("POST", "/queue/clear"); err != nil {
			return err
		}
	}
	fmt.Printf("%-46s %10s %10s %8s\n", "control API, one client, keep-alive", "p50", "p95", "× floor")
	row("floor: bare handler, token check, same bytes", base, base)
	row("GET /playback-state", idle, base)
	row("GET /playback-state while a track loads (5 s)", loading, base)
	row("POST /pause while a track loads (5 s)", pauses, base)
	return nil
}

func row(name string, took, floor []time.Duration) {
	slices.Sort(took)
	slices.Sort(floor)
	p50, p95 := took[len(took)/2], took[len(took)*95/100]
	fmt.Printf("%-46s %10v %10v %8.2f\n", name, p50.Round(time.Microsecond/10), p95.Round(time.Microsecond/10), float64(p50)/float64(floor[len(floor)/2]))
}

// target is a server with a token.
type target struct{ base, token string }

func (t target) once(method, path string) ([]byte, error) {
	req, err := http.NewRequest(method, t.base+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+t.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s %s", method, path, resp.Status, body)
	}
	return body, err
}

func (t target) many(took []time.Duration, method, path string, n int) ([]time.Duration, error) {
	for range n {
		start := time.Now()
		if _, err := t.once(method, path); err != nil {
			return nil, err
		}
		took = append(took, time.Since(start))
	}
	return took, nil
}

// The floor runs in a process of its own, like the player: a request that crosses from one process to
// another costs more than one that does not.
const (
	floorToken = "BENCH_FLOOR_TOKEN"
	floorBody  = "BENCH_FLOOR_BODY"
)

func startFloor(token string, body []byte) (target, func(), error) {
	self, err := os.Executable()
	if err != nil {
		return target{}, nil, err
	}
	cmd := exec.Command(self, "--floor")
	cmd.Env = append(os.Environ(), floorToken+"="+token, floorBody+"="+string(body))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return target{}, nil, err
	}
	if err := cmd.Start(); err != nil {
		return target{}, nil, err
	}
	stop := func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return target{}, nil, err
	}
	return target{strings.TrimSpace(addr), token}, stop, nil
}

func serveFloor() {
	addr, err := serve(floor(os.Getenv(floorToken), []byte(os.Getenv(floorBody))))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(addr)
	select {}
}

// floor answers as fast as net/http can.
func floor(token string, body []byte) http.Handler {
	want := "Bearer " + token
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != want {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})
}

// slowCatalog knows one song and takes its time to send it.
func slowCatalog() http.Handler {
	const song = `{"id":"so_0000000000000000000000","title":"Slow","artist":"Nobody","duration":60000,"available":true,"cover_url":"http://127.0.0.1/c","thumbnail_url":"http://127.0.0.1/t"}`
	mux := http.NewServeMux()
	answer := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Waxwing-Version", "bench")
			_, _ = io.WriteString(w, body)
		}
	}
	mux.HandleFunc("GET /api/songs/trending", answer(`{"songs":[`+song+`]}`))
	mux.HandleFunc("GET /api/songs/{id}/stream", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(slowAnswer):
		case <-r.Context().Done():
		}
		answer("")(w, r)
	})
	mux.HandleFunc("/", answer("{}"))
	return mux
}

// serve listens on a free loopback port for as long as the process lives.
func serve(h http.Handler) (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() { _ = http.Serve(ln, h) }() // ends with the process
	return "http://" + ln.Addr().String(), nil
}

// startPlayer builds the binary and runs the player alone on the slow catalog.
func startPlayer(dir, catalog string) (target, func(), error) {
	program := filepath.Join(dir, "waxwing")
	build := exec.Command("go", "build", "-trimpath", "-o", program, "waxwing")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return target{}, nil, fmt.Errorf("build: %w: %s", err, out)
	}
	key := filepath.Join(dir, "key")
	if err := os.WriteFile(key, []byte("wxk_bench\n"), 0o600); err != nil {
		return target{}, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	data := filepath.Join(dir, "data")
	cmd := exec.CommandContext(ctx, program, "player", "--data-dir", data, "--player-addr", "127.0.0.1:0",
		"--catalog", catalog, "--api-key-file", key, "--output", "null", "--log-level", "warn")
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		cancel()
		return target{}, nil, err
	}
	stop := func() { cancel(); _ = cmd.Wait() }
	for range 500 {
		time.Sleep(10 * time.Millisecond)
		var now struct{ Player string }
		text, err := os.ReadFile(filepath.Join(data, "running.json"))
		token, err2 := os.ReadFile(filepath.Join(data, "owner.token"))
		if err == nil && err2 == nil && json.Unmarshal(text, &now) == nil {
			return target{"http://" + now.Player, strings.TrimSpace(string(token))}, stop, nil
		}
	}
	stop()
	return target{}, nil, errors.New("the player did not start")
}
