// Databases compares database engines in one run over catalogs with the same content: the last
// pages of every list against the first ones, search as a person types, and requests per second.
//
//	go run ./bench/fill --db D1 --songs 1000000 --playlists 10000 \
//		--one-artist 50000 --one-album 20000 --likes 20000 --plays 20000 --played 100000 --rated 27000
//	waxwing db move --from D1 --to postgres://…
//	make databases DB="D1 postgres://…"
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	var dbs []string
	flag.Func("db", "database filled by bench/fill (repeatable)", func(db string) error {
		dbs = append(dbs, db)
		return nil
	})
	rounds := flag.Int("rounds", 5, "number of rounds")
	file := flag.String("w", "", "file for the results")
	flag.Parse()
	if err := run(context.Background(), dbs, *rounds, *file); err != nil {
		fmt.Fprintln(os.Stderr, "databases:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dbs []string, rounds int, file string) (err error) {
	if len(dbs) == 0 {
		return errors.New("no database given; use --db")
	}
	began := time.Now()
	var m report
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
	time.Sleep(20 * time.Second) // a server prepares popular rows and long lists after its start
	if err := m.measure(rounds); err != nil {
		return err
	}
	var text bytes.Buffer // written at last, because the page names a revision without changes
	if err := m.write(&text, rounds, time.Since(began)); err != nil {
		return err
	}
	if file != "" {
		if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	_, err = text.WriteTo(os.Stdout)
	return err
}

// report holds the servers and their results.
type report struct {
	all  []*server
	used map[string]bool // search queries sent so far
}

func (m *report) measure(rounds int) (err error) {
	m.used = make(map[string]bool)
	for _, s := range m.all {
		if s.lists, err = s.findLists(); err != nil {
			return err
		}
		if err := s.sampleSongs(); err != nil {
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
		for _, s := range m.all {
			if err := s.personalPages(round); err != nil {
				return err
			}
			if err := s.firstOfSmart(round); err != nil {
				return err
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
