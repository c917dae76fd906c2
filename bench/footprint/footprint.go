// Package footprint measures what the whole program takes while it serves a library of 5,000 files: memory, processor
// time when nothing happens, and the time it takes to start.
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

// Measure returns the rows that are asked for.
func Measure(ctx context.Context, run *gauge.Run) (rows []table.Row, err error) {
	if !run.Wants(Memory, Idle, Start) {
		return nil, nil
	}
	run.Say("memory, idling and starting over %d files", gauge.LibraryFiles)
	m := &measuring{run: run, data: filepath.Join(run.Temp, "footprint")}
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

type measuring struct {
	run         *gauge.Run
	music, data string
}

func (m *measuring) start(ctx context.Context) (*gauge.Waxwing, error) {
	w, _, err := m.timedStart(ctx)
	return w, err
}

func (m *measuring) timedStart(ctx context.Context) (*gauge.Waxwing, time.Duration, error) {
	return m.run.StartWaxwing(ctx, gauge.Role{Command: "up", Data: filepath.Join(m.data, "waxwing"), Args: []string{"--music", m.music, "--output", "null"}})
}

// startMPD starts MPD over the same folder; nil and a sentence where it is absent.
func (m *measuring) startMPD() (*peer.MPD, time.Duration, []string, error) {
	mpd, took, err := peer.StartMPD(filepath.Join(m.data, "mpd"), m.music, nil)
	if errors.Is(err, peer.ErrAbsent) {
		return nil, 0, []string{err.Error()}, nil
	}
	return mpd, took, nil, err
}

// scanned reports whether a scan has come to its end.
func scanned(catalog gauge.Target) bool {
	var reply struct {
		Scan struct {
			Running    bool
			FinishedAt *string `json:"finished_at"`
		}
	}
	return catalog.Ask("GET", "/api/scan", "", &reply) == nil && !reply.Scan.Running && reply.Scan.FinishedAt != nil
}

// starts are of a program that has run before: its library is known, nothing is to be scanned but to see that.
func (m *measuring) starts(ctx context.Context) (table.Row, error) {
	row := table.Row{Key: Start, What: "start to ready, both roles", Ours: table.Figure{Unit: " ms"}}
	cpu, theirs := table.Figure{Of: "ours, processor time of it", Unit: " ms"}, table.Figure{Of: "MPD", Unit: " ms"}
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
		row.Ours.Values, cpu.Values = append(row.Ours.Values, gauge.Millis(took)), append(cpu.Values, gauge.Millis(used))
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

// memory is what stays resident after some use: pages of the whole catalog were read, and music plays.
func (m *measuring) memory(ctx context.Context, ours *gauge.Waxwing, peak float64) (table.Row, error) {
	row := table.Row{Key: Memory, What: fmt.Sprintf("memory, both roles on %d songs, playing", gauge.LibraryFiles), Ours: table.Figure{Unit: " MB"}}
	for page := range gauge.LibraryFiles / 50 {
		if err := ours.Catalog.Ask("GET", fmt.Sprintf("/api/songs?page=%d", page+1), "", nil); err != nil {
			return row, err
		}
	}
	if err := ours.Player.Ask("POST", "/play", "", nil); err != nil {
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
	if err := ours.Player.Ask("POST", "/pause", "", nil); err != nil {
		return row, err
	}
	row.Goal = table.AtMost(50, row.Ours.Values, " MB")
	row.Note = fmt.Sprintf("ours held %.0f MB at most during its first scan", peak)
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

func (m *measuring) afterPages(server *peer.Subsonic, used func(string, *gauge.Process) (table.Figure, error)) (table.Figure, error) {
	if _, err := server.Scan(); err != nil {
		return table.Figure{}, err
	}
	for page := range gauge.LibraryFiles / 50 {
		if err := server.Ask("GET", server.SongPage(page), "", nil); err != nil {
			return table.Figure{}, err
		}
	}
	return used(server.Name+", no player,", server.Process)
}

const idleListeners = 10

// idle watches both programs while nothing happens but that ten listeners wait.
func (m *measuring) idle(ctx context.Context, ours *gauge.Waxwing) (table.Row, error) {
	row := table.Row{Key: Idle, What: fmt.Sprintf("idle processor time with %d listeners", idleListeners), Ours: table.Figure{Unit: " %"}}
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
	m.run.Say("idle processor time, for %v", m.run.Window)
	select { // what was begun before has come to rest by then
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
	row.Goal = table.AtMostShown(0, figures[0], " %")
	return row, nil
}
