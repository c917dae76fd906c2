package mpd

import (
	"context"
	"net/http"
	"sync"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/client"
	"waxwing/internal/fault"
	"waxwing/internal/player"
)

const (
	pageSize    = 200
	maxSongs    = 1_000_000       // of a library
	loadTime    = 5 * time.Minute // for all pages
	requestTime = 20 * time.Second
	// dropAfter is how long an unused library stays in memory.
	dropAfter = 3 * time.Minute
	// maxSingle is how many songs are read one by one instead of the whole library.
	maxSingle = 8
	maxRecent = 64
	// limitedWait is how long to wait after a reply that there were too many requests.
	limitedWait = time.Second
	// followTime is how long to wait for the version of the songs.
	followTime = 5 * time.Second
)

// songs reads songs of the catalog: all of them when a client looks at the library, single ones for
// a short queue. What it has read is dropped when the catalog changes or nobody needs it.
type songs struct {
	catalog *client.Catalog

	loading sync.Mutex // one goroutine reads the library

	mu     sync.Mutex
	lib    *library // nil: not in memory
	stale  bool     // the catalog has changed since
	used   time.Time
	recent map[string]*song // by id; songs that were read one by one
	age    uint64           // increases when the catalog changes
	at     int64            // of the last change that was noticed, in Unix seconds

	version  string        // of the songs of the catalog; "": changes are not followed
	followed chan struct{} // closed when version is known or the catalog does not answer
	unsure   bool          // a client may have read songs of an unknown version
}

func newSongs(catalog *client.Catalog) *songs {
	return &songs{catalog: catalog, recent: map[string]*song{}, followed: make(chan struct{})}
}

// cached returns the library if it is in memory and current.
func (s *songs) cached() *library {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lib == nil || s.stale {
		return nil
	}
	s.used = time.Now()
	return s.lib
}

// library returns the library, and reads it if needed.
func (s *songs) library(ctx context.Context) (*library, error) {
	if lib := s.cached(); lib != nil {
		return lib, nil
	}
	s.loading.Lock()
	defer s.loading.Unlock()
	if lib := s.cached(); lib != nil {
		return lib, nil
	}
	ctx, cancel := context.WithTimeout(ctx, loadTime)
	defer cancel()
	s.await(ctx)
	s.mu.Lock()
	age := s.age
	s.mu.Unlock()
	var list []catalogapi.Song
	for c, err := range client.AllSongs(ctx, patient(s.catalog.SongsWithFiles)) {
		if err != nil {
			return nil, catalogError(err, "")
		}
		if list = append(list, c); len(list) == maxSongs {
			break
		}
	}
	lib := newLibrary(list)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lib, s.stale, s.used = lib, s.age != age, time.Now()
	clear(s.recent)
	return lib, nil
}

// patient waits where the catalog limits the rate of requests.
func patient(list client.SongPage) client.SongPage {
	return func(ctx context.Context, page, limit int) (catalogapi.SongList, error) {
		for {
			got, err := list(ctx, page, limit)
			if client.StatusOf(err) != http.StatusTooManyRequests {
				return got, err
			}
			select {
			case <-ctx.Done():
				return got, ctx.Err()
			case <-time.After(limitedWait):
			}
		}
	}
}

// await waits until changes of the catalog are followed, so that no change after it is missed.
func (s *songs) await(ctx context.Context) {
	s.mu.Lock()
	followed := s.followed
	s.mu.Unlock()
	select {
	case <-followed:
	case <-ctx.Done():
	case <-time.After(followTime):
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unsure = s.unsure || s.version == ""
}

// note takes over the version of the songs and reports whether they have changed since a client
// may have read them.
func (s *songs) note(version string, now time.Time) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if version == s.version {
		return false
	}
	changed = s.version != "" || s.unsure
	s.version, s.unsure = version, false
	s.stale = true
	s.age++
	clear(s.recent)
	if changed {
		s.at = max(s.at, now.Unix())
	}
	s.releaseLocked()
	return changed
}

// has reports whether a version is the newest that is known.
func (s *songs) has(version string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return version == s.version
}

// release ends await, though the catalog does not answer.
func (s *songs) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releaseLocked()
}

func (s *songs) releaseLocked() {
	select {
	case <-s.followed:
	default:
		close(s.followed)
	}
}

// forget drops everything: changes are no longer followed. clients is set if a client has come
// meanwhile, which may have read something.
func (s *songs) forget(clients bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.releaseLocked()
	s.version, s.followed, s.unsure = "", make(chan struct{}), clients
	s.lib = nil
	s.age++
	clear(s.recent)
}

// lastChange is when the catalog last changed, as far as noticed, in Unix seconds.
func (s *songs) lastChange() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at
}

// expire drops a library that nobody uses, until ctx is done.
func (s *songs) expire(ctx context.Context) {
	tick := time.NewTicker(dropAfter / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			s.mu.Lock()
			if s.lib != nil && now.Sub(s.used) > dropAfter {
				s.lib = nil
			}
			s.mu.Unlock()
		}
	}
}

// ofTracks returns the songs of queued tracks. Those that the catalog does not have are described
// by their tracks; so are all if it is unreachable.
func (s *songs) ofTracks(ctx context.Context, tracks []player.Track) []*song {
	found := make([]*song, len(tracks))
	missing := 0
	lib := s.cached()
	s.mu.Lock()
	for i, t := range tracks {
		if found[i] = s.recent[t.ID]; found[i] == nil && lib != nil {
			found[i] = lib.byID[t.ID]
		}
		if found[i] == nil && t.URL == "" {
			missing++
		}
	}
	s.mu.Unlock()
	if missing > maxSingle && lib == nil {
		if lib, err := s.library(ctx); err == nil {
			for i, t := range tracks {
				found[i] = lib.byID[t.ID]
			}
			missing = 0
		}
	}
	for i, t := range tracks {
		if found[i] == nil && t.URL == "" && missing > 0 && missing <= maxSingle {
			found[i] = s.single(ctx, t.ID)
			missing--
		}
		if found[i] == nil {
			found[i] = songOfTrack(t)
		}
	}
	return found
}

// single reads one song; nil if that fails. It is remembered under its real path, which is right
// for all but files of the same path in two music folders.
func (s *songs) single(ctx context.Context, id string) *song {
	s.mu.Lock()
	known, age := s.recent[id], s.age
	s.mu.Unlock()
	if known != nil {
		return known
	}
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	c, err := s.catalog.SongWithFile(ctx, id)
	if err != nil {
		return nil
	}
	one := newSong(c, (&library{}).freeURI(c))
	s.mu.Lock()
	defer s.mu.Unlock()
	if age == s.age {
		if len(s.recent) >= maxRecent {
			clear(s.recent)
		}
		s.recent[id] = one
	}
	return one
}

// prefetch reads the current song in the background, so that status has its format.
func (s *songs) prefetch(ctx context.Context, st *player.Status) {
	t, ok := st.Current()
	if !ok || t.URL != "" {
		return
	}
	go s.single(ctx, t.ID)
}

// known returns a song without a request; nil if it was not read yet.
func (s *songs) known(id string) *song {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.recent[id]; one != nil {
		return one
	}
	if s.lib != nil {
		return s.lib.byID[id]
	}
	return nil
}

// catalogError converts an error of the catalog; missing is the message for what does not exist.
func catalogError(err error, missing string) error {
	switch status := client.StatusOf(err); {
	case status == http.StatusNotFound && missing != "":
		return ack(codeNoExist, "%s", missing)
	case status == http.StatusForbidden:
		return fault.Wrap(fault.Forbidden, err, "the key of this player may not change the catalog")
	case status == http.StatusConflict || status == http.StatusBadRequest:
		return fault.Wrap(fault.Invalid, err, "the catalog refused the change: %s", err)
	}
	return fault.Wrap(fault.Unavailable, err, "the catalog cannot be reached; check that it is running")
}
