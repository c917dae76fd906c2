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

// served is a database behind the catalog API.
type served struct {
	engine string
	store  *catalog.Store
	target gauge.Target
	key    string // id
	conn   *gauge.Conn

	lists    []*list
	ids      []string             // of some songs
	searches [][]time.Duration    // all of them, by way
	p50, p99 []float64            // of searches, by round, in milliseconds
	rates    map[string][]float64 // requests a second by kind and round
}

func serve(ctx context.Context, db string) (s *served, err error) {
	s = &served{rates: make(map[string][]float64), searches: make([][]time.Duration, len(ways))}
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
	server, err := cataloghttp.New(ctx, cataloghttp.Config{Catalog: s.store, Version: "bench", Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	base, err := gauge.Serve(server)
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
