package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/testenv"
)

// mintToken creates a token through the control API.
func (s *server) mintToken(permission string) (secret, id string) {
	s.t.Helper()
	r := s.request("POST", "/tokens", fmt.Sprintf(`{"name":"mpd %s","permissions":["%s"]}`, permission, permission))
	if r.status != 200 && r.status != 201 {
		s.t.Fatalf("create a token: got %d %s", r.status, r.body)
	}
	body := r.json(s.t)
	token, _ := body["token"].(map[string]any)
	secret, _ = body["secret"].(string)
	if token != nil {
		id, _ = token["id"].(string)
	}
	if secret == "" {
		s.t.Fatalf("create a token: got %s, want a secret", r.body)
	}
	return secret, id
}

func TestMPDPasswordIsATokenWithItsPermissions(t *testing.T) {
	dir, songs := demoFolder(t)
	s := startMPDServer(t, dir, songs)
	stranger := s.mpdWith("")
	tried := 0
	for _, command := range []string{"status", "play", "lsinfo", "commands", "idle", "update", "sticker get song x y",
		"list artist", "setvol 10", "subscribe a", "outputs", "tagtypes", "clear"} {
		stranger.fails(4, command)
		tried++
	}
	stranger.ok("ping")
	for _, wrong := range append(testenv.NearMisses(s.token, 6), "", "x", "wxt_") {
		stranger.fails(3, fmt.Sprintf("password %q", wrong))
		tried++
	}
	stranger.fails(4, "status")

	readToken, _ := s.mintToken("read")
	reader := s.mpdWith(readToken)
	reader.ok("status")
	reader.ok("lsinfo")
	before := s.mpd().ok("status")
	for _, command := range []string{"play", "clear", "add /", "setvol 3", "save x", "rm x", "update", "repeat 1",
		"sticker set song a b c", "sendmessage a b", "enableoutput 0", "findadd artist x", "playlistadd a b", "stop",
		"prio 1 0", "replay_gain_mode off", "consume 1", "load x", "next", "command_list_begin\nclear\ncommand_list_end"} {
		reader.fails(4, command)
		tried++
	}
	if after := s.mpd().ok("status"); value(after, "volume") != value(before, "volume") ||
		value(after, "playlist") != value(before, "playlist") {
		t.Errorf("after commands of a read token: got %v, want %v", after, before)
	}
	may := values(reader.ok("commands"), "command")
	if slices.Contains(may, "play") || !slices.Contains(may, "status") {
		t.Errorf("commands of a read token: got %v, want reads only", may)
	}
	if not := values(reader.ok("notcommands"), "command"); !slices.Contains(not, "play") {
		t.Errorf("notcommands of a read token: got %v, want the changes", not)
	}
	writeToken, _ := s.mintToken("write")
	writer := s.mpdWith(writeToken)
	writer.ok("setvol 42")
	writer.fails(4, "status") // write does not include read
	if got := value(s.mpd().ok("status"), "volume"); got != "42" {
		t.Errorf("volume: got %s, want 42", got)
	}
	testenv.Report(t, testenv.Scopes, testenv.Tally{Inputs: tried, Note: "commands of MPD clients without the permission"})
}

func TestMPDRevocationEndsTheConnection(t *testing.T) {
	s := start(t, withMPD)
	secret, id := s.mintToken("read")
	const listeners = 20
	var open []*mpdClient
	for range listeners {
		c := s.mpdWith(secret)
		c.send("idle mixer\n")
		open = append(open, c)
	}
	began := time.Now()
	if r := s.request("POST", "/tokens/revoke", fmt.Sprintf(`{"id":%q}`, id)); r.status != 200 {
		t.Fatalf("revoke: got %d %s", r.status, r.body)
	}
	late := 0
	for _, c := range open {
		if line := c.line(); line != "" {
			t.Errorf("after the revocation: got %q, want a closed connection", line)
		}
		if time.Since(began) > time.Second {
			late++
		}
	}
	took := time.Since(began)
	s.mpdWith("").fails(3, "password "+secret)
	testenv.Report(t, testenv.Revocation, testenv.Tally{Faults: listeners, Violations: late,
		Note: fmt.Sprintf("%d MPD connections closed in %d ms of 1000", listeners, took.Milliseconds())})
}

// A page that a browser shows can send requests to the port, also with methods in lower case.
func TestMPDClosesRequestsOfBrowsers(t *testing.T) {
	s := start(t, withMPD)
	before := s.mpd().ok("status")
	attacks := []string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST / HTTP/1.1\r\n\r\nclear\n", "get / HTTP/1.1\r\n\r\n",
		"post /x HTTP/1.0\r\nContent-Length: 9\r\n\r\npassword x\nclear\n", "setvol 0 HTTP/1.1\r\nsetvol 0\n",
		"ping  HTTP/1.1\nsetvol 0\n", "ping\tHTTP/2\nsetvol 0\n", "\nsetvol 0\n", "\r\nsetvol 0\n", " setvol 0\n",
		"Setvol 0\n", "\x00setvol 0\n", "\x16\x03\x01\x02\x00", "{\"a\":1}\n", "1setvol\n", "OPTIONS * HTTP/1.1\r\n\r\n",
		"command_list_begin\nget / HTTP/1.1\nsetvol 0\ncommand_list_end\n",
	}
	for _, text := range attacks {
		c := s.mpdWith(s.token)
		c.closes(fmt.Sprintf("%q", text), text)
	}
	if after := s.mpd().ok("status"); value(after, "volume") != value(before, "volume") {
		t.Errorf("after the requests: got %v, want %v", after, before)
	}
	testenv.Report(t, testenv.HostHeaders, testenv.Tally{Inputs: len(attacks),
		Note: "HTTP requests and other protocols at the port for MPD clients"})
}

func TestMPDLinesAndListsAreBounded(t *testing.T) {
	s := start(t, withMPD)
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	before := stats.TotalAlloc
	tried := 0
	closes := func(what string, text string) {
		t.Helper()
		s.mpdWith(s.token).closes(what, text)
		tried++
	}
	closes("a line of 10 MB", "find artist "+strings.Repeat("x", 10<<20))
	closes("a list of 10 MB", "command_list_begin\n"+strings.Repeat("ping "+strings.Repeat("x", 1000)+"\n", 10<<10))
	closes("a list of a million commands", "command_list_begin\n"+strings.Repeat("ping\n", 1_000_000))
	runtime.ReadMemStats(&stats)
	if got := (stats.TotalAlloc - before) >> 20; got > 100 {
		t.Errorf("memory allocated: got %d MB, want at most 100", got)
	}
	c := s.mpdWith(s.token)
	if lines, final := c.do("command_list_ok_begin\nping\ncommand_list_begin\nping\ncommand_list_end"); len(lines) != 1 ||
		!strings.HasPrefix(final, "ACK [5@1] {}") {
		t.Errorf("nested lists: got %v %q, want one list_OK and ACK 5 at 1", lines, final)
	}
	c.fails(5, "command_list_end")
	c.fails(2, "find "+strings.Repeat("(", 1000))
	c.fails(2, "find \""+strings.Repeat("(!", 1000)+"(artist == 'x')"+strings.Repeat(")", 1000)+"\"")
	c.fails(2, "find \"(artist =~ '"+strings.Repeat("(a*)*", 500)+"')\"")
	c.ok("find \"(artist =~ '(a*)*b')\"")
	c.fails(5, "x"+strings.Repeat("y", 60_000))
	c.fails(5, "idleping")
	c.ok("ping")
	s.mpdWith(s.token).closes("a command while idle", "idle\nping\n")
	s.mpdWith(s.token).closes("a second idle while idle", "idle\nidle\n")
	tried += 10
	testenv.Report(t, testenv.Parameters, testenv.Tally{Inputs: tried,
		Note: "oversized and nested commands of MPD clients"})
}

func TestMPDConnectionsAreLimited(t *testing.T) {
	s := start(t, withMPD)
	const limit = 100
	var open []*mpdClient
	for range limit {
		open = append(open, s.mpdWith(s.token))
	}
	conn, err := net.Dial("tcp", s.app.MPDAddr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second)) // a closed connection fails the read
	if n, err := conn.Read(make([]byte, 10)); err == nil || os.IsTimeout(err) {
		t.Errorf("connection 101: got %d bytes, %v; want a closed connection", n, err)
	}
	s.mpd().ok("status") // the owner's socket has connections of its own
	if r := s.request("GET", "/playback-state", ""); r.status != 200 {
		t.Errorf("control API: got %d, want 200", r.status)
	}
	_ = open[0].conn.Close() // makes room
	s.eventually(5*time.Second, "room for a connection", func() bool {
		conn, err := net.Dial("tcp", s.app.MPDAddr)
		if err != nil {
			return false
		}
		defer conn.Close()
		_ = conn.SetReadDeadline(time.Now().Add(time.Second)) // see above
		n, _ := conn.Read(make([]byte, 10))
		return n > 0
	})
	for _, c := range open[1:] {
		_ = c.conn.Close() // already closed at worst
	}
	// Connections without a password make room for others.
	s.eventually(5*time.Second, "the connections to end", func() bool {
		for range limit {
			if conn, err := net.Dial("tcp", s.app.MPDAddr); err == nil {
				t.Cleanup(func() { _ = conn.Close() })
			}
		}
		return true
	})
	s.mpdWith(s.token).ok("status")
	testenv.Report(t, testenv.Floods, testenv.Tally{Faults: 2 * limit, Note: "connections of MPD clients"})
}

// Clients that send commands and never read the replies do not delay others.
func TestMPDDeafReadersDelayNobody(t *testing.T) {
	dir, songs := demoFolder(t)
	s := startMPDServer(t, dir, songs)
	const deaf = 20
	for range deaf {
		c := s.mpdWith(s.token)
		go func() {
			for range 20_000 {
				if _, err := c.conn.Write([]byte("listallinfo\n")); err != nil {
					return
				}
			}
		}()
	}
	listener, control := s.mpd(), s.mpd()
	listener.send("idle mixer\n")
	var worst time.Duration
	for i := range 50 {
		began := time.Now()
		control.ok(fmt.Sprintf("setvol %d", i))
		listener.reply()
		worst = max(worst, time.Since(began))
		listener.send("idle mixer\n")
	}
	violations := 0
	if worst > 2*time.Second {
		violations++
	}
	testenv.Report(t, testenv.SlowClients, testenv.Tally{Faults: deaf, Violations: violations,
		Note: fmt.Sprintf("MPD clients that never read; slowest event %d ms of 2000", worst.Milliseconds())})
}

func TestMPDOpensNoFileOutsideTheLibrary(t *testing.T) {
	dir, songs := demoFolder(t)
	secret := filepath.Join(filepath.Dir(dir), "secret.flac")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startMPDServer(t, dir, songs)
	c := s.mpd()
	uris := []string{"../secret.flac", "/etc/passwd", "file:///etc/passwd", "file://" + secret, secret, "..", "../..",
		"Lumen Atlas/../../secret.flac", "%2e%2e/secret.flac", "a\\..\\secret.flac", "smb://x/y", "FILE:///etc/passwd",
		"mpd-client://x", "cdda://", "alsa://", "./../secret.flac", strings.Repeat("../", 500) + "etc/passwd", "//etc/passwd"}
	tried := 0
	for _, uri := range uris {
		for _, command := range []string{"add", "addid", "lsinfo", "listall", "listallinfo", "listfiles", "readcomments",
			"albumart %s 0", "readpicture %s 0", "playlistadd x", "sticker get song %s a", "sticker list song %s"} {
			line := command + " " + quoteMPD(uri)
			if strings.Contains(command, "%s") {
				line = strings.Replace(command, "%s", quoteMPD(uri), 1)
			}
			tried++
			if lines, final := c.do(line); len(lines) > 0 || !strings.HasPrefix(final, "ACK ") {
				t.Errorf("%s: got %v %q, want an error", line, lines, final)
			}
		}
	}
	for _, name := range []string{"../x", "a/b", "/etc/x", "", strings.Repeat("x", 300)} {
		c.fails(2, "save "+quoteMPD(name))
		tried++
	}
	testenv.Report(t, testenv.Paths, testenv.Tally{Inputs: tried, Note: "paths of MPD clients"})
}

// quoteMPD returns an argument in quotes.
func quoteMPD(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func TestMPDGuessingIsDelayedAndTheOwnerIsNot(t *testing.T) {
	s := start(t, withMPD)
	c := s.mpdWith("")
	began := time.Now()
	for range 12 {
		c.fails(3, "password "+string(access.TokenPrefix)+"wrong")
	}
	if took := time.Since(began); took < 2*time.Second {
		t.Errorf("12 wrong passwords: got %v, want a delay after ten", took)
	}
	began = time.Now()
	s.mpdWith(s.token).ok("status")
	if took := time.Since(began); took > time.Second {
		t.Errorf("a valid password: got %v, want no delay", took)
	}
}
