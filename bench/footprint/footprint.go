// Package footprint measures the whole program with a library of 5,000 files: memory, idle
// processor time, and start-up time.
package footprint

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/peer"
	"waxwing/bench/table"
)

// Keys of the rows.
const (
	Memory, Idle, Start = "memory", "idle", "start"
)

// Measure returns the requested rows.
func Measure(ctx context.Context, run *gauge.Run) (rows []table.Row, err error) {
	if !run.Wants(Memory, Idle, Start) {
		return nil, nil
	}
	run.Logf("memory, idle time and start-up with %d files", gauge.LibraryFiles)
	m := &bench{run: run, data: filepath.Join(run.Temp, "footprint")}
	if m.music, err = run.Library(ctx); err != nil {
		return nil, err
	}
	ours, err := m.start(ctx) // the first scan of this folder
	if err != nil {
		return nil, err
	}
	if _, err := ours.Until("its scan ended", 5*time.Minute, func() bool { return scanned(ours.Catalog) }); err != nil {
		ours.Stop()
		return nil, err
	}
	peak, err := ours.PeakMemory()
	ours.Stop()
	if err != nil {
		return nil, err
	}
	if run.Wants(Start) {
		row, err := m.starts(ctx)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	if !run.Wants(Memory, Idle) {
		return rows, nil
	}
	if ours, err = m.start(ctx); err != nil {
		return nil, err
	}
	defer ours.Stop()
	if _, err := ours.Until("its scan ended", 5*time.Minute, func() bool { return scanned(ours.Catalog) }); err != nil {
		return nil, err
	}
	if run.Wants(Memory) {
		row, err := m.memory(ctx, ours, peak)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	if run.Wants(Idle) {
		row, err := m.idle(ctx, ours)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

type bench struct {
	run         *gauge.Run
	music, data string
}

func (m *bench) start(ctx context.Context) (*gauge.Waxwing, error) {
	w, _, err := m.timedStart(ctx)
	return w, err
}

func (m *bench) timedStart(ctx context.Context) (*gauge.Waxwing, time.Duration, error) {
	return m.run.StartWaxwing(ctx, gauge.Role{
		Command: "up", Data: filepath.Join(m.data, "waxwing"), Args: []string{"--music", m.music, "--output", "null"},
	})
}

// startMPD starts MPD over the same folder. It returns nil and a reason if MPD is not installed.
func (m *bench) startMPD() (*peer.MPD, time.Duration, []string, error) {
	mpd, took, err := peer.StartMPD(filepath.Join(m.data, "mpd"), m.music, nil)
	if errors.Is(err, peer.ErrAbsent) {
		return nil, 0, []string{err.Error()}, nil
	}
	return mpd, took, nil, err
}

// scanned reports whether the first scan is complete.
func scanned(catalog gauge.Target) bool {
	var reply struct {
		Scan struct {
			Running    bool
			FinishedAt *string `json:"finished_at"`
		}
	}
	return catalog.Request("GET", "/api/scan", "", &reply) == nil && !reply.Scan.Running && reply.Scan.FinishedAt != nil
}

// starts measures the start-up with a known library.
func (m *bench) starts(ctx context.Context) (table.Row, error) {
	row := table.Row{Key: Start, What: "start to ready, both roles", Ours: table.Figure{Unit: " ms"}}
	cpu := table.Figure{Of: "ours, processor time", Unit: " ms"}
	theirs := table.Figure{Of: "MPD", Unit: " ms"}
	mpd, _, absent, err := m.startMPD()
	if err != nil {
		return row, err
	}
	if mpd != nil {
		err := update(mpd)
		mpd.Stop()
		if err != nil {
			return row, err
		}
	}
	for range 2 * m.run.Rounds {
		ours, took, err := m.timedStart(ctx)
		if err != nil {
			return row, err
		}
		used, err := ours.CPU()
		ours.Stop()
		if err != nil {
			return row, err
		}
		row.Ours.Values = append(row.Ours.Values, gauge.Millis(took))
		cpu.Values = append(cpu.Values, gauge.Millis(used))
		mpd, took, _, err := m.startMPD()
		if err != nil {
			return row, err
		}
		if mpd != nil {
			mpd.Stop()
			theirs.Values = append(theirs.Values, gauge.Millis(took))
		}
	}
	row.Beside = []table.Figure{cpu}
	if row.Absent = absent; absent == nil {
		row.Beside = append(row.Beside, theirs)
	}
	row.Goal = table.AtMost(100, row.Ours.Values, " ms")
	return row, nil
}

func update(mpd *peer.MPD) error {
	conn, err := mpd.Dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Update()
}

// memory measures resident memory after reading every page of the catalog, while playing.
func (m *bench) memory(ctx context.Context, ours *gauge.Waxwing, peak float64) (table.Row, error) {
	what := fmt.Sprintf("memory, both roles on %d songs, playing", gauge.LibraryFiles)
	row := table.Row{Key: Memory, What: what, Ours: table.Figure{Unit: " MB"}}
	for page := range gauge.LibraryFiles / 50 {
		if err := ours.Catalog.Request("GET", fmt.Sprintf("/api/songs?page=%d", page+1), "", nil); err != nil {
			return row, err
		}
	}
	if err := ours.Player.Request("POST", "/play", "", nil); err != nil {
		return row, err
	}
	used := func(of string, p *gauge.Process) (table.Figure, error) {
		held, err := p.Memory()
		return table.Figure{Of: of, Values: []float64{held}, Unit: " MB"}, err
	}
	select {
	case <-ctx.Done():
		return row, ctx.Err()
	case <-time.After(5 * time.Second):
	}
	var err error
	if row.Ours, err = used("ours", ours.Process); err != nil {
		return row, err
	}
	if err := ours.Player.Request("POST", "/pause", "", nil); err != nil {
		return row, err
	}
	row.Goal = table.AtMost(50, row.Ours.Values, " MB")
	row.Note = fmt.Sprintf("our peak during the first scan was %.0f MB", peak)
	for _, starter := range peer.Starters {
		server, err := starter.Start(filepath.Join(m.run.Cache, "peer-"+strings.ToLower(starter.Name)), m.music)
		if errors.Is(err, peer.ErrAbsent) {
			row.Absent = append(row.Absent, err.Error())
			continue
		}
		if err != nil {
			return row, err
		}
		figure, err := m.afterPages(server, used)
		server.Stop()
		if err != nil {
			return row, err
		}
		row.Beside = append(row.Beside, figure)
	}
	return row, nil
}

func (m *bench) afterPages(
	server *peer.Subsonic, used func(string, *gauge.Process) (table.Figure, error),
) (table.Figure, error) {
	if _, err := server.Scan(); err != nil {
		return table.Figure{}, err
	}
	for page := range gauge.LibraryFiles / 50 {
		if err := server.Request("GET", server.SongPage(page), "", nil); err != nil {
			return table.Figure{}, err
		}
	}
	return used(server.Name+", no player,", server.Process)
}

const idleListeners = 10

// idle measures both programs with idle listeners.
func (m *bench) idle(ctx context.Context, ours *gauge.Waxwing) (table.Row, error) {
	what := fmt.Sprintf("idle processor time with %d listeners", idleListeners)
	row := table.Row{Key: Idle, What: what, Ours: table.Figure{Unit: " %"}}
	mpd, _, absent, err := m.startMPD()
	if err != nil {
		return row, err
	}
	processes := []*gauge.Process{ours.Process}
	if mpd != nil {
		defer mpd.Stop()
		processes = append(processes, mpd.Process)
	}
	for range idleListeners {
		conn, err := ours.Player.Dial()
		if err != nil {
			return row, err
		}
		defer conn.Close()
		if err := conn.Send("GET", "/events", ""); err != nil {
			return row, err
		}
		if mpd == nil {
			continue
		}
		listener, err := mpd.Dial()
		if err != nil {
			return row, err
		}
		defer listener.Close()
		if err := listener.Send("idle"); err != nil {
			return row, err
		}
	}
	m.run.Logf("idle processor time, for %v", m.run.Window)
	select { // let earlier work finish
	case <-ctx.Done():
		return row, ctx.Err()
	case <-time.After(5 * time.Second):
	}
	figures, err := gauge.Watch(ctx, m.run.Window, m.run.Rounds, processes...)
	if err != nil {
		return row, err
	}
	row.Ours.Values, row.Absent = figures[0], absent
	if mpd != nil {
		row.Beside = []table.Figure{{Of: "MPD", Values: figures[1], Unit: " %"}}
	}
	row.Goal = table.AtMostRounded(0, figures[0], " %")
	return row, nil
}
