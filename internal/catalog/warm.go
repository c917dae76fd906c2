package catalog

import (
	"context"
	"fmt"
	"time"
)

const (
	// warmPause is how long songs must stay unchanged before smart playlists are evaluated again. It
	// is longer than the interval in which a scan publishes its changes.
	warmPause = 2 * scanBump
	// warmBytes limits what the evaluation in advance keeps in the cache, which others use, too.
	warmBytes     = maxOrderBytes / 2
	warmPlaylists = 200 // those changed last
	// walkedLists is from how many songs on lists are walked in advance. A page of a shorter list is
	// found in a few milliseconds without bookmarks.
	walkedLists = 50_000
	walkStep    = 5 * bookmarkSpacing
)

// warm prepares what a listener would wait for, until ctx is done: bookmarks of long lists and the
// songs of smart playlists. It does so at once, and again after songs, rules, or the likes and
// plays of users changed.
func (s *Store) warm(ctx context.Context) {
	for walked := int64(-1); ; {
		view := s.View()
		changed := walked != view.songsChanged
		for _, reader := range s.readers() {
			if reader.prepare(ctx, changed) {
				walked = view.songsChanged
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-view.Superseded():
		}
		for songs := int64(-1); songs != s.View().songsChanged; {
			songs = s.View().songsChanged
			select {
			case <-ctx.Done():
				return
			case <-time.After(warmPause):
			}
		}
	}
}

// prepare prepares lists and smart playlists once, and reports whether all lists are prepared.
func (s *Store) prepare(ctx context.Context, songsChanged bool) (walked bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.pin != nil {
		s.pin.end = cancel
	}
	err := s.walkLists(ctx, songsChanged)
	if err != nil && ctx.Err() == nil {
		s.log.DebugContext(ctx, "cannot prepare lists in advance", "err", err)
	}
	walked = err == nil
	if err := s.evaluateSmart(ctx); err != nil && ctx.Err() == nil {
		s.log.DebugContext(ctx, "cannot evaluate smart playlists in advance", "err", err)
	}
	return walked
}

// walkLists reads rows of songs by plays and, if songs changed, of all orders of songs, albums and
// artists, so that each of their pages is near a bookmark.
func (s *Store) walkLists(ctx context.Context, songsChanged bool) error {
	if !s.bookmarks.walk(s.View().Songs) {
		return nil
	}
	songs := func(sort string) func(Page) (int64, error) {
		return func(page Page) (int64, error) {
			_, total, err := s.ListSongs(ctx, SongQuery{Sort: sort}, page)
			return total, err
		}
	}
	lists := []func(Page) (int64, error){songs(sortPlays)}
	if songsChanged {
		for _, sort := range SongSorts() {
			lists = append(lists, songs(sort))
		}
		for _, sort := range AlbumSorts() {
			lists = append(lists, func(page Page) (int64, error) {
				_, total, err := s.ListAlbums(ctx, AlbumQuery{Sort: sort}, page)
				return total, err
			})
		}
		for _, ofAlbums := range []bool{false, true} {
			lists = append(lists, func(page Page) (int64, error) {
				_, total, err := s.ListArtists(ctx, ArtistQuery{OfAlbums: ofAlbums}, page)
				return total, err
			})
		}
	}
	for _, read := range lists {
		for page, total := int64(1), int64(1); page <= total; page += walkStep {
			var err error
			if total, err = read(Page{Number: page, Limit: 1}); err != nil {
				return err
			}
		}
	}
	return nil
}

// evaluateSmart evaluates the smart playlists that are not in the cache, as far as they fit.
func (s *Store) evaluateSmart(ctx context.Context) error {
	playlists, err := collect(ctx, s.read, "list smart playlists", scanPlaylist, fmt.Sprintf(`SELECT `+playlistColumns+`
		FROM playlists p JOIN users u ON u.num = p.owner WHERE p.rules IS NOT NULL ORDER BY p.updated_at DESC LIMIT %d`,
		warmPlaylists))
	if err != nil {
		return err
	}
	begun := s.orders.time()
	for i := range playlists {
		list, err := s.smartList(playlists[i])
		if err != nil {
			return err
		}
		if _, err := s.nums(ctx, list); err != nil {
			return err
		}
		if err := s.countSmart(ctx, &playlists[i]); err != nil {
			return err
		}
		if s.orders.usedSince(begun) > warmBytes {
			return nil
		}
	}
	return nil
}
