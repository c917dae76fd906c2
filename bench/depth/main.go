// Depth measures what the table of `make bench` asks of songs for every list of the catalog API, over any number of
// databases in one run: how long the last pages take beside the first ones, and a search as one types.
//
//	go run ./bench/fill --db D1 --songs 1000000 --playlists 20000 --one-artist 50000 --one-album 20000
//	waxwing db move --from D1 --to postgres://…
//	go run ./bench/depth --db D1 --db postgres://…
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/bench/gauge"
	"waxwing/internal/access"
	"waxwing/internal/catalog"
	"waxwing/internal/cataloghttp"
)

func main() {
	var dbs []string
	flag.Func("db", "database that bench/fill has filled (repeatable)", func(db string) error {
		dbs = append(dbs, db)
		return nil
	})
	flag.Parse()
	if err := run(context.Background(), dbs); err != nil {
		fmt.Fprintln(os.Stderr, "depth:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dbs []string) (err error) {
	if len(dbs) == 0 {
		return errors.New("name a database with --db")
	}
	var all []*served
	defer func() {
		for _, s := range all {
			err = errors.Join(err, s.close(ctx))
		}
	}()
	for _, db := range dbs {
		s, err := serve(ctx, db)
		if err != nil {
			return err
		}
		all = append(all, s)
	}
	time.Sleep(5 * time.Second) // as after any start: popular rows are read ahead of the first search
	fmt.Printf("%-34s %-18s %9s %10s %10s %7s\n", "list, pages of 50, each once", "engine", "rows", "first p50", "last p50", "ratio")
	for _, s := range all {
		if s.lists, err = s.findLists(); err != nil {
			return err
		}
	}
	for i := range all[0].lists {
		for _, s := range all {
			if err := s.depth(s.lists[i]); err != nil {
				return err
			}
		}
	}
	return typing(all)
}

// served is a database behind the catalog API.
type served struct {
	engine string
	store  *catalog.Store
	target gauge.Target
	key    string // id
	conn   *gauge.Conn
	lists  []list
}

func serve(ctx context.Context, db string) (s *served, err error) {
	s = &served{}
	if s.store, err = catalog.Open(ctx, catalog.Config{DB: db}); err != nil {
		return nil, err
	}
	s.engine, err = s.store.Engine(ctx)
	if err != nil {
		return nil, err
	}
	s.engine, _, _ = strings.Cut(s.engine, " (")
	owner, err := s.store.EnsureUser(ctx, "Listener")
	if err != nil {
		return nil, err
	}
	secret, hash := access.Mint(access.KeyPrefix)
	key, err := s.store.CreateKey(ctx, catalog.NewKey{Name: "depth", Hash: hash.String(), Owner: owner.Username, Permissions: []string{"read"}})
	if err != nil {
		return nil, err
	}
	s.key = key.ID
	face, err := cataloghttp.New(ctx, cataloghttp.Config{Catalog: s.store, Version: "bench", Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	base, err := gauge.Serve(face)
	if err != nil {
		return nil, err
	}
	s.target = gauge.Target{Base: base, Header: "X-Api-Key", Credential: secret}
	s.conn, err = s.target.Dial()
	return s, err
}

func (s *served) close(ctx context.Context) error {
	s.conn.Close()
	return errors.Join(s.store.RevokeKey(ctx, s.key), s.store.Close())
}
