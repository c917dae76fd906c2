// Depth measures the databases side by side in one run, over catalogs that hold the same: how long the last pages of
// every list take beside the first ones, a search as one types, and how many requests a second are answered.
//
//	go run ./bench/fill --db D1 --songs 1000000 --playlists 10000 --one-artist 50000 --one-album 20000
//	waxwing db move --from D1 --to postgres://…
//	make databases DB="D1 postgres://…"
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

func main() {
	var dbs []string
	flag.Func("db", "database that bench/fill has filled (repeatable)", func(db string) error {
		dbs = append(dbs, db)
		return nil
	})
	rounds := flag.Int("rounds", 5, "how often each figure is taken")
	file := flag.String("w", "", "file for the results")
	flag.Parse()
	if err := run(context.Background(), dbs, *rounds, *file); err != nil {
		fmt.Fprintln(os.Stderr, "depth:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dbs []string, rounds int, file string) (err error) {
	if len(dbs) == 0 {
		return errors.New("name a database with --db")
	}
	began := time.Now()
	var m measured
	defer func() {
		for _, s := range m.all {
			err = errors.Join(err, s.close(ctx))
		}
	}()
	for _, db := range dbs {
		s, err := serve(ctx, db)
		if err != nil {
			return err
		}
		m.all = append(m.all, s)
	}
	time.Sleep(5 * time.Second) // as after any start: popular rows are read ahead of the first search
	if err := m.measure(rounds); err != nil {
		return err
	}
	out := io.Writer(os.Stdout)
	if file != "" {
		f, err := os.Create(file)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		out = io.MultiWriter(f, os.Stdout)
	}
	return m.write(out, rounds, time.Since(began))
}

// measured are the servers with all that was found out about them.
type measured struct {
	all   []*served
	asked map[string]bool // searches
}

func (m *measured) measure(rounds int) (err error) {
	m.asked = make(map[string]bool)
	for _, s := range m.all {
		if s.lists, err = s.findLists(); err != nil {
			return err
		}
		if err := s.someSongs(); err != nil {
			return err
		}
	}
	for round := range rounds {
		for i := range m.all[0].lists {
			for _, s := range m.all {
				if err := s.depth(s.lists[i], round, rounds); err != nil {
					return err
				}
			}
		}
		if err := m.typing(40); err != nil {
			return err
		}
		for _, k := range kinds {
			for _, s := range m.all {
				if err := s.rate(k); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
