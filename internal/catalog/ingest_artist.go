package catalog

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"waxwing/internal/words"
)

// knownArtist is an artist of the batch.
type knownArtist struct {
	ArtistRef
	num         int64
	nameKey     string
	musicbrainz string
	created     bool // by this batch
	changed     bool // its MusicBrainz id or sort name
	respelled   bool // credited under another spelling
	sortKey     string
	cover       Cover
}

// artistResolver finds or creates the artists of a batch.
type artistResolver struct {
	t       *tx
	found   map[ArtistTag]*knownArtist
	byName  map[string][]*knownArtist
	byMB    map[string]*knownArtist
	created []*knownArtist
	lastNum int64
	names   *usernames
}

func (p *ingest) resolveArtists(ctx context.Context) error {
	wanted := p.namedArtists()
	r := &artistResolver{
		t: p.t, found: make(map[ArtistTag]*knownArtist), byName: make(map[string][]*knownArtist),
		byMB: make(map[string]*knownArtist), names: newUsernames(p.t, "artists"),
	}
	p.artists = r
	if err := r.load(ctx, wanted); err != nil {
		return err
	}
	if err := r.lookUpUsernames(ctx, wanted); err != nil {
		return err
	}
	var created, changed []*knownArtist
	for _, tag := range wanted {
		a, err := r.resolve(ctx, tag)
		if err != nil {
			return err
		}
		r.found[tag] = a
		a.respelled = a.respelled || a.Name != tag.Name
		if key := words.SortKey(tag.SortName); tag.SortName != "" && key != a.sortKey {
			a.sortKey, a.changed = key, true
			p.t.addCount(artistsOrder, 1)
		}
		if a.created && !slices.Contains(created, a) {
			created = append(created, a)
			p.covers[a.cover.Hash] = a.cover
		} else if a.changed && !a.created && !slices.Contains(changed, a) {
			changed = append(changed, a)
		}
	}
	r.created = created
	return r.write(ctx, created, changed)
}

// namedArtists lists the artists of the batch, each once.
func (p *ingest) namedArtists() []ArtistTag {
	var named []ArtistTag
	seen := make(map[ArtistTag]bool)
	add := func(a ArtistTag) {
		if !seen[a] {
			seen[a] = true
			named = append(named, a)
		}
	}
	for i := range p.tags {
		for _, c := range p.tags[i].Credits {
			add(c.Artist)
		}
		if album := p.tags[i].Album; album != nil {
			for _, a := range album.Artists {
				add(a)
			}
		}
	}
	return named
}

// load reads every artist that a tag may refer to.
func (r *artistResolver) load(ctx context.Context, wanted []ArtistTag) error {
	names, mbs := make(map[string]bool), make(map[string]bool)
	for _, tag := range wanted {
		names[artistKey(tag.Name)] = true
		if tag.MusicBrainz != "" {
			mbs[tag.MusicBrainz] = true
		}
	}
	if err := r.t.QueryRowContext(ctx, `SELECT coalesce(max(num), 0) FROM artists`).Scan(&r.lastNum); err != nil {
		return fmt.Errorf("find the last artist: %w", err)
	}
	seen := make(map[int64]bool)
	for _, by := range []struct {
		column string
		values map[string]bool
	}{{"name_key", names}, {"musicbrainz", mbs}} {
		for chunk := range slices.Chunk(sortedKeys(by.values), 500) {
			found, err := collect(ctx, r.t, "look up artists", func(rows *sql.Rows) (*knownArtist, error) {
				var a knownArtist
				var mb sql.NullString
				err := rows.Scan(&a.num, &a.ID, &a.Username, &a.Name, &a.nameKey, &a.sortKey, &mb)
				a.musicbrainz = mb.String
				return &a, err
			}, `SELECT num, id, username, name, name_key, sort_key, musicbrainz FROM artists
				WHERE `+by.column+` IN (`+in(1, len(chunk))+`) ORDER BY num`, anySlice(chunk)...)
			if err != nil {
				return err
			}
			for _, a := range found {
				if !seen[a.num] {
					seen[a.num] = true
					r.add(a)
				}
			}
		}
	}
	return nil
}

// lookUpUsernames checks the usernames of new artists in one query.
func (r *artistResolver) lookUpUsernames(ctx context.Context, wanted []ArtistTag) error {
	names := make(map[string]bool)
	for _, tag := range wanted {
		if len(r.byName[artistKey(tag.Name)]) == 0 {
			names[usernameFrom(tag.Name, "artist")] = true
		}
	}
	return r.names.check(ctx, sortedKeys(names))
}

func (r *artistResolver) add(a *knownArtist) {
	r.byName[a.nameKey] = append(r.byName[a.nameKey], a)
	if a.musicbrainz != "" {
		r.byMB[a.musicbrainz] = a
	}
}

// resolve applies the rules of ArtistTag. A name without a MusicBrainz id is the oldest artist of
// that name; the first id with the name of an artist without one becomes the id of that artist.
func (r *artistResolver) resolve(ctx context.Context, tag ArtistTag) (*knownArtist, error) {
	if tag.MusicBrainz != "" {
		if a := r.byMB[tag.MusicBrainz]; a != nil {
			return a, nil
		}
	}
	key := artistKey(tag.Name)
	for _, a := range r.byName[key] {
		if tag.MusicBrainz == "" {
			return a, nil
		}
		if a.musicbrainz == "" {
			a.musicbrainz, a.changed = tag.MusicBrainz, true
			r.byMB[tag.MusicBrainz] = a
			return a, nil
		}
	}
	username, err := r.names.reserve(ctx, usernameFrom(tag.Name, "artist"))
	if err != nil {
		return nil, err
	}
	r.lastNum++
	a := &knownArtist{
		ArtistRef: ArtistRef{ID: newID(artistPrefix), Username: username, Name: tag.Name},
		num:       r.lastNum, nameKey: key, musicbrainz: tag.MusicBrainz, created: true,
		sortKey: words.SortKey(cmp.Or(tag.SortName, tag.Name)),
		cover:   GeneratedCover("artist\x1f" + tag.Name),
	}
	r.add(a)
	return a, nil
}

// artistKey is the key of an artist's name.
func artistKey(name string) string { return shortKey(words.Key(name)) }

func (r *artistResolver) write(ctx context.Context, created, changed []*knownArtist) error {
	rows := make([][]any, len(created))
	for i, a := range created {
		rows[i] = []any{a.num, a.ID, a.Username, a.Name, a.nameKey, a.sortKey, null(a.musicbrainz), a.cover.Hash, 0, 0, 0,
			r.t.now, r.t.now}
	}
	err := r.t.insertMany(ctx, "insert artists",
		"artists", "num, id, username, name, name_key, sort_key, musicbrainz, cover, song_count, album_count, play_count, "+
			"created_at, updated_at", rows, "")
	if err != nil {
		return err
	}
	rows = rows[:0]
	for _, a := range changed {
		rows = append(rows, []any{null(a.musicbrainz), a.sortKey, a.num})
	}
	return r.t.each(ctx, "update artists", `UPDATE artists SET musicbrainz = $1, sort_key = $2 WHERE num = $3`, rows)
}

// chooseNames gives each artist that was credited under another spelling the spelling of most of
// its songs.
func (r *artistResolver) chooseNames(ctx context.Context) error {
	var respelled []*knownArtist
	for _, a := range r.found {
		if a.respelled && !slices.Contains(respelled, a) {
			respelled = append(respelled, a)
		}
	}
	slices.SortFunc(respelled, func(a, b *knownArtist) int { return cmp.Compare(a.num, b.num) })
	for _, a := range respelled {
		ref, err := r.t.chooseName(ctx, a.num, a.ArtistRef)
		if err != nil {
			return err
		}
		a.ArtistRef = ref
	}
	return nil
}

// chooseName gives an artist the spelling of its name in most of its songs.
func (t *tx) chooseName(ctx context.Context, num int64, ref ArtistRef) (ArtistRef, error) {
	names, err := collect(ctx, t, "count spellings", func(rows *sql.Rows) (name string, err error) {
		return name,
			rows.Scan(&name)
	},
		`SELECT name FROM song_artists WHERE artist = $1 AND listed = 1 GROUP BY name
			ORDER BY count(*) DESC, min(song), name LIMIT 1`, num)
	if err != nil || len(names) == 0 || names[0] == ref.Name {
		return ref, err
	}
	ref.Name = names[0]
	return ref, t.renameArtist(ctx, num, ref)
}

// renameArtist changes the spelling of a name in the artist, its songs and its albums.
func (t *tx) renameArtist(ctx context.Context, num int64, ref ArtistRef) error {
	if _, err := t.ExecContext(ctx, `UPDATE artists SET name = $1, updated_at = $2 WHERE num = $3`, ref.Name, t.now,
		num); err != nil {
		return fmt.Errorf("rename %s: %w", ref.ID, err)
	}
	if err := t.index(ctx, artistSearch, []int64{num}, []indexed{{num, words.Tokens(ref.Name)}}); err != nil {
		return err
	}
	respell := func(refs []ArtistRef) []ArtistRef { return replaceArtist(refs, ref.ID, ref) }
	err := t.editFacts(ctx, `s.num IN (SELECT song FROM song_artists WHERE artist = $1)`, num,
		func(f *SongFacts) { f.Artists = respell(f.Artists) })
	if err != nil {
		return err
	}
	return t.editAlbumArtists(ctx, num, respell)
}

// editFacts rewrites the facts of songs that a condition on $1 selects.
func (t *tx) editFacts(ctx context.Context, where string, arg int64, edit func(*SongFacts)) error {
	songs, err := collect(ctx, t, "read songs", scanOneSong, `SELECT `+songColumns+` FROM songs s WHERE `+where, arg)
	if err != nil {
		return err
	}
	var rows [][]any
	for _, song := range songs {
		facts, err := song.Decode()
		if err != nil {
			return err
		}
		edit(&facts)
		text, err := encode(facts)
		if err != nil {
			return err
		}
		rows = append(rows, []any{text, t.now, song.num})
	}
	return t.each(ctx, "edit songs", `UPDATE songs SET facts = $1, updated_at = $2 WHERE num = $3`, rows)
}
