package catalog

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"waxwing/internal/words"
)

// knownAlbum is an album of the batch.
type knownAlbum struct {
	num       int64
	id        string
	created   bool   // by this batch
	renamed   bool   // title or artist differs from before
	title     string // before
	artist    string
	sortKey   string
	cover     string
	oldCover  string
	artists   []int64
	tag       *AlbumTag
	songCover *Cover // of the first song of the batch that has one
}

// albumKey is the Key of an album with album artists and without a MusicBrainz id.
func albumKey(artists []string, title string) string {
	var b strings.Builder
	for _, name := range artists {
		b.WriteString(words.Key(name) + keySeparator)
	}
	if len(artists) == 0 {
		b.WriteString(keySeparator)
	}
	return b.String() + words.Key(title)
}

const compilationPrefix = "compilation"

// CompilationKey is the Key of a compilation without album artists and without a MusicBrainz id:
// its folder sets it apart from others of its title.
func CompilationKey(folder, title string) string {
	return compilationPrefix + keySeparator + words.Key(folder) + keySeparator + words.Key(title)
}

type albumResolver struct {
	byKey map[string]*knownAlbum
}

func (p *ingest) resolveAlbums(ctx context.Context) error {
	p.albums = &albumResolver{byKey: make(map[string]*knownAlbum)}
	tags, songCovers := make(map[string]*AlbumTag), make(map[string]*Cover)
	for _, tag := range p.tags {
		if tag.Album != nil {
			if known := tags[tag.Album.Key]; known != nil && tag.Album.Cover == nil {
				tag.Album.Cover = known.Cover // the last tag wins, with the first cover
			}
			tags[tag.Album.Key] = tag.Album
			if songCovers[tag.Album.Key] == nil {
				songCovers[tag.Album.Key] = tag.Cover
			}
		}
	}
	if len(tags) == 0 {
		return nil
	}
	keys := sortedKeys(tags)
	known, err := p.readAlbums(ctx, keys)
	if err != nil {
		return err
	}
	var last int64
	if err := p.t.QueryRowContext(ctx, `SELECT coalesce(max(num), 0) FROM albums`).Scan(&last); err != nil {
		return fmt.Errorf("find the last album: %w", err)
	}
	var rows, artistRows [][]any
	var recast []int64 // albums with other artists than before
	for _, key := range keys {
		tag := tags[key]
		a := known[key]
		if a == nil {
			last++
			a = &knownAlbum{num: last, id: newID(albumPrefix), created: true}
		}
		a.tag, a.songCover = tag, songCovers[key]
		p.albums.byKey[key] = a
		row, artists, err := p.albumRow(a)
		if err != nil {
			return err
		}
		rows = append(rows, row)
		if a.sortKey != words.SortKey(tag.Title) {
			p.t.addCount(albumsOrder, 1)
		}
		p.tally.recast(a.num, a.artists, artists)
		if !slices.Equal(a.artists, artists) {
			recast = append(recast, a.num)
			for _, artist := range artists {
				artistRows = append(artistRows, []any{a.num, artist})
			}
		}
		a.artists = artists
	}
	err = p.t.insertMany(ctx, "ingest albums",
		"albums", "num, id, album_key, title, sort_key, artist, artists, year, compilation, cover, song_count, duration, "+
			"created_at, updated_at, artist_sort, year_sort", rows,
		`ON CONFLICT (num) DO UPDATE SET title = excluded.title, sort_key = excluded.sort_key, artist = excluded.artist,
			artists = excluded.artists,
		 year = coalesce(excluded.year, albums.year), compilation = excluded.compilation, cover = excluded.cover,
		updated_at = excluded.updated_at, artist_sort = excluded.artist_sort,
		 year_sort = CASE excluded.year_sort WHEN 0 THEN albums.year_sort ELSE excluded.year_sort END
		 WHERE albums.title <> excluded.title OR albums.artists <> excluded.artists OR albums.cover <> excluded.cover
		 OR albums.compilation <> excluded.compilation OR albums.artist_sort <> excluded.artist_sort
		OR coalesce(albums.year, 0) <> coalesce(excluded.year, albums.year, 0)`)
	if err != nil {
		return err
	}
	if len(recast) > 0 {
		if _, err := p.t.ExecContext(ctx, `DELETE FROM album_artists WHERE album IN (`+in(1, len(recast))+`)`,
			anySlice(recast)...); err != nil {
			return fmt.Errorf("delete album artists: %w", err)
		}
	}
	return p.t.insertMany(ctx, "ingest album artists", "album_artists", "album, artist", artistRows, "")
}

func (p *ingest) readAlbums(ctx context.Context, keys []string) (map[string]*knownAlbum, error) {
	known := make(map[string]*knownAlbum)
	byNum := make(map[int64]*knownAlbum)
	var nums []int64
	_, err := collect(ctx, p.t, "look up albums", func(rows *sql.Rows) (none struct{}, err error) {
		var a knownAlbum
		var key string
		if err := rows.Scan(&a.num, &a.id, &key, &a.title, &a.artist, &a.sortKey, &a.cover); err != nil {
			return none, err
		}
		known[key], byNum[a.num] = &a, &a
		nums = append(nums, a.num)
		return none, nil
	}, `SELECT num, id, album_key, title, artist, sort_key, cover FROM albums
		WHERE album_key IN (`+in(1, len(keys))+`)`, anySlice(keys)...)
	if err != nil || len(nums) == 0 {
		return known, err
	}
	_, err = collect(ctx, p.t, "read album artists", func(rows *sql.Rows) (none struct{}, err error) {
		var album, artist int64
		if err := rows.Scan(&album, &artist); err != nil {
			return none, err
		}
		byNum[album].artists = append(byNum[album].artists, artist)
		return none, nil
	}, `SELECT album, artist FROM album_artists WHERE album IN (`+in(1, len(nums))+`)
		ORDER BY album, artist`, anySlice(nums)...)
	return known, err
}

// albumRow returns the row of an album and the numbers of its artists, ascending.
func (p *ingest) albumRow(a *knownAlbum) (row []any, artists []int64, err error) {
	tag := a.tag
	refs := []ArtistRef{}
	names := []string{}
	for _, t := range tag.Artists {
		known := p.artists.found[t]
		if slices.Contains(artists, known.num) {
			continue
		}
		artists = append(artists, known.num)
		refs = append(refs, known.ArtistRef)
		names = append(names, t.Name)
	}
	slices.Sort(artists)
	artist := words.Clip(strings.Join(names, ", "), longestName)
	if artist == "" && tag.Compilation {
		artist = "Various Artists"
	}
	text, err := encode(refs)
	if err != nil {
		return nil, nil, err
	}
	a.renamed = a.created || a.title != tag.Title || a.artist != artist
	a.artist = artist
	p.chooseCover(a, GeneratedCover(artist+"\x1f"+tag.Title))
	return []any{a.num, a.id, tag.Key, tag.Title, words.SortKey(tag.Title), artist, text, null(tag.Year),
		boolInt(tag.Compilation), a.cover, 0, 0, p.t.now, p.t.now, albumArtistSort(tag, artist), tag.Year}, artists, nil
}

// chooseCover uses the picture of the album's tag, the picture it has, that of a song, or a
// generated one, in this order.
func (p *ingest) chooseCover(a *knownAlbum, generated Cover) {
	a.oldCover = a.cover
	switch {
	case a.tag.Cover != nil:
		a.cover = a.tag.Cover.Hash
		p.covers[a.cover] = *a.tag.Cover
	case a.songCover != nil && (a.cover == "" || a.cover == generated.Hash):
		a.cover = a.songCover.Hash
	case a.cover == "":
		a.cover = generated.Hash
		p.covers[a.cover] = generated
	}
}

// spreadCovers gives the new cover of an album to its songs with the old one.
func (p *ingest) spreadCovers(ctx context.Context) error {
	var rows [][]any
	for _, key := range sortedKeys(p.albums.byKey) {
		if a := p.albums.byKey[key]; a.oldCover != "" && a.oldCover != a.cover {
			rows = append(rows, []any{a.cover, p.t.now, a.num, a.oldCover})
		}
	}
	return p.t.each(ctx, "update the covers of album songs", `UPDATE songs SET cover = $1, updated_at = $2
		WHERE album = $3 AND cover = $4`, rows)
}

// editAlbumArtists rewrites the artists in the albums of an artist.
func (t *tx) editAlbumArtists(ctx context.Context, artist int64, edit func([]ArtistRef) []ArtistRef) error {
	albums, err := collect(ctx, t, "read the artist's albums", scanAlbum,
		`SELECT `+albumColumns+` FROM albums b WHERE b.num IN (SELECT album FROM album_artists WHERE artist = $1)`, artist)
	if err != nil {
		return err
	}
	var rows [][]any
	for _, a := range albums {
		text, err := encode(edit(a.Artists))
		if err != nil {
			return err
		}
		rows = append(rows, []any{text, t.now, a.num})
	}
	return t.each(ctx, "edit album artists", `UPDATE albums SET artists = $1, updated_at = $2 WHERE num = $3`, rows)
}
