// Package controls measures the control API: reading the state, and pushing events to listeners.
package controls

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/peer"
	"waxwing/bench/table"
)

// Keys of the rows.
const (
	Read, Events = "read", "events"
)

// slowResponse is how long the test catalog waits before it sends a track.
const slowResponse = 5 * time.Second

// Measure returns the requested rows.
func Measure(ctx context.Context, run *gauge.Run) (rows []table.Row, err error) {
	if !run.Wants(Read, Events) {
		return nil, nil
	}
	run.Logf("control API")
	catalog, err := gauge.Serve(slowCatalog())
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(run.Temp, "controls")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	key := filepath.Join(dir, "key")
	if err := os.WriteFile(key, []byte("wxk_bench\n"), 0o600); err != nil {
		return nil, err
	}
	ours, _, err := run.StartWaxwing(ctx, gauge.Role{
		Command: "player", Data: filepath.Join(dir, "data"),
		Args: []string{"--catalog", catalog, "--api-key-file", key, "--output", "null"},
	})
	if err != nil {
		return nil, err
	}
	defer ours.Stop()
	m := &bench{run: run, ours: ours.Player}
	mpd, _, err := peer.StartMPD(filepath.Join(dir, "mpd"), dir, nil)
	switch {
	case errors.Is(err, peer.ErrAbsent):
		m.absent = []string{err.Error()}
	case err != nil:
		return nil, err
	default:
		m.mpd = mpd
		defer mpd.Stop()
	}
	if run.Wants(Read) {
		if rows, err = m.reads(); err != nil {
			return nil, err
		}
	}
	if run.Wants(Events) {
		for _, listeners := range []int{1, 100} {
			row, err := m.events(listeners)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

type bench struct {
	run    *gauge.Run
	ours   gauge.Target
	mpd    *peer.MPD // nil if not installed
	absent []string
}

const statePath = "/playback-state"

// reads measures round trips of one client over a persistent connection.
func (m *bench) reads() ([]table.Row, error) {
	body, err := m.ours.Raw("GET", statePath, "")
	if err != nil {
		return nil, err
	}
	bare, stop, err := gauge.StartFloor(m.ours, body)
	if err != nil {
		return nil, err
	}
	defer stop()
	floor, err := bare.Dial()
	if err != nil {
		return nil, err
	}
	defer floor.Close()
	ours, err := m.ours.Dial()
	if err != nil {
		return nil, err
	}
	defer ours.Close()
	read := func(c *gauge.Conn) func() (time.Duration, error) {
		return func() (time.Duration, error) { return c.Time("GET", statePath, "") }
	}
	sides := []func() (time.Duration, error){read(floor), read(ours)}
	if m.mpd != nil {
		conn, err := m.mpd.Dial()
		if err != nil {
			return nil, err
		}
		defer conn.Close()
		sides = append(sides, func() (time.Duration, error) { return conn.Time("status") })
	}
	idle, err := m.alternate(sides)
	if err != nil {
		return nil, err
	}
	if err := m.fillQueue(); err != nil {
		return nil, err
	}
	if _, err := m.ours.Raw("POST", "/play", ""); err != nil { // starts loads that take slowResponse each
		return nil, err
	}
	loading, err := m.alternate(sides[:2])
	if err != nil {
		return nil, err
	}
	if _, err := m.ours.Raw("POST", "/queue/clear", ""); err != nil {
		return nil, err
	}
	row := m.readRow("control read round trip, p50", idle)
	if m.mpd != nil {
		row.Beside = append(row.Beside, micros("MPD status", idle[2]))
	}
	row.Absent = m.absent
	return []table.Row{row, m.readRow("the same while a track loads, 10,000 queued", loading)}, nil
}

func (m *bench) readRow(what string, figures [][]float64) table.Row {
	return table.Row{
		Key: Read, What: what, Ours: micros("ours", figures[1]),
		Beside: []table.Figure{micros("bare Go with a token", figures[0])},
		Goal:   table.AtMost(2, gauge.Ratios(figures[1], figures[0]), " × bare Go"),
	}
}

func micros(of string, values []float64) table.Figure {
	return table.Figure{Of: of, Values: values, Unit: " µs"}
}

// alternate measures all sides in turn and returns the p50 of each side per round.
func (m *bench) alternate(sides []func() (time.Duration, error)) ([][]float64, error) {
	const perRound = 3000
	figures := make([][]float64, len(sides))
	for range m.run.Rounds {
		took := make([][]time.Duration, len(sides))
		for range perRound {
			for i, measure := range sides {
				t, err := measure()
				if err != nil {
					return nil, err
				}
				took[i] = append(took[i], t)
			}
		}
		for i := range sides {
			figures[i] = append(figures[i], gauge.Micros(gauge.Percentile(took[i], 50)))
		}
	}
	return figures, nil
}

const song = `{"id":"so_0000000000000000000000","title":"Slow","artist":"Nobody","duration":60000,"available":true,` +
	`"cover_url":"http://127.0.0.1/c","thumbnail_url":"http://127.0.0.1/t"}`

func (m *bench) fillQueue() error {
	ids := strings.Repeat(`,"so_0000000000000000000000"`, 1000)[1:]
	for range 10 {
		if _, err := m.ours.Raw("POST", "/queue/add", `{"track_ids":[`+ids+`]}`); err != nil {
			return fmt.Errorf("queue 10,000 songs: %w", err)
		}
	}
	return nil
}

// slowCatalog has one song and sends it slowly.
func slowCatalog() http.Handler {
	mux := http.NewServeMux()
	reply := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Waxwing-Version", "bench")
			_, _ = io.WriteString(w, body) // the client may have closed the connection
		}
	}
	mux.HandleFunc("GET /api/songs/trending", reply(`{"songs":[`+song+`]}`))
	mux.HandleFunc("GET /api/songs/{id}", reply(`{"song":`+song+`}`))
	mux.HandleFunc("GET /api/songs/{id}/stream", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(slowResponse):
		case <-r.Context().Done():
		}
		reply("")(w, r)
	})
	mux.HandleFunc("/", reply("{}"))
	return mux
}
