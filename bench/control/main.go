// Control measures the control API of the built binary beside a floor in one run: a bare net/http handler that checks
// a token and answers with the same bytes. It prints ratios; absolute figures are those of this machine.
//
//	go run ./bench/control [--requests 20000]
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"waxwing/bench/gauge"
)

func main() {
	gauge.MaybeBeTheFloor()
	requests := flag.Int("requests", 20_000, "requests for each row")
	flag.Parse()
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
	catalog, err := gauge.Serve(slowCatalog())
	if err != nil {
		return err
	}
	key := filepath.Join(dir, "key")
	if err := os.WriteFile(key, []byte("wxk_bench\n"), 0o600); err != nil {
		return err
	}
	program, err := gauge.Build(dir)
	if err != nil {
		return err
	}
	process, player, err := gauge.Start(program, filepath.Join(dir, "data"), "player", "--catalog", catalog, "--api-key-file", key)
	if err != nil {
		return err
	}
	defer process.Stop()
	body, err := player.Do("GET", "/playback-state")
	if err != nil {
		return err
	}
	floor, stopFloor, err := gauge.StartFloor(player, body)
	if err != nil {
		return err
	}
	defer stopFloor()

	const rounds = 10 // turn and turn about, so that noise meets all alike
	reads := gauge.Repeat("/playback-state", requests/rounds)
	var base, idle, loading, pauses []time.Duration
	for range rounds {
		err := errors.Join(
			floor.Time(&base, "GET", reads...),
			player.Time(&idle, "GET", reads...),
			player.Time(new([]time.Duration), "POST", "/play"), // starts a load that takes slowAnswer
			player.Time(&loading, "GET", reads...),
			player.Time(&pauses, "POST", "/pause"),
			player.Time(new([]time.Duration), "POST", "/queue/clear"),
		)
		if err != nil {
			return err
		}
	}
	gauge.Head("control API, one client, keep-alive", "× floor")
	gauge.Row("floor: bare handler, token check, same bytes", base, base)
	gauge.Row("GET /playback-state", idle, base)
	gauge.Row("GET /playback-state while a track loads (5 s)", loading, base)
	gauge.Row("POST /pause while a track loads (5 s)", pauses, base)
	return nil
}

// slowCatalog knows one song and takes its time to send it.
func slowCatalog() http.Handler {
	const song = `{"id":"so_0000000000000000000000","title":"Slow","artist":"Nobody","duration":60000,"available":true,"cover_url":"http://127.0.0.1/c","thumbnail_url":"http://127.0.0.1/t"}`
	mux := http.NewServeMux()
	answer := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Waxwing-Version", "bench")
			_, _ = io.WriteString(w, body) // a client that is gone is none of our business
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
