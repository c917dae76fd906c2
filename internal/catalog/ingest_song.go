package catalog

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"waxwing/internal/words"
)

func (p *ingest) writeSongs(ctx context.Context) error {
	rows := make([][]any, len(p.tags))
	for i := range p.tags {
		tag := &p.tags[i]
		facts, credited, err := p.facts(tag)
		if err != nil {
			return err
		}
		var album any
		cover := p.songCover(tag)
		if tag.Album != nil {
			album = p.albums.byKey[tag.Album.Key].num
		}
		ms := tag.Duration.Milliseconds()
		num, _ := album.(int64)
		keys := sortKeysOf(tag, num)
		rows[i] = append([]any{
			p.nums[i], p.ids[i], facts, tag.Title, album, tag.Disc, tag.Track, ms, cover, tag.Format, null(tag.Bitrate), 1, 0,
			tag.Gain.TrackGain, tag.Gain.TrackPeak, tag.Gain.AlbumGain, tag.Gain.AlbumPeak, p.created[i], p.t.now,
			keys.title, keys.artist, keys.album, keys.year, tagVersion,
		}, tag.Details.values()...)
		p.count(i, num, ms, credited)
	}
	return p.t.insertMany(ctx, "ingest songs",
		"songs", `num, id, facts, title, album, disc, track, duration, cover, format, bitrate, available, play_count,
		 track_gain, track_peak, album_gain, album_peak, created_at, updated_at,
		 title_sort, artist_sort, album_sort, year, tag_version, `+detailColumns, rows,
		`ON CONFLICT (num) DO UPDATE SET facts = excluded.facts, title = excluded.title, album = excluded.album,
			disc = excluded.disc,
		 track = excluded.track, duration = excluded.duration, cover = excluded.cover, format = excluded.format,
		bitrate = excluded.bitrate,
		 available = 1, track_gain = excluded.track_gain, track_peak = excluded.track_peak, album_gain = excluded.album_gain,
		 album_peak = excluded.album_peak, updated_at = excluded.updated_at, title_sort = excluded.title_sort,
		 artist_sort = excluded.artist_sort, album_sort = excluded.album_sort, year = excluded.year,
		 tag_version = excluded.tag_version, sample_rate = excluded.sample_rate, channels = excluded.channels,
		 bit_depth = excluded.bit_depth, mb_recording = excluded.mb_recording, mb_track = excluded.mb_track,
		 mb_album = excluded.mb_album, mb_artists = excluded.mb_artists, mb_album_artists = excluded.mb_album_artists,
		 released = excluded.released, composers = excluded.composers`)
}

// count adds the song to the tally, and removes its former state.
func (p *ingest) count(i int, album, duration int64, credited []int64) {
	old := p.old[p.nums[i]]
	var plays int64
	if old != nil {
		plays = old.plays
		p.tally.remove(old)
		if old.duration != duration {
			p.durationChanged = append(p.durationChanged, old.num)
		}
		p.tally.plays(old.credited, -plays)
	}
	if old == nil || !old.available {
		p.t.addCount(songsListed, 1)
	}
	if old != nil && !old.available {
		p.t.addCount(songsOrder, 1)
	}
	p.tally.plays(credited, plays)
	p.tally.add(album, duration, credited, p.genresOf(&p.tags[i]))
	if plays > 0 {
		p.movePlays(old, album, credited)
	}
}

// movePlays notes a played song that is now on another album or credits other artists.
func (p *ingest) movePlays(old *storedSong, album int64, credited []int64) {
	m := movedSong{song: old.num}
	if old.album != album {
		m.from, m.to = appendItem(m.from, AlbumItem, old.album), appendItem(m.to, AlbumItem, album)
	}
	for _, num := range old.credited {
		if !slices.Contains(credited, num) {
			m.from = appendItem(m.from, ArtistItem, num)
		}
	}
	for _, num := range credited {
		if !slices.Contains(old.credited, num) {
			m.to = appendItem(m.to, ArtistItem, num)
		}
	}
	if len(m.from)+len(m.to) > 0 {
		p.moved = append(p.moved, m)
	}
}

// appendItem appends an item; number 0 means none.
func appendItem(items []itemRef, kind ItemKind, num int64) []itemRef {
	if num == 0 {
		return items
	}
	return append(items, itemRef{kind, num})
}

// facts encodes the tag. credited are the main and featured artists, each once.
func (p *ingest) facts(tag *ScannedSong) (text string, credited []int64, err error) {
	facts := SongFacts{
		Title: tag.Title, Artist: optional(tag.Artist), Artists: []ArtistRef{},
		TrackNumber: optional(tag.Track), DiscNumber: optional(tag.Disc), Duration: tag.Duration.Milliseconds(),
		Year: optional(tag.Year), Genre: optional(firstOf(tag.Genres)), Explicit: tag.Explicit,
	}
	for _, c := range tag.Credits {
		a := p.artists.found[c.Artist]
		if !isListedRole(c.Role) || slices.Contains(credited, a.num) {
			continue
		}
		credited = append(credited, a.num)
		facts.Artists = append(facts.Artists, a.ArtistRef)
		if facts.ArtistID == nil && c.Role == MainArtist {
			facts.ArtistID = &a.ID
		}
	}
	if tag.Album != nil {
		facts.Album, facts.AlbumID = &tag.Album.Title, &p.albums.byKey[tag.Album.Key].id
	}
	text, err = encode(facts)
	return text, credited, err
}

// isListedRole reports whether a song is in the artist's list of songs.
func isListedRole(r Role) bool { return r == MainArtist || r == FeaturedArtist }

// optional returns a pointer to v, or nil if v is zero.
func optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// songCover returns the song's own picture, its album's, or a generated one.
func (p *ingest) songCover(tag *ScannedSong) string {
	switch {
	case tag.Cover != nil:
		p.covers[tag.Cover.Hash] = *tag.Cover
		return tag.Cover.Hash
	case tag.Album != nil:
		return p.albums.byKey[tag.Album.Key].cover
	}
	generated := GeneratedCover(tag.Artist + "\x1f" + tag.Title)
	p.covers[generated.Hash] = generated
	return generated.Hash
}

func (p *ingest) writeCredits(ctx context.Context) error {
	if err := p.deleteOld(ctx, "song_artists"); err != nil {
		return err
	}
	var rows [][]any
	for i := range p.tags {
		tag := &p.tags[i]
		shelf := shelfKey(tag)
		var listed []int64
		for position, c := range tag.Credits {
			a := p.artists.found[c.Artist]
			first := isListedRole(c.Role) && !slices.Contains(listed, a.num)
			if first {
				listed = append(listed, a.num)
			}
			rows = append(rows, []any{p.nums[i], position, a.num, string(c.Role), c.Artist.Name, boolInt(first), shelf})
		}
	}
	return p.t.insertMany(ctx, "ingest credits", "song_artists", "song, position, artist, role, name, listed, shelf",
		rows, "")
}

// shelfKey orders the songs of an artist by year (unknown last), album, disc and track.
func shelfKey(tag *ScannedSong) string {
	year, album := tag.Year, ""
	if tag.Album != nil {
		album = shelfTitle(tag.Album.Title)
		if tag.Album.Year != 0 {
			year = tag.Album.Year
		}
	}
	if year == 0 || year > 9999 {
		year = 9999
	}
	return fmt.Sprintf("%04d %s %03d %04d", year, album, min(tag.Disc, 999), min(tag.Track, 9999))
}

// shelfTitle is the part of a shelf key that orders albums of one year.
func shelfTitle(album string) string { return words.Clip(words.SortKey(album), 40) }

// deleteOld deletes the rows of a table for songs that are updated.
func (p *ingest) deleteOld(ctx context.Context, table string) error {
	if len(p.old) == 0 {
		return nil
	}
	nums := sortedKeys(p.old)
	if _, err := p.t.ExecContext(ctx, `DELETE FROM `+table+` WHERE song IN (`+in(1, len(nums))+`)`,
		anySlice(nums)...); err != nil {
		return fmt.Errorf("delete from %s: %w", table, err)
	}
	return nil
}

func (p *ingest) writeIdentities(ctx context.Context) error {
	if err := p.deleteOld(ctx, "identities"); err != nil {
		return err
	}
	var rows [][]any
	for i := range p.tags {
		for _, mark := range p.tags[i].Identities {
			if mark.Kind != ByPath && mark.Value != "" {
				rows = append(rows, []any{string(mark.Kind), shortKey(mark.Value), p.nums[i]})
			}
		}
	}
	// Inserts in the order of the key are faster in a large table.
	slices.SortFunc(rows, func(a, b []any) int {
		return cmp.Or(cmp.Compare(a[0].(string), b[0].(string)), cmp.Compare(a[1].(string), b[1].(string)))
	})
	return p.t.insertMany(ctx, "ingest identities", "identities", "kind, value, song", rows, `ON CONFLICT DO NOTHING`)
}

func (p *ingest) writeFiles(ctx context.Context) error {
	roots, err := p.t.rootNums(ctx, p.tags)
	if err != nil {
		return err
	}
	if err := p.displace(ctx, roots); err != nil {
		return err
	}
	if err := p.deleteOld(ctx, "files"); err != nil {
		return err
	}
	rows := make([][]any, len(p.tags))
	for i := range p.tags {
		f := p.tags[i].File
		rows[i] = []any{roots[f.Root], []byte(f.Path), f.Size, f.ModTime.UnixMicro(), p.nums[i], 0}
	}
	return p.t.insertMany(ctx, "ingest files", "files", "root, path, size, mtime, song, missing", rows,
		`ON CONFLICT (root, path) DO UPDATE SET size = excluded.size, mtime = excluded.mtime, song = excluded.song,
			missing = 0, problem = NULL`)
}

// displace makes songs unavailable whose file now contains another song.
func (p *ingest) displace(ctx context.Context, roots map[string]int64) error {
	byRoot := make(map[int64][]any)
	for i := range p.tags {
		f := p.tags[i].File
		byRoot[roots[f.Root]] = append(byRoot[roots[f.Root]], []byte(f.Path))
	}
	var displaced []int64
	for _, root := range sortedKeys(byRoot) {
		paths := byRoot[root]
		songs, err := collect(ctx, p.t, "read the songs of files", scanNullNum,
			`SELECT song FROM files WHERE root = $1 AND path IN (`+p.t.d.params(2, len(paths))+`)`,
			append([]any{root}, paths...)...)
		if err != nil {
			return err
		}
		for _, song := range songs {
			if song.Valid && !slices.Contains(p.nums, song.Int64) {
				displaced = append(displaced, song.Int64)
			}
		}
	}
	return p.t.hide(ctx, p.tally, displaced)
}

func scanNullNum(rows *sql.Rows) (n sql.NullInt64, err error) { return n, rows.Scan(&n) }

func (p *ingest) writeCovers(ctx context.Context) error {
	rows := make([][]any, 0, len(p.covers))
	for _, hash := range sortedKeys(p.covers) {
		rows = append(rows, p.covers[hash].row())
	}
	return p.t.putCovers(ctx, rows)
}
