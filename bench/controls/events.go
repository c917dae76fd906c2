package controls

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/table"
)

// limits is the goal for the p99 in ms, by number of listeners.
var limits = map[int]float64{1: 1, 100: 5}

// events measures the time from sending a command to its event at every listener.
func (m *bench) events(listeners int) (table.Row, error) {
	sender, err := m.ours.Dial()
	if err != nil {
		return table.Row{}, err
	}
	defer sender.Close()
	ours, err := m.pushLatency(listeners, m.openEvents, func(i int) error {
		_, err := sender.Time("POST", "/volume", fmt.Sprintf(`{"volume":%d}`, i%100))
		return err
	})
	if err != nil {
		return table.Row{}, err
	}
	row := table.Row{
		Key: Events, What: fmt.Sprintf("event push, %d listeners, p99", listeners),
		Ours: table.Figure{Values: ours, Unit: " ms"}, Goal: table.AtMost(limits[listeners], ours, " ms"), Absent: m.absent,
	}
	if listeners == 1 {
		row.What = "event push, 1 listener, p99"
	}
	if m.mpd == nil {
		return row, nil
	}
	mpdSender, err := m.mpd.Dial()
	if err != nil {
		return table.Row{}, err
	}
	defer mpdSender.Close()
	theirs, err := m.pushLatency(listeners, m.openMPDIdle, func(i int) error {
		_, err := mpdSender.Do(fmt.Sprintf("repeat %d", i%2))
		return err
	})
	row.Beside = []table.Figure{{Of: "MPD idle", Values: theirs, Unit: " ms"}}
	return row, err
}

// listener receives events: next returns when one has arrived.
type listener struct {
	next  func() error
	close func()
}

// pushLatency changes the state repeatedly and returns the p99 over all listeners in ms per round.
// change must produce different states for i and i+1.
func (m *bench) pushLatency(
	listeners int, open func() (listener, error), change func(i int) error,
) (p99 []float64, err error) {
	if err := change(0); err != nil {
		return nil, err
	}
	arrived := make(chan time.Time, listeners)
	broken := make(chan error, listeners)
	for range listeners {
		l, err := open()
		if err != nil {
			return nil, err
		}
		defer l.close()
		go func() { // ends when its connection is closed
			for {
				if err := l.next(); err != nil {
					broken <- err
					return
				}
				arrived <- time.Now()
			}
		}()
	}
	changes := 400
	if listeners > 1 {
		changes = 60
	}
	const warmUp = 10
	number := 0
	for range m.run.Rounds {
		var took []time.Duration
		for i := range changes + warmUp {
			began := time.Now()
			number++
			if err := change(number); err != nil {
				return nil, err
			}
			for range listeners {
				select {
				case at := <-arrived:
					if i >= warmUp {
						took = append(took, at.Sub(began))
					}
				case err := <-broken:
					return nil, err
				case <-time.After(10 * time.Second):
					return nil, errors.New("a listener received no event for 10 s")
				}
			}
		}
		p99 = append(p99, gauge.Millis(gauge.Percentile(took, 99)))
	}
	return p99, nil
}

// openEvents subscribes to our event stream and reads its first event, the current state.
func (m *bench) openEvents() (listener, error) {
	conn, err := m.ours.Dial()
	if err != nil {
		return listener{}, err
	}
	next := func() error {
		for {
			line, err := conn.Line()
			if err != nil || bytes.HasPrefix(line, []byte(`data: {"version":`)) {
				return err
			}
		}
	}
	if err = conn.Send("GET", "/events", ""); err == nil {
		err = next()
	}
	return listener{next, conn.Close}, err
}

// openMPDIdle subscribes with MPD's idle command, which reports one change per call.
func (m *bench) openMPDIdle() (listener, error) {
	conn, err := m.mpd.Dial()
	if err != nil {
		return listener{}, err
	}
	next := func() error {
		_, err := conn.Do("idle options")
		return err
	}
	return listener{next, conn.Close}, nil
}
