package scan_test

import (
	"strings"
	"testing"

	"waxwing/internal/catalog"
	"waxwing/internal/scan"
	"waxwing/internal/scan/playlist"
)

func TestPlaylistEntriesMatchSongs(t *testing.T) {
	h := newFixture(t)
	files := map[string][]byte{
		"Björk/Homogenic/01 Jóga.mp3":  titled(1, "Jóga", "Björk", "Homogenic"),
		"Other/Album/song.mp3":         titled(2, "Song", "Other", "Album"),
		"Twin/One/same.mp3":            titled(3, "Same One", "Twin", "One"),
		"Twin/Two/same.mp3":            titled(4, "Same Two", "Twin", "Two"),
		"Queen/Hot Space/pressure.mp3": titled(5, "Under Pressure", "Queen & David Bowie", "Hot Space"),
	}
	for name, content := range files {
		h.write(name, content)
	}
	h.run(scan.Options{})
	ids := h.songs()
	entry := func(location, artist, title string) playlist.Entry {
		return playlist.Entry{Location: location, Artist: artist, Title: title}
	}
	for _, c := range []struct {
		name  string
		dir   string
		entry playlist.Entry
		want  string
	}{
		{"path from the playlist's folder", h.dir + "/Other", entry("Album/song.mp3", "", ""), "Other/Album/song.mp3"},
		{"path through the parent", h.dir + "/Twin/One", entry("../Two/same.mp3", "", ""), "Twin/Two/same.mp3"},
		{"absolute path", "/elsewhere", entry(h.dir+"/Twin/One/same.mp3", "", ""), "Twin/One/same.mp3"},
		{"file URL", "/elsewhere", entry("file://"+h.dir+"/Other/Album/song.mp3", "", ""), "Other/Album/song.mp3"},
		{
			"end of a path of another machine", "/elsewhere",
			entry(`C:\Users\me\Music\Twin\Two\same.mp3`, "", ""), "Twin/Two/same.mp3",
		},
		{"case", "/elsewhere", entry("OTHER/album/SONG.MP3", "", ""), "Other/Album/song.mp3"},
		{
			"decomposed accents", "/elsewhere",
			entry("Bjo\u0308rk/Homogenic/01 Jo\u0301ga.mp3", "", ""), "Björk/Homogenic/01 Jóga.mp3",
		},
		{"artist and title", "/elsewhere", entry("nowhere.mp3", "bjork", "JOGA"), "Björk/Homogenic/01 Jóga.mp3"},
		{
			"one of the artists", "/elsewhere",
			entry("https://example.org/x", "David Bowie", "Under Pressure"), "Queen/Hot Space/pressure.mp3",
		},
		{"two files match equally well", "/elsewhere", entry("same.mp3", "", ""), ""},
		{"the title decides between two files", "/elsewhere", entry("same.mp3", "Twin", "Same Two"), "Twin/Two/same.mp3"},
		{"no match", "/elsewhere", entry("absent.mp3", "Nobody", "Nothing"), ""},
		{"outside the music folder", h.dir, entry("../../etc/passwd", "", ""), ""},
	} {
		match, err := h.scan.MatchPlaylist(t.Context(), c.dir, playlist.List{Entries: []playlist.Entry{c.entry}})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(match.SongIDs, " ")
		if got != ids[c.want] || (c.want == "") != (len(match.Missing) == 1) {
			t.Errorf("%s: got %q, want %q (%s)", c.name, got, ids[c.want], c.want)
		}
	}
}

func TestPlaylistsInMusicFoldersAreImported(t *testing.T) {
	h := newFixture(t)
	user, err := h.store.EnsureUser(t.Context(), "listener")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.store.UseUser(t.Context(), user.Username); err != nil {
		t.Fatal(err)
	}
	h.write("a.mp3", titled(1, "A", "X", "Y"))
	h.write("sub/b.mp3", titled(2, "B", "X", "Y"))
	h.write("lists/party.m3u8", []byte("#EXTM3U\n../sub/b.mp3\n../a.mp3\n../missing.mp3\n"))
	h.write("lists/bad.xspf", []byte("<not xml"))
	report := h.run(scan.Options{})
	if len(report.Playlists) != 1 {
		t.Fatalf("got %+v, want one playlist", report.Playlists)
	}
	party := report.Playlists[0]
	if party.Songs != 2 || len(party.Missing) != 1 || party.Name != "party" {
		t.Fatalf("got %+v, want party with 2 songs and 1 missing", party)
	}
	songs := func() string {
		page := catalog.Page{Number: 1, Limit: 10}
		entries, _, err := h.store.PlaylistSongs(t.Context(), user.Viewer(), party.ID, page)
		if err != nil {
			t.Fatal(err)
		}
		out := ""
		for _, e := range entries {
			out += e.ID + " "
		}
		return out
	}
	ids := h.songs()
	if got, want := songs(), ids["sub/b.mp3"]+" "+ids["a.mp3"]+" "; got != want {
		t.Errorf("got songs %s, want %s", got, want)
	}
	if again := h.run(scan.Options{}); len(again.Playlists) != 0 {
		t.Errorf("imported again without a change: %+v", again.Playlists)
	}
	h.rename("sub/b.mp3", "sub/moved.mp3")
	h.write("lists/party.m3u8", []byte("../sub/moved.mp3\n"))
	if changed := h.run(scan.Options{}); len(changed.Playlists) != 1 || changed.Playlists[0].ID != party.ID {
		t.Errorf("got %+v, want the changed playlist with id %s", changed.Playlists, party.ID)
	}
	if got, want := songs(), ids["sub/b.mp3"]+" "; got != want {
		t.Errorf("after the change: got songs %s, want %s", got, want)
	}
}

func TestSmartPlaylistFilesAreImported(t *testing.T) {
	h := newFixture(t)
	user, err := h.store.EnsureUser(t.Context(), "listener")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.store.UseUser(t.Context(), user.Username); err != nil {
		t.Fatal(err)
	}
	h.write("a.mp3", titled(1, "A", "X", "Y"))
	h.write("b.mp3", titled(2, "B", "X", "Y"))
	h.write("lists/only b.nsp", []byte(`{"all": [{"is": {"title": "b"}}], "sort": "title"}`))
	h.write("lists/bad.nsp", []byte(`{"all": [{"is": {"bpm": 120}}]}`))
	report := h.run(scan.Options{})
	if len(report.Playlists) != 1 || report.Playlists[0].Name != "only b" || report.Playlists[0].Songs != 1 {
		t.Fatalf("got %+v, want one playlist “only b” with 1 song", report.Playlists)
	}
	first := report.Playlists[0].ID
	h.write("lists/only b.nsp", []byte(`{"name": "Both", "any": [{"contains": {"filepath": "MP3"}}]}`))
	report = h.run(scan.Options{})
	if len(report.Playlists) != 1 || report.Playlists[0].ID != first || report.Playlists[0].Songs != 2 {
		t.Errorf("after a change: got %+v, want %s with 2 songs", report.Playlists, first)
	}
}
