package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // reads the size of a PostgreSQL database

	"waxwing/internal/catalog"
)

// measure fills a small catalog and measures the disk space of a song and the rate of plays.
func (f *figures) measure(ctx context.Context, db string, songs int) (err error) {
	if f.pageBytes, err = pageBytes(); err != nil {
		return err
	}
	if db == "" {
		dir, err := os.MkdirTemp("", "waxwing-sizing-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }() // temporary
		db = filepath.Join(dir, "catalog.db")
	}
	empty, err := sizeOf(ctx, db)
	if err != nil {
		return err
	}
	fill := exec.CommandContext(ctx, "go", "run", "./bench/fill", "--db", db,
		"--songs", fmt.Sprint(songs), "--playlists", "1", "--plays", "0")
	if out, err := fill.CombinedOutput(); err != nil {
		return fmt.Errorf("fill a catalog: %w\n%s", err, out)
	}
	full, err := sizeOf(ctx, db)
	if err != nil {
		return err
	}
	f.songBytes = (full - empty) / float64(songs)
	store, err := catalog.Open(ctx, catalog.Config{DB: db})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if f.engine, err = store.Engine(ctx); err != nil {
		return err
	}
	f.plays, err = playsPerSecond(ctx, store)
	return err
}

// sizeOf returns the size of a database, or 0 if the file does not exist.
func sizeOf(ctx context.Context, db string) (float64, error) {
	if !strings.HasPrefix(db, "postgres") {
		info, err := os.Stat(db)
		if errors.Is(err, os.ErrNotExist) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		return float64(info.Size()), nil
	}
	conn, err := sql.Open("pgx", db)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }() // only read
	var size float64
	if err := conn.QueryRowContext(ctx, `SELECT pg_database_size(current_database())`).Scan(&size); err != nil {
		return 0, fmt.Errorf("read the size of the database: %w", err)
	}
	return size, nil
}

// playsPerSecond records plays from concurrent players; each is on disk before it is acknowledged.
func playsPerSecond(ctx context.Context, store *catalog.Store) (float64, error) {
	const players, watched = 16, 5 * time.Second
	user, err := store.EnsureUser(ctx, "Listener")
	if err != nil {
		return 0, err
	}
	songs, _, err := store.Songs(ctx, catalog.Page{Number: 1, Limit: 200})
	if err != nil {
		return 0, err
	}
	began := time.Now()
	var recorded atomic.Int64
	failed := make([]error, players)
	var all sync.WaitGroup
	for p := range players {
		all.Go(func() {
			for i := p; time.Since(began) < watched && failed[p] == nil; i++ {
				at := began.Add(-time.Duration(i) * time.Hour) // far enough apart that each one counts
				_, failed[p] = store.RecordPlay(ctx, catalog.Play{
					SongID: songs[i%len(songs)].ID, Listener: user.Viewer(), PlayedAt: at,
					Idempotency: fmt.Sprintf("sizing-%d-%d", p, i),
				})
				recorded.Add(1)
			}
		})
	}
	all.Wait()
	return float64(recorded.Load()) / time.Since(began).Seconds(), errors.Join(failed...)
}

// pageBytes returns the length of a page of 50 songs, computed from a golden reply of the tests.
func pageBytes() (float64, error) {
	text, err := os.ReadFile("e2e/testdata/golden/songs.json")
	if err != nil {
		return 0, fmt.Errorf("run this from the repository's root: %w", err)
	}
	var page struct{ Songs []json.RawMessage }
	if err := json.Unmarshal(text, &page); err != nil {
		return 0, err
	}
	total := 0
	for _, s := range page.Songs {
		packed, err := json.Marshal(s)
		if err != nil {
			return 0, err
		}
		total += len(packed)
	}
	return 50 * float64(total) / float64(len(page.Songs)), nil
}
