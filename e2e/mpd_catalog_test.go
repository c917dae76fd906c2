package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// A client that updates the database gets the events and sees the new song.
func TestMPDUpdateFindsNewSongs(t *testing.T) {
	dir, songs := demoFolder(t)
	s := startMPDServer(t, dir, songs)
	c := s.mpd()
	if got := len(values(c.ok("listall"), "file")); got != songs {
		t.Fatalf("listall: got %d songs, want %d", got, songs)
	}
	c.send("idle update\n")
	data, err := os.ReadFile(filepath.Join(dir, "Lumen Atlas", "Slow Weather", "02 Ebb.flac"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "copy of ebb.flac"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	other := s.mpd()
	if job := value(other.ok("update"), "updating_db"); job == "" || job == "0" {
		t.Errorf("update: got job %q, want a number", job)
	}
	if lines, _ := c.reply(); !slices.Equal(lines, []string{"changed: update"}) {
		t.Errorf("got %v, want changed: update", lines)
	}
	if lines := c.ok("idle database"); !slices.Equal(lines, []string{"changed: database"}) {
		t.Errorf("got %v, want changed: database", lines)
	}
	if got := values(c.ok("lsinfo"), "file"); !slices.Equal(got, []string{"copy of ebb.flac"}) {
		t.Errorf("lsinfo after the update: got %v, want the new file", got)
	}
	if got := value(c.ok("status"), "updating_db"); got != "" {
		t.Errorf("updating_db after the update: got %s, want none", got)
	}
}

// Stored playlists are those of the user, also when another program changes them.
func TestMPDStoredPlaylistsAreThoseOfTheUser(t *testing.T) {
	dir, songs := demoFolder(t)
	s := startMPDServer(t, dir, songs)
	c, api := s.mpd(), s.catalogClient("read", "write")
	c.ok("add \"Lumen Atlas\"")
	c.ok("save Weather")
	entries := c.ok("listplaylist Weather")
	if !slices.Equal(entries, slices.Concat(c.ok("listall \"Lumen Atlas/Slow Weather\""))[1:]) {
		t.Errorf("listplaylist: got %v, want the songs of the folder", entries)
	}
	lists := api.read("/api/playlists")["playlists"].([]any)
	if len(lists) != 1 || lists[0].(map[string]any)["name"] != "Weather" {
		t.Errorf("playlists of the catalog: got %v, want Weather", lists)
	}
	c.send("idle stored_playlist\n")
	if lines, _ := c.reply(); !slices.Equal(lines, []string{"changed: stored_playlist"}) { // of save
		t.Errorf("got %v, want changed: stored_playlist", lines)
	}
	id := lists[0].(map[string]any)["id"].(string)
	time.Sleep(100 * time.Millisecond) // the revision of save arrives first
	c.send("idle stored_playlist\nnoidle\n")
	c.reply()
	c.send("idle stored_playlist\n")
	if r := api.do("PATCH", "/api/playlists/"+id, `{"name":"AC/DC"}`); r.status != 200 {
		t.Fatalf("rename: got %d %s", r.status, r.body)
	}
	if lines, _ := c.reply(); !slices.Equal(lines, []string{"changed: stored_playlist"}) {
		t.Errorf("after a change by another program: got %v, want changed: stored_playlist", lines)
	}
	if got := values(c.ok("listplaylists"), "playlist"); !slices.Equal(got, []string{"AC∕DC"}) {
		t.Errorf("a name with a slash: got %v, want AC∕DC", got)
	}
	c.ok("playlistclear AC∕DC")
	if got := c.ok("listplaylist AC∕DC"); len(got) != 0 {
		t.Errorf("after playlistclear: got %v, want nothing", got)
	}
	c.ok("save AC∕DC append")
	c.ok("save AC∕DC append")
	c.ok("playlistdelete AC∕DC 0:3")
	if got := c.ok("playlistlength AC∕DC"); value(got, "songs") != "5" {
		t.Errorf("playlistlength: got %v, want 5 songs", got)
	}
	c.ok("rm AC∕DC")
	c.fails(50, "load AC∕DC")
}

// Stickers that the catalog has a place for are the likes and ratings of the user.
func TestMPDStickersAreLikesAndRatings(t *testing.T) {
	dir, songs := demoFolder(t)
	s := startMPDServer(t, dir, songs)
	c, api := s.mpd(), s.catalogClient("read", "write")
	uri := values(c.ok("listall"), "file")[3]
	song := quoteMPD(uri)
	c.ok("sticker set song " + song + " rating 7")
	c.ok("sticker set song " + song + " like 2")
	c.ok("sticker set song " + song + " mood \"calm=yes\"")
	c.ok("sticker inc song " + song + " skips 3")
	c.ok("sticker dec song " + song + " skips 1")
	c.fails(2, "sticker set song "+song+" rating 11")
	c.fails(2, "sticker inc song "+song+" mood 1")
	want := []string{"sticker: like=2", "sticker: mood=calm=yes", "sticker: rating=7", "sticker: skips=2"}
	if got := c.ok("sticker list song " + song); !slices.Equal(got, want) {
		t.Errorf("sticker list: got %v, want %v", got, want)
	}
	var id string
	for _, one := range api.read("/api/songs?with=me&limit=200")["songs"].([]any) {
		me := one.(map[string]any)["me"].(map[string]any)
		if me["liked"] == true && me["rating"] == 4.0 {
			id = one.(map[string]any)["id"].(string)
		}
	}
	if id == "" {
		t.Fatal("no song of the catalog is liked with 4 stars")
	}
	if r := api.do("PUT", "/api/me/ratings/"+id, `{"rating":1}`); r.status != 200 {
		t.Fatalf("rate: got %d %s", r.status, r.body)
	}
	if got := c.ok("sticker get song " + song + " rating"); !slices.Equal(got, []string{"sticker: rating=2"}) {
		t.Errorf("rating after a change by another program: got %v, want 2", got)
	}
	find := c.ok("sticker find song \"\" rating")
	if !slices.Equal(find, []string{"file: " + uri, "sticker: rating=2"}) {
		t.Errorf("sticker find: got %v, want the song", find)
	}
	if got := c.ok("sticker find song \"\" skips gt 1"); len(got) != 2 {
		t.Errorf("sticker find with gt: got %v, want the song", got)
	}
	c.ok("sticker delete song " + song + " rating")
	c.fails(50, "sticker get song "+song+" rating")
	c.fails(4, "sticker set song "+song+" playCount 3")

	s.stop()
	s.start() // own values survive
	c = s.mpd()
	if got := c.ok("sticker get song " + song + " mood"); !slices.Equal(got, []string{"sticker: mood=calm=yes"}) {
		t.Errorf("after a restart: got %v, want mood=calm=yes", got)
	}
}

// No text of a file or a client can begin a line of a reply or exceed the lines of clients.
func TestMPDHostileTextsStayInTheirLine(t *testing.T) {
	dir, songs := demoFolder(t)
	data, err := os.ReadFile(filepath.Join(dir, "Lumen Atlas", "Slow Weather", "02 Ebb.flac"))
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"a\nOK\nfile: x.flac", "b\rACK [5@0] {} x.flac", "c\xff\xfe.flac", "d\x1b[2J.flac",
		"e" + strings.Repeat("ä", 120) + ".flac", "\"quoted\" \\back.flac"}
	for i, name := range names {
		// Another length makes another song.
		if err := os.WriteFile(filepath.Join(dir, name), data[:len(data)-1000*(i+1)], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := startMPDServer(t, dir, songs+len(names))
	c := s.mpd()
	for _, command := range []string{"listallinfo", "lsinfo", "list title", "list file"} {
		for _, line := range c.ok(command) {
			if len(line) >= 4096 || !strings.Contains(line, ": ") || strings.ContainsAny(line, "\x1b\r") {
				t.Errorf("%s: got the line %q", command, line)
			}
		}
	}
	for _, uri := range values(c.ok("lsinfo"), "file") {
		c.ok("add " + quoteMPD(uri))
	}
	c.ok("playlistinfo")
	testenv.Report(t, testenv.ScriptsInTags, testenv.Tally{Inputs: 4 * len(names),
		Note: "hostile file names and titles in replies to MPD clients"})
	c.ok("sticker set song \"\\\"quoted\\\" \\\\back.flac\" note \"a\\\"b\"")
}
