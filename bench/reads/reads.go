// Package reads measures the catalog API over a large catalog, compared with a bare server that
// sends the same bytes and with other catalog servers.
package reads

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/table"
)

// Keys of the rows.
const (
	Page, Peers, Random, Depth, Song, Trending = "page", "peers", "random", "depth", "song", "trending"
)

// slice is the duration of one throughput measurement.
const slice = time.Second

// Measure returns the requested rows.
func Measure(ctx context.Context, run *gauge.Run) ([]table.Row, error) {
	if !run.Wants(Page, Peers, Random, Depth, Song, Trending) {
		return nil, nil
	}
	run.Logf("catalog reads over %d songs", run.Songs)
	data, err := run.FilledCatalog(ctx)
	if err != nil {
		return nil, err
	}
	empty := filepath.Join(run.Temp, "no-music") // nothing to scan
	if err := os.MkdirAll(empty, 0o700); err != nil {
		return nil, err
	}
	ours, _, err := run.StartWaxwing(ctx, gauge.Role{
		Command: "catalog", Data: data, Args: []string{"--scan-every", "0", "--music", empty},
	})
	if err != nil {
		return nil, err
	}
	defer ours.Stop()
	if err := ours.Idle(time.Minute); err != nil {
		return nil, err
	}
	m := &bench{run: run, ours: ours.Catalog}
	var rows []table.Row
	for _, family := range []struct {
		keys    []string
		measure func(context.Context) ([]table.Row, error)
	}{
		{[]string{Page}, m.warmPage},
		{[]string{Random, Depth}, m.randomPages},
		{[]string{Song}, m.oneSong},
		{[]string{Trending}, m.trending},
		{[]string{Peers}, m.peers},
	} {
		if !run.Wants(family.keys...) {
			continue
		}
		more, err := family.measure(ctx)
		rows = append(rows, more...)
		if err != nil {
			return rows, err
		}
	}
	return rows, nil
}

type bench struct {
	run  *gauge.Run
	ours gauge.Target
}

// side is a server in a comparison and the paths to request from it.
type side struct {
	gauge.Target
	path func() string
}

// alternate measures the throughput of all sides per round, after a warm-up round.
func (m *bench) alternate(sides ...side) ([][]float64, error) {
	figures := make([][]float64, len(sides))
	for round := range m.run.Rounds + 1 {
		for i, s := range sides {
			perSecond, err := s.Throughput(slice, s.path)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				figures[i] = append(figures[i], perSecond)
			}
		}
	}
	return figures, nil
}

// compareWithFloor compares ours with a bare server that sends the reply to the path like.
func (m *bench) compareWithFloor(like string, path func() string) (ours, floor []float64, err error) {
	body, err := m.ours.Raw("GET", like, "")
	if err != nil {
		return nil, nil, err
	}
	bare, stop, err := gauge.StartFloor(m.ours, body)
	if err != nil {
		return nil, nil, err
	}
	defer stop()
	figures, err := m.alternate(side{bare, always("/")}, side{m.ours, path})
	if err != nil {
		return nil, nil, err
	}
	return figures[1], figures[0], nil
}

func perSecond(of string, values []float64) table.Figure {
	return table.Figure{Of: of, Values: values, Unit: "/s"}
}

// floorRow is a row whose goal is a fraction of the floor.
func floorRow(key, what string, least float64, ours, floor []float64) table.Row {
	return table.Row{
		Key: key, What: what, Ours: perSecond("ours", ours), Beside: []table.Figure{perSecond("floor", floor)},
		Goal: table.AtLeast(least, gauge.Ratios(ours, floor), " × floor"),
	}
}

func always(path string) func() string { return func() string { return path } }

// shuffled returns the paths in random order, and repeats one only after all were returned.
func shuffled(paths []string) func() string {
	rand.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	var next atomic.Int64
	return func() string { return paths[int(next.Add(1))%len(paths)] }
}

func (m *bench) millions() string {
	if m.run.Songs%1_000_000 == 0 {
		return fmt.Sprintf("%dM songs", m.run.Songs/1_000_000)
	}
	return fmt.Sprintf("%d songs", m.run.Songs)
}
