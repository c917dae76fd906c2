package sound

import (
	"context"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/table"
)

// resources measures both players while they play the same long track.
func (s *fixture) resources(ctx context.Context) (rows []table.Row, err error) {
	for _, piece := range []struct{ name, what string }{{longFLAC, "FLAC"}, {long, "MP3"}} {
		if err := s.playBoth(piece.name); err != nil {
			return nil, err
		}
		if s.run.Wants(CPU) {
			s.run.Logf("processor time while playing %s, for %v", piece.what, s.run.Window)
		}
		row, err := s.watch(ctx, "processor time while playing "+piece.what)
		if err != nil {
			return nil, err
		}
		if s.run.Wants(CPU) {
			rows = append(rows, row)
		}
	}
	if !s.run.Wants(Memory) {
		return rows, nil
	}
	ours, err := s.player.Memory()
	if err != nil {
		return nil, err
	}
	row := table.Row{
		Key: Memory, What: "memory, player alone, playing", Ours: megabytes("ours", ours),
		Goal: table.AtMost(25, []float64{ours}, " MB"), Absent: s.absent,
	}
	if s.mpd != nil {
		theirs, err := s.mpd.Memory()
		if err != nil {
			return nil, err
		}
		row.Beside = []table.Figure{megabytes("MPD", theirs)}
	}
	return append(rows, row), nil
}

func megabytes(of string, v float64) table.Figure {
	return table.Figure{Of: of, Values: []float64{v}, Unit: " MB"}
}

func (s *fixture) playBoth(piece string) error {
	if err := s.queue(piece); err != nil {
		return err
	}
	if s.mpd == nil {
		return nil
	}
	conn, err := s.mpd.Dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.Update(); err != nil {
		return err
	}
	for _, line := range []string{"clear", "add " + piece, "repeat 1", "play 0"} {
		if _, err := conn.Do(line); err != nil {
			return err
		}
	}
	return nil
}

// watch measures the processor time of both players in percent of one core.
func (s *fixture) watch(ctx context.Context, what string) (table.Row, error) {
	processes := []*gauge.Process{s.player.Process}
	if s.mpd != nil {
		processes = append(processes, s.mpd.Process)
	}
	select { // let both fill their buffers
	case <-ctx.Done():
		return table.Row{}, ctx.Err()
	case <-time.After(3 * time.Second):
	}
	used, err := gauge.Watch(ctx, s.run.Window, s.run.Rounds, processes...)
	if err != nil {
		return table.Row{}, err
	}
	row := table.Row{Key: CPU, What: what, Ours: table.Figure{Values: used[0], Unit: " %"}, Absent: s.absent}
	if s.mpd != nil {
		row.Beside = []table.Figure{{Of: "MPD", Values: used[1], Unit: " %"}}
		row.Goal = table.AtMost(2, gauge.Ratios(used[0], used[1]), " × MPD")
	}
	return row, nil
}
