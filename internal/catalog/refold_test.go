package catalog_test

import (
	"cmp"
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"waxwing/internal/catalog"
	"waxwing/internal/words"
)

// oldKey and oldScanKey are the two folding functions that wrote the keys of version 1.
func oldKey(s string) string {
	return joinFields(strings.ToLower(strings.NewReplacer("é", "e", "ö", "o").Replace(norm.NFC.String(s))))
}

func oldScanKey(s string) string {
	return joinFields(norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(s))))
}

func joinFields(s string) string { return strings.Join(strings.Fields(s), " ") }

// storedSong is a song whose album key has the form of version 1.
type storedSong struct {
	title, artist, guest, album, path, musicbrainz string
	compilation                                    bool
}

var oldSongs = []storedSong{
	{title: "إنت عمري", artist: "أم كلثوم", album: "أغاني", path: "a/1.flac"},
	{title: "الأطلال", artist: "ام كلثوم", album: "اغاني", path: "b/2.flac"},
	{title: "فكروني", artist: "أم كلثوم", guest: "ام كلثوم", album: "أغاني", path: "a/3.flac"},
	{title: "がくや", artist: "がっきー", album: "がくえん", path: "ガール/CD1/4.flac", compilation: true},
	{title: "Patience", artist: "Guns N` Roses", album: "G N` R Lies", path: "c/5.flac"},
	{title: "Jóga", artist: "Björk", album: "Homogénic", path: "d/6.flac"},
	{title: "One", artist: "أحمد", album: "First", path: "f/1.flac", musicbrainz: "one"},
	{title: "Two", artist: "احمد", album: "Second", path: "f/2.flac", musicbrainz: "two"},
	{title: "Plain", artist: "Plain", album: "Plain", path: "e/7.flac"},
}

// scanned returns the song as a current scan passes it to the catalog.
func (o storedSong) scanned(n int) catalog.ScannedSong {
	tag := song(n)
	tag.File.Path, tag.Title = o.path, o.title
	tag.Credits = []catalog.Credit{{Artist: catalog.ArtistTag{Name: o.artist}, Role: catalog.MainArtist}}
	if o.guest != "" {
		tag.Credits = append(tag.Credits,
			catalog.Credit{Artist: catalog.ArtistTag{Name: o.guest}, Role: catalog.FeaturedArtist})
	}
	tag.Artist = o.artist
	tag.Credits[0].Artist.MusicBrainz = o.musicbrainz
	tag.Album = &catalog.AlbumTag{Title: o.album, Artists: []catalog.ArtistTag{tag.Credits[0].Artist}}
	if o.compilation {
		tag.Album.Artists, tag.Album.Compilation = nil, true
		tag.Album.Key = catalog.CompilationKey(strings.Split(o.path, "/")[0], o.album)
	}
	tag.Identities = []catalog.Identity{
		{Kind: catalog.ByAudio, Value: "audio-" + strconv.Itoa(n)},
		catalog.TagIdentity(o.artist, o.album, o.title, tag.Disc, tag.Track),
	}
	return tag
}

func (o storedSong) oldAlbumKey() string {
	if o.compilation {
		return "compilation\x1f" + oldScanKey(strings.Split(o.path, "/")[0]) + "\x1f" + oldScanKey(o.album)
	}
	return oldKey(o.artist) + "\x1f" + oldKey(o.album)
}

// version1 is a catalog with the keys and search tokens of version 1. While it is written, ids
// separate artists and albums that version 2 treats as equal.
type version1 struct {
	db       string
	songs    []string
	albums   []string // ids by song
	playlist string
	listener catalog.Viewer
}

func createVersion1(t *testing.T, db string) version1 {
	t.Helper()
	ctx := t.Context()
	s, err := catalog.Open(ctx, catalog.Config{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	v := version1{db: db, listener: createUser(t, s, "Ann").Viewer()}
	var batch []catalog.ScannedSong
	for i, o := range oldSongs {
		tag := o.scanned(i + 1)
		for j := range tag.Credits {
			tag.Credits[j].Artist.MusicBrainz = cmp.Or(o.musicbrainz, oldKey(tag.Credits[j].Artist.Name))
		}
		for j := range tag.Album.Artists {
			tag.Album.Artists[j].MusicBrainz = cmp.Or(o.musicbrainz, oldKey(tag.Album.Artists[j].Name))
		}
		tag.Album.Key = o.oldAlbumKey()
		tag.Identities[1].Value = strings.Join([]string{
			oldScanKey(o.artist), oldScanKey(o.album), oldScanKey(o.title), "1", strconv.Itoa(i + 1),
		}, "\x1f")
		batch = append(batch, tag)
	}
	v.songs = ingest(t, s, batch...)
	for _, id := range v.songs {
		if _, err := s.RecordPlay(ctx, catalog.Play{SongID: id, Listener: v.listener, PlayedAt: time.Now()}); err != nil {
			t.Fatal(err)
		}
		facts := factsOf(t, s, id)
		v.albums = append(v.albums, *facts.AlbumID)
		if err := s.SetLiked(ctx, v.listener, true, *facts.AlbumID, *facts.ArtistID); err != nil {
			t.Fatal(err)
		}
	}
	playlist, err := s.CreatePlaylist(ctx, v.listener, catalog.NewPlaylist{Name: "إختيار", SongIDs: v.songs})
	if err != nil {
		t.Fatal(err)
	}
	v.playlist = playlist.ID
	w := catalog.Writer(s)
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := w.ExecContext(ctx, query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	exec(`UPDATE artists SET musicbrainz = NULL WHERE musicbrainz NOT IN ('one', 'two')`)
	for _, o := range oldSongs {
		exec(`UPDATE artists SET name_key = $1, sort_key = $1 WHERE name = $2`, oldKey(o.artist), o.artist)
		exec(`UPDATE albums SET sort_key = $1 WHERE title = $2`, oldKey(o.album), o.album)
		exec(`UPDATE song_artists SET shelf = $1 WHERE song = (SELECT num FROM songs WHERE title = $2)`,
			"1999 "+oldKey(o.album)+" 001 0001", o.title)
	}
	exec(`UPDATE playlists SET sort_key = name`)
	for table, names := range map[string]string{
		"song_search":     `SELECT num, title FROM songs`,
		"artist_search":   `SELECT num, name FROM artists`,
		"album_search":    `SELECT num, title FROM albums`,
		"playlist_search": `SELECT num, name FROM playlists`,
	} {
		for num, name := range namesByNum(t, w, names) {
			text := " " + oldKey(name)
			if strings.HasPrefix(db, "postgres") {
				exec(`UPDATE `+table+` SET words = $1, terms = array_to_tsvector(array_remove(string_to_array($1, ' '), ''))
					WHERE rowid = $2`, text, num)
			} else {
				exec(`UPDATE `+table+` SET words = $1 WHERE rowid = $2`, text, num)
			}
		}
	}
	exec(`UPDATE settings SET value = '1' WHERE name = 'fold'`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return v
}

func namesByNum(t *testing.T, db *sql.DB, query string) map[int64]string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	names := map[int64]string{}
	for rows.Next() {
		var num int64
		var name string
		if err := rows.Scan(&num, &name); err != nil {
			t.Fatal(err)
		}
		names[num] = name
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return names
}

func factsOf(t *testing.T, s *catalog.Store, id string) catalog.SongFacts {
	t.Helper()
	song, err := s.Song(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	facts, err := song.Decode()
	if err != nil {
		t.Fatal(err)
	}
	return facts
}

// onBothDatabases runs a test with the name of an empty database of each engine.
func onBothDatabases(t *testing.T, f func(t *testing.T, db string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, filepath.Join(t.TempDir(), "catalog.db")) })
	t.Run("postgres", func(t *testing.T) { f(t, cluster.Database(t)) })
}

func TestRefoldMergesEqualKeysAndKeepsIDs(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, db string) {
		v := createVersion1(t, db)
		s := open(t, catalog.Config{DB: db})
		v.check(t, s)
		v.rescan(t, s)
		v.check(t, s)
	})
}

// TestRefoldContinuesAfterAFailure fails the conversion where it writes identities, after artists
// and albums were merged and committed, and once more at its end.
func TestRefoldContinuesAfterAFailure(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, db string) {
		v := createVersion1(t, db)
		driver, create, drop := "sqlite", `CREATE TRIGGER stop BEFORE INSERT ON %t BEGIN
			SELECT RAISE(ABORT, 'stop'); END`, `DROP TRIGGER stop`
		if strings.HasPrefix(db, "postgres") {
			driver, drop = "pgx", `DROP FUNCTION stop CASCADE`
			create = `CREATE FUNCTION stop() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'stop'; END $$ LANGUAGE plpgsql;
				CREATE TRIGGER stop BEFORE INSERT ON %t FOR EACH ROW EXECUTE FUNCTION stop()`
		}
		raw, err := sql.Open(driver, db)
		if err != nil {
			t.Fatal(err)
		}
		defer raw.Close()
		for _, table := range []string{"identities", "settings"} {
			statement := strings.ReplaceAll(create, "%t", table)
			if table == "settings" {
				statement = strings.ReplaceAll(statement, "INSERT", "UPDATE")
			}
			if _, err := raw.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
			if s, err := catalog.Open(t.Context(), catalog.Config{DB: db}); err == nil {
				_ = s.Close()
				t.Fatalf("Open while %s cannot be written: got no error, want one", table)
			}
			if _, err := raw.ExecContext(t.Context(), drop); err != nil {
				t.Fatal(err)
			}
		}
		v.check(t, open(t, catalog.Config{DB: db}))
	})
}

func TestManyServersRefoldOnce(t *testing.T) {
	onBothDatabases(t, func(t *testing.T, db string) {
		v := createVersion1(t, db)
		var servers sync.WaitGroup
		for range 4 {
			servers.Go(func() {
				s, err := catalog.Open(context.WithoutCancel(t.Context()), catalog.Config{DB: db, Serves: true})
				if err != nil {
					t.Error(err)
					return
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		servers.Wait()
		v.check(t, open(t, catalog.Config{DB: db}))
	})
}

// rescan ingests the files again as a scan does when they have changed.
func (v version1) rescan(t *testing.T, s *catalog.Store) {
	t.Helper()
	var batch []catalog.ScannedSong
	for i, o := range oldSongs {
		tag := o.scanned(i + 1)
		tag.ID = v.songs[i]
		matches, err := s.FindIdentities(t.Context(), tag.Identities[1:])
		if err != nil || len(matches) != 1 || matches[0].SongID != tag.ID {
			t.Errorf("%s by its tags: got %+v, error %v; want %s", o.title, matches, err, tag.ID)
		}
		batch = append(batch, tag)
	}
	ingest(t, s, batch...)
}

func (v version1) check(t *testing.T, s *catalog.Store) {
	t.Helper()
	ctx := t.Context()
	v.checkPersonal(t, s)
	first := catalog.Page{Number: 1, Limit: 50}
	artists, total, err := s.Artists(ctx, first)
	if err != nil || total != 7 || len(artists) != 7 {
		t.Errorf("artists: got %d %+v, error %v; want 7", total, artists, err)
	}
	if _, total, err := s.Albums(ctx, first); err != nil || total != 7 {
		t.Errorf("albums: got %d, error %v; want 7", total, err)
	}
	merged := factsOf(t, s, v.songs[0])
	for _, i := range []int{0, 1, 2} {
		facts := factsOf(t, s, v.songs[i])
		if len(facts.Artists) != 1 || facts.Artists[0].ID != merged.Artists[0].ID ||
			*facts.ArtistID != merged.Artists[0].ID || *facts.AlbumID != v.albums[0] {
			t.Errorf("song %d: got artists %+v, album %s; want %+v, %s",
				i, facts.Artists, *facts.AlbumID, merged.Artists[0], v.albums[0])
		}
	}
	for _, name := range []string{"artist-2", "artist-3"} { // the merged artist keeps its username
		a, err := s.Artist(ctx, name)
		if err != nil || a.ID != merged.Artists[0].ID || a.SongCount != 3 || a.AlbumCount != 1 || a.PlayCount != 3 {
			t.Errorf("artist %s: got %+v, error %v; want %s with 3 songs, 1 album and 3 plays",
				name, a, err, merged.Artists[0].ID)
		}
	}
	for i, id := range v.albums {
		b, err := s.Album(ctx, id)
		if want := *factsOf(t, s, v.songs[i]).AlbumID; err != nil || b.ID != want {
			t.Errorf("album %s: got %s, error %v; want %s", id, b.ID, err, want)
		}
		if i > 2 && b.ID != id {
			t.Errorf("album that is not merged: got %s, want %s", b.ID, id)
		}
	}
	if b, _ := s.Album(ctx, v.albums[1]); b.SongCount != 3 || b.Duration != 3*180000 {
		t.Errorf("merged album: got %+v, want 3 songs", b)
	}
	if songs, total, err := s.ArtistSongs(ctx, "artist-3", first); err != nil || total != 3 || len(songs) != 3 {
		t.Errorf("songs of the merged artist: got %d, error %v; want 3", total, err)
	}
	entries, total, err := s.PlaylistSongs(ctx, v.listener, v.playlist, first)
	if err != nil || int(total) != len(v.songs) {
		t.Fatalf("entries of the playlist: got %d, error %v; want %d", total, err, len(v.songs))
	}
	for i, e := range entries {
		if e.ID != v.songs[i] || e.PlayCount != 1 || !e.Available {
			t.Errorf("entry %d: got %+v, want song %s with 1 play", i, e.Song, v.songs[i])
		}
	}
	for query, i := range map[string]int{"ام كلثوم": 0, "أم كلثوم": 1, "انت": 0, "الاطلال": 1, "がく": 3,
		"guns n' roses": 4, "joga": 5} {
		found, err := s.Search(ctx, v.listener, query, 10)
		if err != nil || !slices.ContainsFunc(found.Songs, func(song catalog.Song) bool { return song.ID == v.songs[i] }) {
			t.Errorf("search %q: got %+v, error %v; want %s", query, found.Songs, err, v.songs[i])
		}
	}
	if found, err := s.Search(ctx, v.listener, "かく", 10); err != nil || len(found.Songs) > 0 {
		t.Errorf("search かく: got %+v, error %v; want nothing, because が is another letter", found.Songs, err)
	}
	if found, err := s.Search(ctx, v.listener, "اختيار", 10); err != nil || len(found.Playlists) != 1 {
		t.Errorf("search of the playlist: got %+v, error %v; want 1", found.Playlists, err)
	}
	if p, err := s.PlaylistsByName(ctx, v.listener, "اختيار"); err != nil || len(p) != 1 || p[0].ID != v.playlist {
		t.Errorf("playlist by name: got %+v, error %v; want %s", p, err, v.playlist)
	}
	for query, want := range map[string]int{
		`SELECT count(*) FROM song_artists WHERE shelf LIKE '%أ%'`: 0,
		`SELECT count(*) FROM identities WHERE kind = 'tags'`:      len(oldSongs),
		`SELECT count(*) FROM artists WHERE musicbrainz IN ('one', 'two')
			AND name_key = 'احمد'`: 2,
		`SELECT value FROM settings WHERE name = 'fold'`: words.Version,
		`SELECT count(*) FROM artists a WHERE song_count <> (SELECT count(*) FROM song_artists x WHERE x.artist = a.num
			AND x.listed = 1)`: 0,
		`SELECT count(*) FROM albums b WHERE song_count <> (SELECT count(*) FROM songs s WHERE s.album = b.num
			AND s.available = 1)`: 0,
	} {
		if got := queryInt(t, s, query); got != want {
			t.Errorf("%s: got %d, want %d", query, got, want)
		}
	}
}
