package sound

import (
	"fmt"
	"math/rand/v2"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/peer"
	"waxwing/bench/table"
)

// commandsPerRound is how often each command is sent per round and player.
const commandsPerRound = 12

// command is one that changes what the sink plays.
type command int

const (
	next command = iota
	pause
	resume
	commands
)

// side is one of the players. send sends a command and returns when it is acknowledged.
type side struct {
	send                  func(command) error
	acknowledged, audible [commands][]time.Duration // of this round
	// p50 and p95 per round, in ms
	ack95, audible50, audible95 [commands][]float64
}

// latencies sends commands to both players in turn and records the sink.
func (s *fixture) latencies() ([]table.Row, error) {
	rec, err := s.pulse.Record()
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	if err := s.queue(above, below); err != nil {
		return nil, err
	}
	conn, err := s.player.Player.Dial()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	paths := [commands]string{"/next", "/pause", "/play"}
	ours := &side{send: func(c command) error {
		_, err := conn.Time("POST", paths[c], "")
		return err
	}}
	if _, err := rec.Await(peer.Above); err != nil {
		return nil, err
	}
	if err := ours.send(pause); err != nil {
		return nil, err
	}
	sides := []*side{ours}
	if s.mpd != nil {
		theirs, stop, err := s.prepareMPD()
		if err != nil {
			return nil, err
		}
		defer stop()
		sides = append(sides, theirs)
	}
	for range s.run.Rounds {
		for _, d := range sides {
			if err := d.round(rec); err != nil {
				return nil, err
			}
		}
	}
	return s.rows(sides), nil
}

// prepareMPD queues the two tracks in MPD, paused.
func (s *fixture) prepareMPD() (*side, func(), error) {
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
	d := &side{send: func(c command) error {
		_, err := conn.Do(lines[c])
		return err
	}}
	time.Sleep(time.Second) // it plays by then
	return d, conn.Close, d.send(pause)
}

// round sends every command a few times. The pauses between them vary, so that commands do not
// synchronise with the blocks of the sink.
func (d *side) round(rec *peer.Recorder) error {
	for c := range commands {
		d.acknowledged[c], d.audible[c] = nil, nil
	}
	if err := d.send(resume); err != nil {
		return err
	}
	for range commandsPerRound {
		pauseBetween()
		playing, _ := rec.Now()
		if playing == peer.Silence {
			return fmt.Errorf("silence while playing")
		}
		other := peer.Above + peer.Below - playing
		for _, step := range []struct {
			command
			then peer.Signal
		}{{next, other}, {pause, peer.Silence}, {resume, other}} {
			if err := d.measure(rec, step.command, step.then); err != nil {
				return err
			}
			pauseBetween()
		}
	}
	for c := range commands {
		d.ack95[c] = append(d.ack95[c], gauge.Millis(gauge.Percentile(d.acknowledged[c], 95)))
		d.audible50[c] = append(d.audible50[c], gauge.Millis(gauge.Percentile(d.audible[c], 50)))
		d.audible95[c] = append(d.audible95[c], gauge.Millis(gauge.Percentile(d.audible[c], 95)))
	}
	return d.send(pause)
}

func (d *side) measure(rec *peer.Recorder, c command, then peer.Signal) error {
	began := time.Now()
	if err := d.send(c); err != nil {
		return err
	}
	d.acknowledged[c] = append(d.acknowledged[c], time.Since(began))
	at, err := rec.Await(then)
	d.audible[c] = append(d.audible[c], max(0, at.Sub(began)))
	return err
}

func pauseBetween() { time.Sleep(200*time.Millisecond + rand.N(50*time.Millisecond)) }

func (s *fixture) rows(sides []*side) (rows []table.Row) {
	ms := func(of string, values []float64) table.Figure {
		return table.Figure{Of: of, Values: values, Unit: " ms"}
	}
	add := func(key, what string, limit float64, pick func(*side) []float64) {
		ours := pick(sides[0])
		row := table.Row{
			Key: key, What: what, Ours: ms("ours", ours), Goal: table.AtMost(limit, ours, " ms"), Absent: s.absent,
		}
		if len(sides) > 1 {
			row.Beside = []table.Figure{ms("MPD", pick(sides[1]))}
		}
		if s.run.Wants(key) {
			rows = append(rows, row)
		}
	}
	add(Acknowledged, "pause acknowledged, p95", 1, func(d *side) []float64 { return d.ack95[pause] })
	add(Acknowledged, "next acknowledged, p95", 1, func(d *side) []float64 { return d.ack95[next] })
	add(Sample, "next → first new sample at the sink, p50", 5, func(d *side) []float64 { return d.audible50[next] })
	add(Sample, "next → first new sample at the sink, p95", 10, func(d *side) []float64 { return d.audible95[next] })
	add(
		Sample,
		"play after a pause → first sample at the sink, p50",
		5,
		func(d *side) []float64 { return d.audible50[resume] },
	)
	add(
		Sample,
		"play after a pause → first sample at the sink, p95",
		10,
		func(d *side) []float64 { return d.audible95[resume] },
	)
	add(Silence, "pause → silence at the device, p95", 10, func(d *side) []float64 { return d.audible95[pause] })
	return rows
}
