package catalog

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"waxwing/internal/words"
)

// settingFold is the words.Version that stored keys and search tokens were written with.
const settingFold = "fold"

// refold rewrites everything that was derived from text by an older words.Version: keys, sort keys,
// identities and search tokens. Ids and usernames stay. Every batch is a transaction of its own and
// may be repeated, so a process that is killed half-way leaves the rest to the next one.
func (s *Store) refold(ctx context.Context) error {
	if done, err := s.isRefolded(ctx); done || err != nil {
		return s.d.explain(err)
	}
	_, release, err := s.acquire(ctx, migrating, time.Second, nil)
	if err != nil {
		return err
	}
	defer release()
	if done, err := s.isRefolded(ctx); done || err != nil { // another process was first
		return s.d.explain(err)
	}
	begun := time.Now()
	for _, step := range []func(context.Context) error{s.refoldPlaylists, s.refoldArtists, s.refoldAlbums, s.refoldSongs} {
		if err := step(ctx); err != nil {
			return fmt.Errorf("rewrite keys and search tokens: %w", err)
		}
	}
	if err := s.FinishScan(ctx); err != nil { // publish what the batches wrote
		return err
	}
	_, err = s.write.ExecContext(ctx, `UPDATE settings SET value = $1 WHERE name = $2`, strconv.Itoa(words.Version),
		settingFold)
	if err != nil {
		return s.d.explain(fmt.Errorf("store the version of the keys: %w", err))
	}
	s.log.DebugContext(ctx, "keys and search tokens rewritten", "version", words.Version, "took",
		time.Since(begun).Round(time.Millisecond))
	return nil
}

func (s *Store) isRefolded(ctx context.Context) (bool, error) {
	text, err := s.setting(ctx, settingFold)
	if err != nil {
		return false, err
	}
	version, err := strconv.Atoi(text)
	if err != nil {
		return false, fmt.Errorf("read the version of the keys: %w", err)
	}
	return version >= words.Version, nil
}

// mayRefold reports whether any rule of folding that ever changed applies to the texts.
func mayRefold(texts ...string) bool {
	for _, text := range texts {
		for i := range len(text) {
			if text[i] >= 0x80 || text[i] == '`' {
				return true
			}
		}
	}
	return false
}

// refoldRows reads a table page by page in the order of num and rewrites each page in a
// transaction. scan returns false for rows that stay as they are.
func refoldRows[T any](
	ctx context.Context, s *Store, query string,
	scan func(*sql.Rows, *int64) (T, bool, error), rewrite func(*tx, []T) error,
) error {
	const pageSize = 250
	var last int64
	for {
		var page []T
		all, err := collect(ctx, s.read, "read rows to rewrite", func(rows *sql.Rows) (none struct{}, err error) {
			row, wanted, err := scan(rows, &last)
			if wanted && err == nil {
				page = append(page, row)
			}
			return none, err
		}, query+` ORDER BY num LIMIT `+strconv.Itoa(pageSize), last)
		if err != nil {
			return s.d.explain(err)
		}
		if len(page) > 0 {
			if err := s.change(ctx, repeated, func(t *tx) error { return rewrite(t, page) }); err != nil {
				return err
			}
		}
		if len(all) < pageSize {
			return nil
		}
	}
}

func (s *Store) refoldPlaylists(ctx context.Context) error {
	type playlist struct {
		num  int64
		name string
	}
	return refoldRows(ctx, s, `SELECT num, name FROM playlists WHERE num > $1`,
		func(rows *sql.Rows, last *int64) (p playlist, wanted bool, err error) {
			err = rows.Scan(&p.num, &p.name)
			*last = p.num
			return p, mayRefold(p.name), err
		}, func(t *tx, page []playlist) error {
			var sorted [][]any
			var rows []indexed
			for _, p := range page {
				sorted = append(sorted, []any{words.SortKey(p.name), p.num})
				rows = append(rows, indexed{p.num, words.Tokens(p.name)})
			}
			t.addCount(playlistsOrder, 1)
			if err := t.each(ctx, "sort playlists", `UPDATE playlists SET sort_key = $1 WHERE num = $2`, sorted); err != nil {
				return err
			}
			return t.reindex(ctx, playlistSearch, rows)
		})
}

// reindex writes the tokens of the rows that have other tokens in the index.
func (t *tx) reindex(ctx context.Context, kind searchKind, rows []indexed) error {
	nums := make([]int64, len(rows))
	for i, row := range rows {
		nums[i] = row.num
	}
	stored := make(map[int64]string, len(rows))
	_, err := collect(ctx, t, "read search tokens", func(rows *sql.Rows) (none struct{}, err error) {
		row, err := scanPopular(rows)
		stored[row.num] = row.words
		return none, err
	}, `SELECT rowid, words FROM `+kind.table+` WHERE `+t.d.among("rowid"), t.d.list(nums))
	if err != nil {
		return err
	}
	var changed []indexed
	var known []int64
	for _, row := range rows {
		if text, ok := stored[row.num]; !ok || text != words.Spaced(row.words) {
			changed, known = append(changed, row), append(known, row.num)
		}
	}
	return t.index(ctx, kind, known, changed)
}

type foldedArtist struct {
	ArtistRef
	num              int64
	nameKey, sortKey string
	musicbrainz      string
}

func scanFoldedArtist(rows *sql.Rows) (a foldedArtist, err error) {
	var mb sql.NullString
	err = rows.Scan(&a.num, &a.ID, &a.Username, &a.Name, &a.nameKey, &a.sortKey, &mb)
	a.musicbrainz = mb.String
	return a, err
}

const foldedArtistColumns = `num, id, username, name, name_key, sort_key, musicbrainz`

func (s *Store) refoldArtists(ctx context.Context) error {
	return refoldRows(ctx, s, `SELECT `+foldedArtistColumns+` FROM artists WHERE num > $1`,
		func(rows *sql.Rows, last *int64) (foldedArtist, bool, error) {
			a, err := scanFoldedArtist(rows)
			*last = a.num
			return a, mayRefold(a.Name, a.nameKey, a.sortKey) && !isMergedKey(a.nameKey), err
		}, func(t *tx, page []foldedArtist) error {
			var rows []indexed
			var merged []string
			for _, a := range page {
				rows = append(rows, indexed{a.num, words.Tokens(a.Name)})
				key, sortKey := refoldKey(a.nameKey, a.Name), words.Clip(words.Key(a.sortKey), 100)
				if key == a.nameKey && sortKey == a.sortKey {
					continue
				}
				t.addCount(artistsOrder, 1)
				_, err := t.ExecContext(ctx, `UPDATE artists SET name_key = $1, sort_key = $2 WHERE num = $3`, key, sortKey, a.num)
				if err != nil {
					return fmt.Errorf("rewrite the key of %s: %w", a.ID, err)
				}
				if key != a.nameKey {
					merged = append(merged, key)
				}
			}
			if err := t.reindex(ctx, artistSearch, rows); err != nil {
				return err
			}
			for _, key := range merged {
				if err := t.mergeArtists(ctx, key); err != nil {
					return err
				}
			}
			return nil
		})
}

// refoldKey converts a stored key. Folding a key of version 1 gives the key of its name; a key that
// is a hash is derived from the name again.
func refoldKey(key, name string) string {
	if isHashedKey(key) {
		return shortKey(words.Key(name))
	}
	return shortKey(words.Key(key))
}

type foldedAlbum struct {
	num         int64
	id, key     string
	title       string
	artist      string
	artists     []ArtistRef
	compilation bool
}

func (s *Store) refoldAlbums(ctx context.Context) error {
	return refoldRows(ctx, s, `SELECT num, id, album_key, title, artist, artists, compilation FROM albums WHERE num > $1`,
		func(rows *sql.Rows, last *int64) (a foldedAlbum, wanted bool, err error) {
			var artists []byte
			if err := rows.Scan(&a.num, &a.id, &a.key, &a.title, &a.artist, &artists, &a.compilation); err != nil {
				return a, false, err
			}
			*last = a.num
			return a, mayRefold(a.key, a.title, a.artist) && !isMergedKey(a.key), json.Unmarshal(artists, &a.artists)
		}, func(t *tx, page []foldedAlbum) error {
			var rows []indexed
			var sorted [][]any
			merged := make(map[int64]bool)
			for _, a := range page {
				sorted = append(sorted, []any{words.SortKey(a.title), a.num})
				rows = append(rows, indexed{a.num, words.Tokens(a.title, a.artist)})
			}
			t.addCount(albumsOrder, 1)
			if err := t.each(ctx, "sort albums", `UPDATE albums SET sort_key = $1 WHERE num = $2`, sorted); err != nil {
				return err
			}
			if err := t.reindex(ctx, albumSearch, rows); err != nil {
				return err
			}
			for _, a := range page {
				if !merged[a.num] {
					if err := t.refoldAlbum(ctx, a, merged); err != nil {
						return err
					}
				}
			}
			return nil
		})
}

// refoldAlbum writes the new key of an album. If another album has it, the older of the two takes
// the songs of both.
func (t *tx) refoldAlbum(ctx context.Context, a foldedAlbum, merged map[int64]bool) error {
	key, err := t.refoldAlbumKey(ctx, a)
	if err != nil || key == a.key {
		return err
	}
	twin := foldedAlbum{key: key}
	err = t.QueryRowContext(ctx, `SELECT num, id FROM albums WHERE album_key = $1`, key).Scan(&twin.num, &twin.id)
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return fmt.Errorf("find albums of one key: %w", err)
	case twin.num < a.num:
		merged[a.num] = true
		return t.mergeAlbum(ctx, twin, a)
	default:
		merged[twin.num] = true
		if err := t.mergeAlbum(ctx, a, twin); err != nil {
			return err
		}
	}
	if _, err := t.ExecContext(ctx, `UPDATE albums SET album_key = $1 WHERE num = $2`, key, a.num); err != nil {
		return fmt.Errorf("rewrite the key of %s: %w", a.id, err)
	}
	return nil
}

// refoldAlbumKey converts the key of an album. Keys without separators are MusicBrainz ids or the
// caller's own.
func (t *tx) refoldAlbumKey(ctx context.Context, a foldedAlbum) (string, error) {
	parts := strings.Split(a.key, keySeparator)
	switch {
	case isHashedKey(a.key) && len(a.artists) > 0:
		names := make([]string, len(a.artists))
		for i, artist := range a.artists {
			names[i] = artist.Name
		}
		return shortKey(albumKey(names, a.title)), nil
	case len(parts) < 2:
		return a.key, nil
	case len(parts) == 3 && parts[0] == compilationPrefix && a.compilation:
		folder, err := t.albumFolder(ctx, a.num, parts[1])
		return shortKey(CompilationKey(folder, a.title)), err
	}
	for i, part := range parts {
		parts[i] = words.Key(part)
	}
	return shortKey(strings.Join(parts, keySeparator)), nil
}

// albumFolder finds the folder of a compilation in the paths of its songs. Keys of version 1 have
// the folder's name without any combining mark, from which the marks cannot be restored.
func (t *tx) albumFolder(ctx context.Context, album int64, stored string) (string, error) {
	scanPath := func(rows *sql.Rows) (path []byte, err error) { return path, rows.Scan(&path) }
	paths, err := collect(ctx, t, "read the paths of an album", scanPath,
		`SELECT f.path FROM files f JOIN songs s ON s.num = f.song WHERE s.album = $1 ORDER BY s.num LIMIT 100`, album)
	if err != nil {
		return "", err
	}
	for _, file := range paths {
		dir := path.Dir(string(file))
		for _, name := range []string{path.Base(dir), path.Base(path.Dir(dir))} { // a disc may have a folder of its own
			if key := words.Key(words.Clean(name, longestName)); withoutMarks(key) == withoutMarks(words.Key(stored)) {
				return key, nil
			}
		}
	}
	return words.Key(stored), nil
}

func withoutMarks(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s))
}
