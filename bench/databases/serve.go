package main

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/bench/gauge"
	"waxwing/internal/access"
	"waxwing/internal/catalog"
	"waxwing/internal/cataloghttp"
)

// server is a catalog API over one database.
type server struct {
	engine string
	store  *catalog.Store
	target gauge.Target
	key    string // id
	conn   *gauge.Conn

	lists    []*list
	ids      []string             // of some songs
	searches [][]time.Duration    // all of them, by kind of query
	p50, p99 []float64            // of searches, per round, in milliseconds
	rates    map[string][]float64 // requests per second by kind and round

	listener   catalog.Viewer
	smart      string        // id of a smart playlist
	evaluated  time.Duration // time that its rules took
	smartPages []float64     // milliseconds of its first page, per round
	plain, own []float64     // microseconds of pages without and with personal data, per round
}

func serve(ctx context.Context, db string) (s *server, err error) {
	s = &server{rates: make(map[string][]float64), searches: make([][]time.Duration, len(queryKinds))}
	if s.store, err = catalog.Open(ctx, catalog.Config{DB: db, Serves: true}); err != nil {
		return nil, err
	}
	if err := s.store.Derive(ctx); err != nil { // the catalog of an older release
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
	key, err := s.store.CreateKey(ctx, catalog.NewKey{
		Name: "bench", Hash: hash.String(), Owner: owner.Username, Permissions: []string{"read"},
	})
	if err != nil {
		return nil, err
	}
	s.key = key.ID
	if err := s.createSmart(ctx, owner.Viewer()); err != nil {
		return nil, err
	}
	handler, err := cataloghttp.New(ctx, cataloghttp.Config{
		Catalog: s.store, Version: "bench", Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	base, err := gauge.Serve(handler)
	if err != nil {
		return nil, err
	}
	s.target = gauge.Target{Base: base, Header: "X-Api-Key", Credential: secret}
	s.conn, err = s.target.Dial()
	return s, err
}

func (s *server) close(ctx context.Context) error {
	s.conn.Close()
	return errors.Join(s.store.DeletePlaylist(ctx, s.listener, s.smart), s.store.RevokeKey(ctx, s.key), s.store.Close())
}
