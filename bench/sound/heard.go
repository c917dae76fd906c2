package sound

import (
	"fmt"
	"math/rand/v2"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/peer"
	"waxwing/bench/table"
)

// triesPerRound is how often each command is given in a round, by each player.
const triesPerRound = 12

// command is one that a listener notices.
type command int

const (
	next command = iota
	pause
	resume
	commands
)

// deck is a player under command: give sends a command and returns when it is acknowledged.
type deck struct {
	give                  func(command) error
	acknowledged, noticed [commands][]time.Duration // of this round
	// p50 and p95 of each round, in ms
	ack95, heard50, heard95 [commands][]float64
}

// heard gives commands to both players in turn and listens for what comes of them.
func (s *stage) heard() ([]table.Row, error) {
	ear, err := s.pulse.Listen()
	if err != nil {
		return nil, err
	}
	defer ear.Close()
	if err := s.queue(above, below); err != nil {
		return nil, err
	}
	conn, err := s.player.Player.Dial()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	paths := [commands]string{"/next", "/pause", "/play"}
	ours := &deck{give: func(c command) error {
		_, err := conn.Time("POST", paths[c], "")
		return err
	}}
	if _, err := ear.Await(peer.Above); err != nil {
		return nil, err
	}
	if err := ours.give(pause); err != nil {
		return nil, err
	}
	decks := []*deck{ours}
	if s.mpd != nil {
		theirs, stop, err := s.cueMPD()
		if err != nil {
			return nil, err
		}
		defer stop()
		decks = append(decks, theirs)
	}
	for range s.run.Rounds {
		for _, d := range decks {
			if err := d.round(ear); err != nil {
				return nil, err
			}
		}
	}
	return s.rows(decks), nil
}

// cueMPD has MPD ready to play the two pieces, paused.
func (s *stage) cueMPD() (*deck, func(), error) {
	conn, err := s.mpd.Dial()
	if err != nil {
		return nil, nil, err
	}
	if err := conn.Update(); err != nil {
		return nil, nil, err
	}
	for _, line := range []string{"clear", "add " + above, "add " + below, "repeat 1", "play 0"} {
		if _, err := conn.Do(line); err != nil {
			return nil, nil, err
		}
	}
	lines := [commands]string{"next", "pause 1", "pause 0"}
	d := &deck{give: func(c command) error {
		_, err := conn.Do(lines[c])
		return err
	}}
	time.Sleep(time.Second) // it plays by then, whatever is heard of it now
	return d, conn.Close, d.give(pause)
}

// round gives every command a few times. Between them the player has time to settle, by a little more or less each
// time, so that no command falls into step with the blocks of the sink.
func (d *deck) round(ear *peer.Ear) error {
	for c := range commands {
		d.acknowledged[c], d.noticed[c] = nil, nil
	}
	if err := d.give(resume); err != nil {
		return err
	}
	for range triesPerRound {
		settle()
		playing, _ := ear.Now()
		if playing == peer.Silence {
			return fmt.Errorf("silence where music should be")
		}
		other := peer.Above + peer.Below - playing
		for _, step := range []struct {
			command
			then peer.Heard
		}{{next, other}, {pause, peer.Silence}, {resume, other}} {
			if err := d.try(ear, step.command, step.then); err != nil {
				return err
			}
			settle()
		}
	}
	for c := range commands {
		d.ack95[c] = append(d.ack95[c], gauge.Millis(gauge.Percentile(d.acknowledged[c], 95)))
		d.heard50[c] = append(d.heard50[c], gauge.Millis(gauge.Percentile(d.noticed[c], 50)))
		d.heard95[c] = append(d.heard95[c], gauge.Millis(gauge.Percentile(d.noticed[c], 95)))
	}
	return d.give(pause)
}

func (d *deck) try(ear *peer.Ear, c command, then peer.Heard) error {
	began := time.Now()
	if err := d.give(c); err != nil {
		return err
	}
	d.acknowledged[c] = append(d.acknowledged[c], time.Since(began))
	at, err := ear.Await(then)
	d.noticed[c] = append(d.noticed[c], max(0, at.Sub(began)))
	return err
}

func settle() { time.Sleep(200*time.Millisecond + rand.N(50*time.Millisecond)) }

func (s *stage) rows(decks []*deck) (rows []table.Row) {
	ms := func(of string, values []float64) table.Figure {
		return table.Figure{Of: of, Values: values, Unit: " ms"}
	}
	add := func(key, what string, limit float64, pick func(*deck) []float64) {
		ours := pick(decks[0])
		row := table.Row{Key: key, What: what, Ours: ms("ours", ours), Goal: table.AtMost(limit, ours, " ms"), Absent: s.absent}
		if len(decks) > 1 {
			row.Beside = []table.Figure{ms("MPD", pick(decks[1]))}
		}
		if s.run.Wants(key) {
			rows = append(rows, row)
		}
	}
	add(Acknowledged, "pause acknowledged, p95", 1, func(d *deck) []float64 { return d.ack95[pause] })
	add(Acknowledged, "next acknowledged, p95", 1, func(d *deck) []float64 { return d.ack95[next] })
	add(Sample, "next → first new sample at the sink, p50", 5, func(d *deck) []float64 { return d.heard50[next] })
	add(Sample, "next → first new sample at the sink, p95", 10, func(d *deck) []float64 { return d.heard95[next] })
	add(Sample, "play after a pause → first sample at the sink, p50", 5, func(d *deck) []float64 { return d.heard50[resume] })
	add(Sample, "play after a pause → first sample at the sink, p95", 10, func(d *deck) []float64 { return d.heard95[resume] })
	add(Silence, "pause → silence at the device, p95", 10, func(d *deck) []float64 { return d.heard95[pause] })
	return rows
}
