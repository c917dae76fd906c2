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
)

// warmSmart evaluates smart playlists before a listener opens them, until ctx is done: at once, and
// again after songs, rules, or the likes and plays of users changed.
func (s *Store) warmSmart(ctx context.Context) {
	for {
		view := s.View()
		if err := s.evaluateSmart(ctx); err != nil && ctx.Err() == nil {
			s.log.DebugContext(ctx, "cannot evaluate smart playlists in advance", "err", err)
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
