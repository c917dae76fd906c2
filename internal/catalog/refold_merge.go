package catalog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// mergedKey begins the key of a row that was merged into another. No name has such a key, and the
// row stays, so that its username is never given again.
const mergedKey = keySeparator + "merged" + keySeparator

func isMergedKey(key string) bool { return strings.HasPrefix(key, mergedKey) }

// mergeArtists merges the artists of one key by the rules of artistResolver.resolve, as if their
// songs had been ingested in the order of num: the oldest artist takes the songs of all others
// whose MusicBrainz ids do not keep them apart.
func (t *tx) mergeArtists(ctx context.Context, key string) error {
	found, err := collect(ctx, t, "find artists of one key", scanFoldedArtist,
		`SELECT `+foldedArtistColumns+` FROM artists WHERE name_key = $1 ORDER BY num`, key)
	if err != nil {
		return err
	}
	var kept []*foldedArtist
	for i := range found {
		a := &found[i]
		into := slices.IndexFunc(kept, func(k *foldedArtist) bool { return a.musicbrainz == "" || k.musicbrainz == "" })
		if into < 0 {
			kept = append(kept, a)
			continue
		}
		if err := t.mergeArtist(ctx, kept[into], a); err != nil {
			return err
		}
	}
	return nil
}

// mergeArtist moves the songs, albums and plays of an artist to another, and its MusicBrainz id and
// biography where the other has none.
func (t *tx) mergeArtist(ctx context.Context, into, from *foldedArtist) error {
	replace := func(refs []ArtistRef) []ArtistRef { return replaceArtist(refs, from.ID, into.ArtistRef) }
	err := t.editFacts(ctx, `s.num IN (SELECT song FROM song_artists WHERE artist = $1)`, from.num, func(f *SongFacts) {
		f.Artists = replace(f.Artists)
		if f.ArtistID != nil && *f.ArtistID == from.ID {
			f.ArtistID = &into.ID
		}
	})
	if err != nil {
		return err
	}
	err = t.editAlbumArtists(ctx, from.num, replace)
	if err != nil {
		return err
	}
	if into.musicbrainz == "" {
		into.musicbrainz = from.musicbrainz
	}
	t.addCount(artistsOrder, 1)
	err = t.run(ctx, "merge "+from.ID+" into "+into.ID, []statement{
		{`UPDATE song_artists SET artist = $1 WHERE artist = $2`, []any{into.num, from.num}},
		// A song that credits both is listed once.
		{`UPDATE song_artists SET listed = 0 WHERE artist = $1 AND listed = 1 AND EXISTS (SELECT 1 FROM song_artists o
			WHERE o.song = song_artists.song AND o.artist = $1 AND o.listed = 1 AND o.position < song_artists.position)`,
			[]any{into.num}},
		{`INSERT INTO album_artists (album, artist) SELECT album, CAST($1 AS BIGINT) FROM album_artists WHERE artist = $2
			ON CONFLICT DO NOTHING`, []any{into.num, from.num}},
		{`DELETE FROM album_artists WHERE artist = $1`, []any{from.num}},
		{`DELETE FROM artist_search WHERE rowid = $1`, []any{from.num}},
		{`UPDATE artists SET bio = coalesce(bio, (SELECT o.bio FROM artists o WHERE o.num = $1)) WHERE num = $2`,
			[]any{from.num, into.num}},
		{`UPDATE artists SET name_key = $1, musicbrainz = NULL WHERE num = $2`, []any{mergedKey + from.ID, from.num}},
		{`UPDATE artists SET musicbrainz = $1, updated_at = $2 WHERE num = $3`,
			[]any{null(into.musicbrainz), t.now, into.num}},
		{tombstoneSQL, []any{from.ID, t.now, into.ID}},
	})
	if err != nil {
		return err
	}
	if err := t.recountArtists(ctx, []int64{into.num, from.num}); err != nil {
		return err
	}
	if err := t.mergePersonal(ctx, ArtistItem, into.num, from.num); err != nil {
		return err
	}
	into.ArtistRef, err = t.chooseName(ctx, into.num, into.ArtistRef)
	return err
}

// mergeAlbum moves the songs of an album to another.
func (t *tx) mergeAlbum(ctx context.Context, into, from foldedAlbum) error {
	artists, err := collect(ctx, t, "read album artists", scanNum,
		`SELECT DISTINCT artist FROM album_artists WHERE album IN ($1, $2) ORDER BY artist`, into.num, from.num)
	if err != nil {
		return err
	}
	if err := t.editFacts(ctx, `s.album = $1`, from.num, func(f *SongFacts) { f.AlbumID = &into.id }); err != nil {
		return err
	}
	t.addCount(albumsOrder, 1)
	const recount = `UPDATE albums SET updated_at = $1, song_count = (SELECT count(*) FROM songs WHERE album = $2
		AND available = 1),
		duration = (SELECT coalesce(sum(duration), 0) FROM songs WHERE album = $2 AND available = 1) WHERE num = $2`
	err = t.run(ctx, "merge "+from.id+" into "+into.id, []statement{
		{`UPDATE songs SET album_sort = (SELECT sort_key FROM albums WHERE num = $1) || $3, album = $1 WHERE album = $2`,
			[]any{into.num, from.num, albumSortEnd(into.num)}},
		{`DELETE FROM album_artists WHERE album = $1`, []any{from.num}},
		{`DELETE FROM album_search WHERE rowid = $1`, []any{from.num}},
		{`UPDATE albums SET album_key = $1 WHERE num = $2`, []any{mergedKey + from.id, from.num}},
		{recount, []any{t.now, from.num}},
		{recount, []any{t.now, into.num}},
		{tombstoneSQL, []any{from.id, t.now, into.id}},
	})
	if err != nil {
		return err
	}
	if err := t.mergePersonal(ctx, AlbumItem, into.num, from.num); err != nil {
		return err
	}
	t.addCount(songsChanged, 1)
	if err := t.recountGenres(ctx, into.num, from.num); err != nil {
		return err
	}
	return t.recountArtists(ctx, artists)
}

// recountArtists recomputes the songs, albums and plays of artists.
func (t *tx) recountArtists(ctx context.Context, nums []int64) error {
	rows := make([][]any, len(nums))
	for i, num := range nums {
		rows[i] = []any{num}
	}
	return t.each(ctx, "count artists", `UPDATE artists SET
		song_count = (SELECT count(*) FROM song_artists WHERE artist = $1 AND listed = 1),
		album_count = (SELECT count(*) FROM album_artists x JOIN albums b ON b.num = x.album WHERE x.artist = $1
		AND b.song_count > 0),
		play_count = (SELECT coalesce(sum(s.play_count), 0) FROM songs s
			WHERE s.num IN (SELECT song FROM song_artists WHERE artist = $1 AND role IN ('main', 'featured')))
		WHERE num = $1`, rows)
}

const tombstoneSQL = `INSERT INTO tombstones (id, gone_at, successor) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`

// successor returns the id of the row that another was merged into, or "".
func (s *Store) successor(ctx context.Context, id string) (string, error) {
	var next sql.NullString
	err := s.read.QueryRowContext(ctx, `SELECT successor FROM tombstones WHERE id = $1`, id).Scan(&next)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", s.d.explain(fmt.Errorf("find the successor of %s: %w", id, err))
	}
	return next.String, nil
}

// replaceArtist replaces an artist in a list that names each artist once.
func replaceArtist(refs []ArtistRef, old string, by ArtistRef) []ArtistRef {
	replaced := []ArtistRef{}
	for _, ref := range refs {
		if ref.ID == old {
			ref = by
		}
		if !slices.ContainsFunc(replaced, func(r ArtistRef) bool { return r.ID == ref.ID }) {
			replaced = append(replaced, ref)
		}
	}
	return replaced
}

type statement struct {
	query string
	args  []any
}

// run executes statements one after the other.
func (t *tx) run(ctx context.Context, doing string, statements []statement) error {
	for _, s := range statements {
		if _, err := t.ExecContext(ctx, s.query, s.args...); err != nil {
			return fmt.Errorf("%s: %w", doing, err)
		}
	}
	return nil
}
