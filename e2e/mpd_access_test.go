package e2e

import (
	"encoding/json"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/internal/app"
	"waxwing/internal/demo"
)

// webRadio is a server that sends an MP3 without an end, and a title.
func webRadio(t *testing.T) string {
	t.Helper()
	content, err := fs.ReadFile(demo.FS(), "Trio Halvmåne/Lamplight/02 Blå time.mp3")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("icy-name", "Test Radio")
		w.Header().Set("icy-metaint", "16000")
		_, _ = w.Write(content[:16000]) // the player may have gone
		_, _ = w.Write([]byte("\x02StreamTitle='Ada - Dawn';\x00\x00\x00\x00\x00\x00"))
		_, _ = w.Write(content[16000:32000])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	return s.URL + "/live"
}

// A URL needs its permission and a public address, has the title of the radio, and tags that a
// client gives it.
func TestMPDPlaysURLsWithTheirPermission(t *testing.T) {
	radio := webRadio(t)
	s := start(t, withMPD, func(c *app.Config) {
		c.Player.StreamAllow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	writer, _ := s.mintToken("write")
	denied := s.mpdWith(writer)
	denied.fails(4, "add "+radio)
	denied.fails(4, "addid "+radio)
	owner := s.mpd()
	for _, uri := range []string{"http://10.0.0.1/x", "http://169.254.169.254/latest", "https://[::1%25eth0]/"} {
		owner.fails(4, "add "+quoteMPD(uri))
	}
	owner.fails(2, "add \"http://u:secret@radio.example/\"")
	owner.fails(2, "add \"http://radio.example/\x07\"")
	if got := owner.ok("playlistinfo"); len(got) != 0 {
		t.Fatalf("after refused URLs: got %v, want an empty queue", got)
	}
	id := value(owner.ok("addid "+radio), "Id")
	owner.ok("addtagid " + id + " Title \"Morning show\"")
	owner.ok("addtagid " + id + " Genre Talk")
	owner.fails(2, "addtagid "+id+" Nope x")
	if got := owner.ok("playlistid " + id); value(got, "file") != radio || value(got, "Title") != "Morning show" ||
		value(got, "Genre") != "Talk" {
		t.Errorf("a URL with tags: got %v", got)
	}
	owner.ok("cleartagid " + id + " Genre")
	if got := owner.ok("playlistid " + id); value(got, "Genre") != "" || value(got, "Title") != "Morning show" {
		t.Errorf("after cleartagid: got %v, want the title alone", got)
	}
	owner.ok("cleartagid " + id)
	owner.ok("play")
	s.eventually(20*time.Second, "the title of the radio", func() bool {
		got := owner.ok("currentsong")
		return value(got, "Title") == "Ada - Dawn" && value(got, "Name") == "Test Radio" && value(got, "file") == radio
	})
	if got := value(owner.ok("status"), "duration"); got != "" {
		t.Errorf("duration of a radio: got %s, want none", got)
	}
	owner.ok("stop")
}

// A part of a song is what its item plays and shows.
func TestMPDRangesOfSongs(t *testing.T) {
	dir, songs := demoFolder(t)
	s := startMPDServer(t, dir, songs)
	c := s.mpd()
	id := value(c.ok("addid \"Lumen Atlas/Slow Weather/02 Ebb.flac\""), "Id")
	other := value(c.ok("addid \"Lumen Atlas/Slow Weather/02 Ebb.flac\""), "Id")
	c.ok("rangeid " + id + " 1.5:2.25")
	if got := c.ok("playlistid " + id); value(got, "Range") != "1.500-2.250" || value(got, "duration") != "0.750" ||
		value(got, "Title") != "Ebb" || value(got, "Id") != id {
		t.Errorf("a range: got %v, want 1.500-2.250", got)
	}
	if got := c.ok("playlistid " + other); value(got, "Range") != "" {
		t.Errorf("the other item: got %v, want no range", got)
	}
	c.ok("play 0")
	s.eventually(10*time.Second, "the end of the range", func() bool {
		return value(c.ok("status"), "songid") == other
	})
	c.fails(4, "rangeid "+other+" 1:")
	c.ok("rangeid " + id + " 2:")
	if got := c.ok("playlistid " + id); value(got, "Range") != "2.000-" {
		t.Errorf("an open range: got %v, want 2.000-", got)
	}
	c.ok("rangeid " + id + " :")
	if got := c.ok("playlistid " + id); value(got, "Range") != "" {
		t.Errorf("after the range was removed: got %v, want none", got)
	}
}

// With --mpd-open read, clients without a password read and change nothing.
func TestMPDOpenReadLetsClientsReadOnly(t *testing.T) {
	s := start(t, withMPD, func(c *app.Config) { c.Player.MPD.OpenRead = true })
	c := s.mpdWith("")
	c.ok("status")
	c.ok("currentsong")
	c.ok("lsinfo")
	for _, command := range []string{"play", "setvol 1", "clear", "add /", "update", "save x", "sticker set song a b c",
		"add http://radio.example/"} {
		c.fails(4, command)
	}
	may := values(c.ok("commands"), "command")
	if slices.Contains(may, "setvol") || !slices.Contains(may, "idle") {
		t.Errorf("commands: got %v, want reads only", may)
	}
	c.ok("password " + s.token)
	c.ok("setvol 33")
}

// Wrong passwords, denied commands and changes are in the audit log.
func TestMPDCommandsAreAudited(t *testing.T) {
	s := start(t, withMPD)
	reader, _ := s.mintToken("read")
	s.mpdWith("").fails(3, "password wxt_wrong")
	s.mpdWith("").fails(4, "status")
	s.mpdWith(reader).fails(4, "clear")
	s.mpdWith(s.token).ok("setvol 41")
	want := map[string]string{"password": "denied", "status": "denied", "clear": "denied", "setvol": "allowed"}
	var out string
	s.eventually(10*time.Second, "the audit records", func() bool {
		out, _, _ = s.run("audit", "--json", "-n", "0")
		var entries []struct{ Server, Route, Decision string }
		if err := json.Unmarshal([]byte(out), &entries); err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, e := range entries {
			if e.Server == "mpd" && want[e.Route] == e.Decision {
				found++
			}
		}
		return found == len(want)
	})
	if strings.Contains(out, "wxt_wrong") || strings.Contains(out, reader) {
		t.Error("the audit log has a secret")
	}
}

// The doctor knows the listener, of this player and of another server.
func TestDoctorChecksTheMPDListener(t *testing.T) {
	s := start(t, withMPD)
	out, _, _ := s.run("doctor", "--output", "null")
	if !strings.Contains(out, "MPD port") || !strings.Contains(out, s.app.MPDAddr) {
		t.Errorf("doctor: got %s, want the MPD port at %s", out, s.app.MPDAddr)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("OK MPD 0.23.5\n")) // the doctor may have gone
			_ = conn.Close()
		}
	}()
	s.stop()
	out, _, code := s.run("doctor", "--output", "null", "--mpd-addr", ln.Addr().String())
	if code == 0 || !strings.Contains(out, "another MPD is running at "+ln.Addr().String()) {
		t.Errorf("doctor beside another MPD: got %d %s, want its address", code, out)
	}
}
