package catalog

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"waxwing/internal/fault"
	"waxwing/internal/words"
)

// A scanner uses the store as follows:
//
//	for known, err := range store.Files(ctx, root) {…}    // compare each with one stat
//	matches, err := store.FindIdentities(ctx, identities) // recognise new and changed files
//	ids, err := store.IngestSongs(ctx, batch)             // at most BatchLimit songs
//	err = store.PutProblems(ctx, problems)                // unreadable files
//	err = store.MarkMissing(ctx, files)                   // after all moves are recognised
//	err = store.FinishScan(ctx)                           // publish the last revision
//
// Every call is one transaction: after a crash or a cancelled context the catalog contains whole
// batches only, and the next scan continues from there.

const (
	// BatchLimit is the largest number of songs of one IngestSongs. It limits how long other writers
	// wait.
	BatchLimit = 500
	// MaxPath is the longest path of a file below its root, in bytes.
	MaxPath = 2048
)

// IngestSongs inserts and updates songs with their artists, albums, covers, files and identities,
// and returns their ids in the order of batch. The file replaces the one that a song had before; a
// song whose file now contains another song becomes unavailable. An unknown valid ID is used for
// the new song, so that a catalog can be rebuilt with the same ids.
func (s *Store) IngestSongs(ctx context.Context, batch []ScannedSong) ([]string, error) {
	tags, err := readTags(batch)
	if err != nil || len(tags) == 0 {
		return nil, err
	}
	var ids []string
	err = s.change(ctx, repeated, func(t *tx) error {
		p := &ingest{t: t, tags: tags}
		if err := p.run(ctx); err != nil {
			return err
		}
		ids = p.ids
		return nil
	})
	return ids, err
}

// ingest is the state of one batch.
type ingest struct {
	t    *tx
	tags []ScannedSong

	ids     []string
	nums    []int64
	created []int64               // by song, milliseconds
	old     map[int64]*storedSong // by num: the songs of the batch before the change
	artists *artistResolver
	albums  *albumResolver
	genres  map[string]int64 // by genreKey
	covers  map[string]Cover
	tally   *tally
	// durationChanged are songs whose playlists need a new duration.
	durationChanged []int64
	// moved are songs whose plays belong to another album or artist now.
	moved []movedSong
}

// storedSong is a song before the change.
type storedSong struct {
	id        string
	num       int64
	available bool
	duration  int64
	plays     int64
	album     int64
	created   int64
	credited  []int64 // artists, each once
	genres    []int64
}

func (p *ingest) run(ctx context.Context) error {
	p.covers = make(map[string]Cover)
	p.tally = newTally()
	p.t.addCount(songsChanged, 1)
	steps := []func(context.Context) error{
		p.lockSongs, p.readStored, p.numberSongs, p.resolveArtists, p.resolveAlbums, p.resolveGenres, p.writeSongs,
		p.writeCredits, p.writeGenres, p.writeTexts, p.writeIdentities, p.writeFiles, p.writeLyrics, p.writeCovers,
		p.spreadCovers, p.updatePlaylistDurations, p.index,
		func(ctx context.Context) error { return p.tally.write(ctx, p.t) },
		func(ctx context.Context) error { return p.t.movePersonalPlays(ctx, p.moved) },
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return p.artists.chooseNames(ctx)
}

// lockSongs serializes writers of songs on PostgreSQL, because song numbers have no gaps.
func (p *ingest) lockSongs(ctx context.Context) error {
	_, err := p.t.ExecContext(ctx, `UPDATE counters SET value = value + 0 WHERE name = $1`, string(songsListed))
	if err != nil {
		return fmt.Errorf("lock the songs for ingest: %w", err)
	}
	return nil
}

// readStored reads the songs of the batch that exist.
func (p *ingest) readStored(ctx context.Context) error {
	p.old = make(map[int64]*storedSong)
	p.ids = make([]string, len(p.tags))
	p.nums = make([]int64, len(p.tags))
	p.created = make([]int64, len(p.tags))
	var known []string
	for i, tag := range p.tags {
		if tag.ID != "" {
			known = append(known, tag.ID)
			p.ids[i] = tag.ID
		}
	}
	p.assignIDs()
	if len(known) == 0 {
		return nil
	}
	found, err := readStoredSongs(ctx, p.t, `id IN (`+in(1, len(known))+`)`, anySlice(known))
	if err != nil {
		return err
	}
	byID := make(map[string]*storedSong, len(found))
	for _, o := range found {
		p.old[o.num] = o
		byID[o.id] = o
	}
	for i, id := range p.ids {
		if o := byID[id]; o != nil {
			p.nums[i], p.created[i] = o.num, o.created
		}
	}
	return nil
}

// assignIDs gives new songs random ids in ascending order, so that their numbers ascend, too: the
// search index is very slow at inserting rows in another order.
func (p *ingest) assignIDs() {
	var fresh []int
	var randomHex []string
	for i, id := range p.ids {
		if id == "" {
			fresh = append(fresh, i)
			randomHex = append(randomHex, newID(songPrefix))
		}
	}
	slices.Sort(randomHex)
	for k, i := range fresh {
		p.ids[i] = randomHex[k]
	}
}

// readStoredSongs reads songs with the artists they credit.
func readStoredSongs(ctx context.Context, t *tx, where string, args []any) ([]*storedSong, error) {
	found, err := collect(ctx, t, "read known songs", func(rows *sql.Rows) (*storedSong, error) {
		var o storedSong
		var album sql.NullInt64
		err := rows.Scan(&o.id, &o.num, &o.available, &o.duration, &o.plays, &album, &o.created)
		o.album = album.Int64
		return &o, err
	}, `SELECT id, num, available, duration, play_count, album, created_at FROM songs WHERE `+where, args...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	byNum := make(map[int64]*storedSong, len(found))
	nums := make([]int64, len(found))
	for i, o := range found {
		byNum[o.num] = o
		nums[i] = o.num
	}
	_, err = collect(ctx, t, "read known credits", func(rows *sql.Rows) (none struct{}, err error) {
		var song, artist int64
		if err := rows.Scan(&song, &artist); err != nil {
			return none, err
		}
		if o := byNum[song]; !slices.Contains(o.credited, artist) {
			o.credited = append(o.credited, artist)
		}
		return none, nil
	}, `SELECT song, artist FROM song_artists WHERE role IN ('main', 'featured') AND song IN (`+in(1, len(nums))+`)
		ORDER BY song, position`, anySlice(nums)...)
	if err != nil {
		return nil, err
	}
	return found, t.readGenres(ctx, byNum, nums)
}

// numberSongs numbers new songs in the order of (created_at, id).
func (p *ingest) numberSongs(ctx context.Context) error {
	var last, lastCreated int64
	err := p.t.QueryRowContext(ctx, `SELECT coalesce(max(num), 0), coalesce(max(created_at), 0) FROM songs
		WHERE num = (SELECT max(num) FROM songs)`).
		Scan(&last, &lastCreated)
	if err != nil {
		return fmt.Errorf("find the last song: %w", err)
	}
	var fresh []int
	for i, num := range p.nums {
		if num == 0 {
			fresh = append(fresh, i)
		}
	}
	slices.SortFunc(fresh, func(a, b int) int { return cmp.Compare(p.ids[a], p.ids[b]) })
	created := max(p.t.now, lastCreated+1)
	for _, i := range fresh {
		last++
		p.nums[i], p.created[i] = last, created
	}
	return nil
}

// readTags validates a batch and cleans its text.
func readTags(batch []ScannedSong) ([]ScannedSong, error) {
	if len(batch) > BatchLimit {
		return nil, fault.New(fault.Invalid, "a batch has at most %d songs", BatchLimit)
	}
	tags := slices.Clone(batch)
	ids, files := make(map[string]bool), make(map[FileRef]bool)
	for i := range tags {
		tag := &tags[i]
		switch {
		case tag.ID != "" && !isID(songPrefix, tag.ID):
			return nil, fault.New(fault.Invalid, "%q is not the id of a song", words.Clip(tag.ID, 64))
		case tag.ID != "" && ids[tag.ID]:
			return nil, fault.New(fault.Invalid, "the batch contains song %s twice", tag.ID)
		case files[tag.File.FileRef]:
			return nil, fault.New(fault.Invalid, "the batch contains the file %q twice", tag.File.Path)
		case tag.File.Root == "" || tag.File.Path == "" || len(tag.File.Path) > MaxPath:
			return nil, fault.New(fault.Invalid, "a file must have a root and a path of 1 to %d bytes", MaxPath)
		case tag.Cover != nil && !isCoverHash(tag.Cover.Hash),
			tag.Album != nil && tag.Album.Cover != nil && !isCoverHash(tag.Album.Cover.Hash):
			return nil, fault.New(fault.Invalid, "a cover's hash must be 32 lower-case hex digits")
		}
		ids[tag.ID], files[tag.File.FileRef] = true, true
		tag.tidy()
	}
	return tags, nil
}

const (
	longestName  = 300 // runes of a title or a name
	longestGenre = 100
)

func (tag *ScannedSong) tidy() {
	tag.Title = cmp.Or(words.Clean(tag.Title, longestName), "Untitled")
	tag.Artist = words.Clean(tag.Artist, longestName)
	tag.Genres = tidyGenres(tag.Genres)
	tag.Details.tidy()
	tag.Format = cmp.Or(words.Clean(tag.Format, 16), "unknown")
	tag.Track, tag.Disc, tag.Year, tag.Bitrate = max(
		tag.Track,
		0,
	), max(
		tag.Disc,
		0,
	), max(
		tag.Year,
		0,
	), max(
		tag.Bitrate,
		0,
	)
	tag.Duration = max(tag.Duration, 0)
	credits := make([]Credit, 0, len(tag.Credits))
	for _, c := range tag.Credits {
		if c.Artist.tidy() {
			credits = append(credits, c)
		}
	}
	tag.Credits = credits
	if tag.Artist == "" {
		tag.Artist = creditLine(credits)
	}
	if tag.Album == nil {
		return
	}
	album := *tag.Album
	if album.Title = words.Clean(album.Title, longestName); album.Title == "" {
		tag.Album = nil
		return
	}
	album.Artists = nil
	for _, a := range tag.Album.Artists {
		if a.tidy() {
			album.Artists = append(album.Artists, a)
		}
	}
	album.Year = max(album.Year, 0)
	if album.Key == "" {
		album.Key = album.MusicBrainz
	}
	if album.Key == "" {
		names := make([]string, len(album.Artists))
		for i, a := range album.Artists {
			names[i] = a.Name
		}
		album.Key = albumKey(names, album.Title)
	}
	album.Key = shortKey(album.Key)
	tag.Album = &album
}

// tidy cleans the tag and reports whether its name is not empty.
func (a *ArtistTag) tidy() bool {
	a.Name, a.SortName, a.MusicBrainz = words.Clean(a.Name, longestName), words.Clean(a.SortName,
		longestName), words.Clean(a.MusicBrainz, 64)
	return a.Name != ""
}

func creditLine(credits []Credit) string {
	var main, featured []string
	for _, c := range credits {
		switch c.Role {
		case MainArtist:
			main = append(main, c.Artist.Name)
		case FeaturedArtist:
			featured = append(featured, c.Artist.Name)
		}
	}
	line := strings.Join(main, ", ")
	if len(featured) > 0 {
		line += " feat. " + strings.Join(featured, ", ")
	}
	return words.Clip(line, longestName)
}
