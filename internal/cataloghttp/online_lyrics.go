package cataloghttp

import (
	"context"
	"errors"
	"hash/maphash"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"waxwing/internal/catalog"
	"waxwing/internal/lyrics"
	"waxwing/internal/lyrics/lrclib"
)

// FindLyrics looks up the text of a song at a lyrics server; ok is false if it has none. An error
// that is not a ReplyError means that the server cannot be used now.
type FindLyrics func(ctx context.Context, song lrclib.Song) (text lyrics.Text, ok bool, err error)

const (
	maxLookups  = 2              // at once
	missedFor   = 24 * time.Hour // how long a song without text is not looked up again
	maxMissed   = 10_000         // songs
	serverPause = time.Minute    // after a failure of the lyrics server
	warnEvery   = time.Hour
)

// onlineLyrics looks up the lyrics of songs that have none in their files. Texts are stored in the
// catalog; songs without text are remembered in memory. No failure reaches a client: the song has
// no lyrics then.
type onlineLyrics struct {
	ctx     context.Context //nolint:containedctx // of the server: a lookup outlives the request that started it
	find    FindLyrics
	store   *catalog.Store
	log     *slog.Logger
	seed    maphash.Seed
	slots   chan struct{}
	flights singleflight.Group // by id of the song

	mu     sync.Mutex
	missed map[uint64]time.Time // by hash of the song: when it may be looked up again
	retry  time.Time            // when the server may be used again
	warned time.Time
}

func newOnlineLyrics(ctx context.Context, cfg Config) *onlineLyrics {
	return &onlineLyrics{
		ctx: ctx, find: cfg.FindLyrics, store: cfg.Catalog, log: cfg.Log, seed: maphash.MakeSeed(),
		slots: make(chan struct{}, maxLookups), missed: make(map[uint64]time.Time),
	}
}

// completeLyrics looks up the lyrics of a song that has none, before they are read.
func (s *server) completeLyrics(r *http.Request, p *params) error {
	ctx, cancel := context.WithTimeout(r.Context(), databaseTimeout)
	defer cancel()
	id := r.PathValue("song_id")
	texts, err := s.store.Lyrics(ctx, id)
	if err != nil {
		return err
	}
	if len(texts) > 0 {
		p.online = texts[0].Source == lyrics.Online
		return nil
	}
	found, _, _ := s.online.flights.Do(id, func() (any, error) { return s.online.complete(id), nil })
	p.online = found.(bool)
	return nil
}

// complete looks up a song and stores its text. It reports whether there is one.
func (o *onlineLyrics) complete(id string) bool {
	ctx, cancel := context.WithTimeout(o.ctx, lrclib.Timeout)
	defer cancel()
	song, err := o.describe(ctx, id)
	if err != nil {
		o.log.DebugContext(ctx, "cannot look up lyrics", "song", id, "err", err)
		return false
	}
	key := maphash.Comparable(o.seed, song)
	if song.Title == "" || song.Artist == "" || !o.due(key) {
		return false
	}
	select {
	case o.slots <- struct{}{}:
		defer func() { <-o.slots }()
	case <-ctx.Done():
		return false
	}
	if !o.due(key) { // the server failed meanwhile
		return false
	}
	text, ok, err := o.find(ctx, song)
	o.record(key, ok, err)
	if !ok || err != nil {
		return false
	}
	store, cancel := context.WithTimeout(o.ctx, databaseTimeout)
	defer cancel()
	if err := o.store.PutOnlineLyrics(store, id, text); err != nil {
		o.log.WarnContext(ctx, "cannot store lyrics", "song", id, "err", err)
		return false
	}
	return true
}

// describe returns what the lyrics server is told about a song.
func (o *onlineLyrics) describe(ctx context.Context, id string) (lrclib.Song, error) {
	row, err := o.store.Song(ctx, id)
	if err != nil {
		return lrclib.Song{}, err
	}
	facts, err := row.Decode()
	if err != nil {
		return lrclib.Song{}, err
	}
	song := lrclib.Song{Title: facts.Title, Duration: time.Duration(facts.Duration) * time.Millisecond}
	if facts.Artist != nil {
		song.Artist = *facts.Artist
	}
	if facts.Album != nil {
		song.Album = *facts.Album
	}
	return song, nil
}

// due reports whether a song may be looked up now.
func (o *onlineLyrics) due(key uint64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	return now.After(o.retry) && now.After(o.missed[key])
}

// record remembers the result of a lookup and logs a failure.
func (o *onlineLyrics) record(key uint64, ok bool, err error) {
	if o.ctx.Err() != nil {
		return // the server shuts down
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	var unusable *lrclib.ReplyError
	switch {
	case err != nil && !errors.As(err, &unusable):
		o.retry = now.Add(serverPause)
	case ok:
		delete(o.missed, key)
	default:
		o.miss(key, now)
	}
	if err == nil {
		return
	}
	level := slog.LevelDebug
	if now.Sub(o.warned) >= warnEvery {
		level, o.warned = slog.LevelWarn, now
	}
	o.log.Log(o.ctx, level, "cannot look up lyrics; check --lyrics-url, or remove it (further failures of this "+
		"hour are logged at debug level)", "err", err)
}

// miss remembers a song without text. o.mu must be held.
func (o *onlineLyrics) miss(key uint64, now time.Time) {
	if len(o.missed) >= maxMissed {
		for k, until := range o.missed {
			if now.After(until) {
				delete(o.missed, k)
			}
		}
	}
	for k := range o.missed {
		if len(o.missed) < maxMissed {
			break
		}
		delete(o.missed, k) // any
	}
	o.missed[key] = now.Add(missedFor)
}
