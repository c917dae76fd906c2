// Package protocol measures the protocol of MPD: the same commands on both servers, over the same
// library of 5,000 files.
package protocol

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
	Status, Idle, Queue, Library, Search = "mpd-status", "mpd-idle", "mpd-queue", "mpd-library", "mpd-search"
)

// queued is the length of the queue of the row Queue.
const queued = 10_000

// Measure returns the requested rows. Without MPD there is nothing to compare with.
func Measure(ctx context.Context, run *gauge.Run) (rows []table.Row, err error) {
	if !run.Wants(Status, Idle, Queue, Library, Search) {
		return nil, nil
	}
	run.Logf("protocol of MPD with %d files", gauge.LibraryFiles)
	m := &bench{run: run}
	music, err := run.Library(ctx)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(run.Temp, "protocol")
	if m.addr, err = gauge.FreeAddr(); err != nil {
		return nil, err
	}
	ours, _, err := run.StartWaxwing(ctx, gauge.Role{
		Command: "up", Data: filepath.Join(dir, "waxwing"),
		Args: []string{"--music", music, "--output", "null", "--mpd-addr", m.addr}, Env: []string{"XDG_RUNTIME_DIR=" + dir},
	})
	if err != nil {
		return nil, err
	}
	defer ours.Stop()
	m.token, m.socket = strings.TrimPrefix(ours.Player.Credential, "Bearer "), filepath.Join(dir, "waxwing", "mpd.sock")
	theirs, _, err := peer.StartMPD(filepath.Join(dir, "mpd"), music, nil)
	if errors.Is(err, peer.ErrAbsent) {
		m.absent = []string{err.Error()}
	} else if err != nil {
		return nil, err
	} else {
		defer theirs.Stop()
		m.mpd = theirs
	}
	if err := m.prepare(ours); err != nil {
		return nil, err
	}
	for _, one := range []struct {
		key, what, command string
		times              int
	}{
		{Status, "MPD status, p50", "status", 3000},
		{Queue, fmt.Sprintf("MPD playlistinfo of %d, p50", queued), "playlistinfo", 15},
		{Library, fmt.Sprintf("MPD listallinfo of %d, p50", gauge.LibraryFiles), "listallinfo", 15},
		{Search, "MPD search in all tags, p50", `search any "blue"`, 30},
	} {
		if !run.Wants(one.key) {
			continue
		}
		row, err := m.roundTrip(one.key, one.what, one.command, one.times)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	if run.Wants(Idle) {
		for _, listeners := range []int{1, 100} {
			row, err := m.idle(listeners)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

type bench struct {
	run         *gauge.Run
	addr, token string
	socket      string    // of the owner, beside the connections of addr
	mpd         *peer.MPD // nil: not installed
	absent      []string
}

// sides returns what connects to each server, ours first.
func (m *bench) sides() []func() (*peer.MPDConn, error) {
	sides := []func() (*peer.MPDConn, error){func() (*peer.MPDConn, error) { return peer.DialMPD("tcp", m.addr, m.token) }}
	if m.mpd != nil {
		sides = append(sides, m.mpd.Dial)
	}
	return sides
}

// prepare waits for the first scan and fills the queues.
func (m *bench) prepare(ours *gauge.Waxwing) error {
	_, err := ours.Until("its scan ended", 5*time.Minute, func() bool {
		conn, err := peer.DialMPD("tcp", m.addr, m.token)
		if err != nil {
			return false
		}
		defer conn.Close()
		status, err := conn.Do("status")
		if err != nil || strings.Contains(status, "updating_db") {
			return false
		}
		count, err := conn.Do("count base \"\"")
		return err == nil && strings.Contains(count, fmt.Sprintf("songs: %d\n", gauge.LibraryFiles))
	})
	if err != nil {
		return err
	}
	for i, dial := range m.sides() {
		conn, err := dial()
		if err != nil {
			return err
		}
		defer conn.Close()
		commands := []string{"clear", `add ""`, `add ""`}
		if i == 1 {
			if err := conn.Update(); err != nil {
				return err
			}
		}
		for _, command := range commands {
			if _, err := conn.Do(command); err != nil {
				return err
			}
		}
		if status, err := conn.Do("status"); err != nil ||
			!strings.Contains(status, fmt.Sprintf("playlistlength: %d\n", queued)) {
			return fmt.Errorf("the queue does not have %d songs: %s%w", queued, status, err)
		}
	}
	return nil
}

// roundTrip measures a command on both servers in turn.
func (m *bench) roundTrip(key, what, command string, times int) (table.Row, error) {
	var conns []*peer.MPDConn
	for _, dial := range m.sides() {
		conn, err := dial()
		if err != nil {
			return table.Row{}, err
		}
		defer conn.Close()
		if _, err := conn.Do(command); err != nil { // the first reads the library
			return table.Row{}, err
		}
		conns = append(conns, conn)
	}
	figures := make([][]float64, len(conns))
	for range m.run.Rounds {
		took := make([][]time.Duration, len(conns))
		for range times {
			for i, conn := range conns {
				t, err := conn.Time(command)
				if err != nil {
					return table.Row{}, err
				}
				took[i] = append(took[i], t)
			}
		}
		for i := range conns {
			figures[i] = append(figures[i], gauge.Micros(gauge.Percentile(took[i], 50)))
		}
	}
	return m.row(key, what, " µs", figures), nil
}

func (m *bench) row(key, what, unit string, figures [][]float64) table.Row {
	row := table.Row{Key: key, What: what, Ours: table.Figure{Of: "ours", Values: figures[0], Unit: unit},
		Absent: m.absent}
	if len(figures) > 1 {
		row.Beside = []table.Figure{{Of: "MPD", Values: figures[1], Unit: unit}}
		row.Goal = table.AtMost(1, gauge.Ratios(figures[0], figures[1]), " × MPD")
	}
	return row
}

// idle measures the time from a command to its event at every listener.
func (m *bench) idle(listeners int) (table.Row, error) {
	var figures [][]float64
	for i, dial := range m.sides() {
		sender := dial
		if i == 0 { // all connections of the port are listeners
			sender = func() (*peer.MPDConn, error) { return peer.DialMPD("unix", m.socket, "") }
		}
		p99, err := m.pushes(listeners, dial, sender)
		if err != nil {
			return table.Row{}, err
		}
		figures = append(figures, p99)
	}
	return m.row(Idle, fmt.Sprintf("MPD idle, %d listeners, p99", listeners), " ms", figures), nil
}

func (m *bench) pushes(listeners int, dial, dialSender func() (*peer.MPDConn, error)) (p99 []float64, err error) {
	sender, err := dialSender()
	if err != nil {
		return nil, err
	}
	defer sender.Close()
	type arrival struct {
		at  time.Time
		err error
	}
	arrived, waiting := make(chan arrival, listeners), make(chan struct{}, listeners)
	for range listeners {
		conn, err := dial()
		if err != nil {
			return nil, err
		}
		defer conn.Close()
		go func() { // ends when its connection is closed
			for {
				err := conn.Send("idle options")
				waiting <- struct{}{}
				if err == nil {
					_, err = conn.Reply()
				}
				arrived <- arrival{time.Now(), err}
				if err != nil {
					return
				}
			}
		}()
	}
	changes := 6000 / max(listeners, 20)
	for range m.run.Rounds {
		var took []time.Duration
		for i := range changes {
			for range listeners {
				<-waiting
			}
			time.Sleep(time.Millisecond) // until the servers have read the idle commands
			began := time.Now()
			if _, err := sender.Do(fmt.Sprintf("repeat %d", (i+1)%2)); err != nil {
				return nil, err
			}
			for range listeners {
				select {
				case a := <-arrived:
					if a.err != nil {
						return nil, a.err
					}
					took = append(took, a.at.Sub(began))
				case <-time.After(10 * time.Second):
					return nil, errors.New("a listener received no event for 10 s")
				}
			}
		}
		if _, err := sender.Do("repeat 0"); err != nil {
			return nil, err
		}
		p99 = append(p99, gauge.Millis(gauge.Percentile(took, 99)))
	}
	return p99, nil
}
