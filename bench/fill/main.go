// Fill generates a synthetic catalog for benchmarks through the real store.
//
//	go run ./bench/fill --data-dir D --songs 1000000 --artists 60000 --playlists 1000 --plays 200000
//	go run ./bench/fill --db postgres://… --songs 1000000 --one-artist 50000 --one-album 20000
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/sync/errgroup"
	"golang.org/x/term"

	"waxwing/internal/catalog"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "fill:", err)
		os.Exit(1)
	}
}

// size is what to generate.
type size struct{ songs, artists, playlists, entries, plays, played, rated, likes, oneArtist, oneAlbum int }

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("fill", flag.ContinueOnError)
	dir := flags.String("data-dir", "", "data folder; the catalog is its catalog.db")
	db := flags.String("db", "", "database in place of the one in the data folder: a file or a postgres:// URL")
	seed := flags.Uint64("seed", 1, "random seed; the same seed generates the same catalog")
	var n size
	flags.IntVar(&n.songs, "songs", 100_000, "songs to add")
	flags.IntVar(&n.artists, "artists", 0, "number of artists (default: one per 16 songs)")
	flags.IntVar(&n.playlists, "playlists", 100, "number of playlists; the first is the longest")
	flags.IntVar(&n.entries, "longest-playlist", 100_000, "entries of the first playlist; the others have 50")
	flags.IntVar(&n.oneArtist, "one-artist", 0, "songs that feature one common artist")
	flags.IntVar(&n.oneAlbum, "one-album", 0, "songs on one common album")
	flags.IntVar(&n.plays, "plays", 1000, "number of plays; few songs get most of them")
	flags.IntVar(&n.played, "played", 0, "songs that are played once more")
	flags.IntVar(&n.rated, "rated", 0, "number of rated albums")
	flags.IntVar(&n.likes, "likes", 0, "number of liked songs")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *db == "" {
		if *dir == "" {
			return errors.New("no data folder given; use --data-dir or --db")
		}
		if err := os.MkdirAll(*dir, 0o700); err != nil {
			return err
		}
		*db = filepath.Join(*dir, "catalog.db")
	}
	if n.artists == 0 {
		n.artists = max(1, n.songs/16)
	}
	store, err := catalog.Open(ctx, catalog.Config{DB: *db})
	if err != nil {
		return err
	}
	begun := time.Now()
	err = fill(ctx, store, newMusic(*seed, n))
	err = errors.Join(err, store.Close())
	fmt.Fprintf(os.Stderr, "filled in %s\n", time.Since(begun).Round(time.Millisecond))
	return err
}

func fill(ctx context.Context, store *catalog.Store, m *music) error {
	ids, err := ingestSongs(ctx, store, m)
	if err != nil {
		return err
	}
	user, err := store.EnsureUser(ctx, "Listener")
	if err != nil {
		return err
	}
	if err := createPlaylists(ctx, store, user.Viewer(), m, ids); err != nil {
		return err
	}
	if err := recordPlays(ctx, store, user.Viewer(), m, ids); err != nil {
		return err
	}
	if err := rateAlbums(ctx, store, user.Viewer(), m); err != nil {
		return err
	}
	m.random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	for liked := range slices.Chunk(ids[:min(m.size.likes, len(ids))], 500) {
		if err := store.SetLiked(ctx, user.Viewer(), true, liked...); err != nil {
			return err
		}
	}
	return nil
}

// progress is a bar on standard error, or nothing when that is no terminal.
func progress(n int, what string) *progressbar.ProgressBar {
	if !term.IsTerminal(int(os.Stderr.Fd())) {
		return progressbar.DefaultSilent(int64(n), what)
	}
	return progressbar.Default(int64(n), what)
}

func ingestSongs(ctx context.Context, store *catalog.Store, m *music) ([]string, error) {
	ids := make([]string, 0, m.size.songs)
	bar := progress(m.size.songs, "songs")
	for first := 0; first < m.size.songs; first += catalog.BatchLimit {
		batch := make([]catalog.ScannedSong, min(catalog.BatchLimit, m.size.songs-first))
		for i := range batch {
			batch[i] = m.song(first + i)
		}
		got, err := store.IngestSongs(ctx, batch)
		if err != nil {
			return nil, err
		}
		ids = append(ids, got...)
		_ = bar.Add(len(batch)) // a failing terminal must not stop the run
	}
	return ids, store.FinishScan(ctx)
}

func createPlaylists(ctx context.Context, store *catalog.Store, owner catalog.Viewer, m *music, ids []string) error {
	for i := range m.size.playlists {
		n := min(50, len(ids))
		if i == 0 {
			n = min(m.size.entries, len(ids))
		}
		entries := make([]string, n)
		for j := range entries {
			entries[j] = ids[m.random.IntN(len(ids))]
		}
		name := strings.Join([]string{m.word(), m.word()}, " ")
		list := catalog.NewPlaylist{Name: name, Public: i%10 != 9, SongIDs: entries}
		if _, err := store.CreatePlaylist(ctx, owner, list); err != nil {
			return err
		}
	}
	return nil
}

// recordPlays spreads plays over 90 days: some on few songs, and one on each of others at regular
// distances. The store writes concurrent plays together.
func recordPlays(ctx context.Context, store *catalog.Store, listener catalog.Viewer, m *music, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	songs := make([]string, 0, m.size.plays+m.size.played)
	for range m.size.plays {
		songs = append(songs, ids[m.skewed(len(ids))])
	}
	for i := range m.size.played {
		songs = append(songs, ids[i*len(ids)/m.size.played])
	}
	bar := progress(len(songs), "plays")
	now := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(64)
	for i, song := range songs {
		play := catalog.Play{
			SongID: song, Listener: listener, PlayedAt: now.Add(-time.Duration(m.random.Int64N(int64(90 * 24 * time.Hour)))),
			Idempotency: fmt.Sprintf("fill-%d-%d", now.UnixNano(), i),
		}
		group.Go(func() error {
			_, err := store.RecordPlay(ctx, play)
			_ = bar.Add(1) // a failing terminal must not stop the run
			return err
		})
	}
	return group.Wait()
}

// rateAlbums rates albums at regular distances.
func rateAlbums(ctx context.Context, store *catalog.Store, listener catalog.Viewer, m *music) error {
	var albums []string
	for page := int64(1); m.size.rated > 0; page++ {
		listed, total, err := store.Albums(ctx, catalog.Page{Number: page, Limit: 200})
		if err != nil {
			return err
		}
		for _, album := range listed {
			albums = append(albums, album.ID)
		}
		if page*200 >= total {
			break
		}
	}
	byRating := make([][]string, 5)
	rated := min(m.size.rated, len(albums))
	for i := range rated {
		byRating[i%5] = append(byRating[i%5], albums[i*len(albums)/rated])
	}
	for i, ids := range byRating {
		for batch := range slices.Chunk(ids, 500) {
			if err := store.SetRating(ctx, listener, i+1, batch...); err != nil {
				return err
			}
		}
	}
	return nil
}
