package controls

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/table"
)

// limits of the p99, in ms, by the number of listeners.
var limits = map[int]float64{1: 1, 100: 5}

// events measures from the sending of a command to the news of it at every listener.
func (m *measuring) events(listeners int) (table.Row, error) {
	speaker, err := m.ours.Dial()
	if err != nil {
		return table.Row{}, err
	}
	defer speaker.Close()
	ours, err := m.pushed(listeners, m.openEvents, func(i int) error {
		_, err := speaker.Time("POST", "/volume", fmt.Sprintf(`{"volume":%d}`, i%100))
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
	commander, err := m.mpd.Dial()
	if err != nil {
		return table.Row{}, err
	}
	defer commander.Close()
	theirs, err := m.pushed(listeners, m.openIdle, func(i int) error {
		_, err := commander.Do(fmt.Sprintf("repeat %d", i%2))
		return err
	})
	row.Beside = []table.Figure{{Of: "MPD idle", Values: theirs, Unit: " ms"}}
	return row, err
}

// listener waits for news: next returns when some has come.
type listener struct {
	next  func() error
	close func()
}

// pushed changes something again and again and returns the p99 of every round over all listeners, in ms. change makes
// the state one that differs between i and i+1.
func (m *measuring) pushed(listeners int, open func() (listener, error), change func(i int) error) (p99 []float64, err error) {
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
		go func() { // until its connection is closed at the end
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
	const warming = 10
	number := 0
	for range m.run.Rounds {
		var took []time.Duration
		for i := range changes + warming {
			began := time.Now()
			number++
			if err := change(number); err != nil {
				return nil, err
			}
			for range listeners {
				select {
				case at := <-arrived:
					if i >= warming {
						took = append(took, at.Sub(began))
					}
				case err := <-broken:
					return nil, err
				case <-time.After(10 * time.Second):
					return nil, errors.New("a listener did not hear of a change for 10 s")
				}
			}
		}
		p99 = append(p99, gauge.Millis(gauge.Percentile(took, 99)))
	}
	return p99, nil
}

// openEvents follows our events; it returns after the first one, which is the state as it is.
func (m *measuring) openEvents() (listener, error) {
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

// openIdle follows MPD's news in its own way: a client asks to be told once, and asks again.
func (m *measuring) openIdle() (listener, error) {
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
