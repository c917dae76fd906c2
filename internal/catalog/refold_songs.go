package catalog

import (
	"context"
	"database/sql"
	"strings"
)

type foldedSong struct {
	num   int64
	facts SongFacts
}

func (s *Store) refoldSongs(ctx context.Context) error {
	return refoldRows(ctx, s, `SELECT num, facts FROM songs WHERE num > $1`,
		func(rows *sql.Rows, last *int64) (song foldedSong, wanted bool, err error) {
			var facts string
			if err := rows.Scan(&song.num, &facts); err != nil {
				return song, false, err
			}
			*last = song.num
			if !mayRefold(facts) {
				return song, false, nil
			}
			song.facts, err = Song{Facts: facts}.Decode()
			return song, true, err
		}, func(t *tx, page []foldedSong) error {
			rows := make([]indexed, len(page))
			byNum := make(map[int64]*SongFacts, len(page))
			nums := make([]int64, len(page))
			for i := range page {
				song := &page[i]
				rows[i] = indexed{song.num, song.facts.words()}
				byNum[song.num], nums[i] = &song.facts, song.num
			}
			if err := t.reindex(ctx, songSearch, rows); err != nil {
				return err
			}
			if err := t.refoldIdentities(ctx, nums, byNum); err != nil {
				return err
			}
			if err := t.refoldShelves(ctx, nums, byNum); err != nil {
				return err
			}
			return t.rewriteTexts(ctx, nums, byNum)
		})
}

func (t *tx) refoldIdentities(ctx context.Context, nums []int64, byNum map[int64]*SongFacts) error {
	var added, removed [][]any
	_, err := collect(ctx, t, "read identities", func(rows *sql.Rows) (none struct{}, err error) {
		var song int64
		var value string
		if err := rows.Scan(&song, &value); err != nil {
			return none, err
		}
		f := byNum[song]
		if f.Artist == nil || f.Album == nil || strings.Count(value, keySeparator) != 4 && !isHashedKey(value) {
			return none, nil
		}
		id := TagIdentity(*f.Artist, *f.Album, f.Title, orZero(f.DiscNumber), orZero(f.TrackNumber))
		if key := shortKey(id.Value); key != value {
			added = append(added, []any{string(ByTags), key, song})
			removed = append(removed, []any{string(ByTags), value, song})
		}
		return none, nil
	}, `SELECT song, value FROM identities WHERE kind = 'tags' AND `+t.d.among("song"), t.d.list(nums))
	if err != nil {
		return err
	}
	if err := t.insertMany(ctx, "rewrite identities", "identities", "kind, value, song", added,
		`ON CONFLICT DO NOTHING`); err != nil {
		return err
	}
	return t.each(ctx, "rewrite identities", `DELETE FROM identities WHERE kind = $1 AND value = $2 AND song = $3`,
		removed)
}

func orZero[T any](v *T) (zero T) {
	if v == nil {
		return zero
	}
	return *v
}

// refoldShelves rewrites the album in the middle of the keys that order an artist's songs.
func (t *tx) refoldShelves(ctx context.Context, nums []int64, byNum map[int64]*SongFacts) error {
	const year, track = len("2000 "), len(" 001 0001")
	var changed [][]any
	_, err := collect(ctx, t, "read shelf keys", func(rows *sql.Rows) (none struct{}, err error) {
		var song, position int64
		var shelf string
		if err := rows.Scan(&song, &position, &shelf); err != nil {
			return none, err
		}
		if album := byNum[song].Album; album != nil && len(shelf) >= year+track {
			key := shelf[:year] + shelfTitle(*album) + shelf[len(shelf)-track:]
			if key != shelf {
				changed = append(changed, []any{key, song, position})
			}
		}
		return none, nil
	}, `SELECT song, position, shelf FROM song_artists WHERE `+t.d.among("song"), t.d.list(nums))
	if err != nil {
		return err
	}
	return t.each(ctx, "rewrite shelf keys", `UPDATE song_artists SET shelf = $1 WHERE song = $2 AND position = $3`,
		changed)
}
