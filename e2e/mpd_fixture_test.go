package e2e

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"waxwing/internal/app"
	"waxwing/internal/demo"
	"waxwing/internal/testenv"
)

// withMPD lets MPD clients connect, and to the socket mpd.sock in the data folder.
func withMPD(c *app.Config) {
	c.Player.MPD = &app.MPDConfig{Addr: "127.0.0.1:0", Socket: c.DataDir.File("mpd.sock")}
}

// startMPDServer starts a server for MPD clients over a music folder, and returns when all its
// songs are in the catalog.
func startMPDServer(t *testing.T, music string, songs int, set ...func(*app.Config)) *server {
	t.Helper()
	s := start(t, append([]func(*app.Config){withMPD, withMusic(music), withoutRateLimit}, set...)...)
	c := s.catalogClient("read")
	s.eventually(30*time.Second, "the first scan", func() bool {
		return c.read("/api/songs")["total"] == float64(songs) &&
			c.read("/api/scan")["scan"].(map[string]any)["running"] == false
	})
	return s
}

// demoFolder copies the demo music to a folder, without its playlist.
func demoFolder(t *testing.T) (dir string, songs int) {
	t.Helper()
	dir = t.TempDir()
	err := fs.WalkDir(demo.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".m3u8") {
			return err
		}
		data, err := fs.ReadFile(demo.FS(), name)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if !strings.HasSuffix(name, ".jpg") {
			songs++
		}
		return os.WriteFile(to, data, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir, songs
}

// mpdClient is a connection of an MPD client.
type mpdClient struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

// dialMPD connects and reads the greeting.
func dialMPD(t *testing.T, network, addr string) *mpdClient {
	t.Helper()
	conn, err := net.DialTimeout(network, addr, 5*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // some tests close it
	c := &mpdClient{t, conn, bufio.NewReader(conn)}
	if greeting := c.line(); !strings.HasPrefix(greeting, "OK MPD ") {
		t.Fatalf("greeting: got %q, want OK MPD and a version", greeting)
	}
	return c
}

// mpd connects through the socket of the owner.
func (s *server) mpd() *mpdClient {
	s.t.Helper()
	return dialMPD(s.t, "unix", s.app.MPDSocket)
}

// mpdWith connects to the port and sends a password, unless that is empty.
func (s *server) mpdWith(token string) *mpdClient {
	s.t.Helper()
	c := dialMPD(s.t, "tcp", s.app.MPDAddr)
	if token != "" {
		c.ok("password " + token)
	}
	return c
}

// line reads a line; "" if the connection is closed.
func (c *mpdClient) line() string {
	c.t.Helper()
	_ = c.conn.SetReadDeadline(time.Now().Add(20 * time.Second)) // a closed connection fails the read
	line, err := c.in.ReadString('\n')
	if err != nil && line == "" {
		if os.IsTimeout(err) {
			c.t.Fatal("no reply after 20 s")
		}
		return ""
	}
	return strings.TrimSuffix(line, "\n")
}

func (c *mpdClient) send(text string) {
	c.t.Helper()
	_ = c.conn.SetWriteDeadline(time.Now().Add(20 * time.Second)) // a closed connection fails the write
	if _, err := io.WriteString(c.conn, text); err != nil {
		c.t.Logf("write: %v", err) // the server may have closed the connection
	}
}

// do sends a command, or the lines of a command list, and returns the lines of its reply and the
// final one. Binary data is replaced by its length.
func (c *mpdClient) do(command string) (lines []string, final string) {
	c.t.Helper()
	c.send(command + "\n")
	return c.reply()
}

func (c *mpdClient) reply() (lines []string, final string) {
	c.t.Helper()
	for {
		line := c.line()
		if line == "" || line == "OK" || strings.HasPrefix(line, "ACK ") {
			return lines, line
		}
		lines = append(lines, line)
		if size, ok := strings.CutPrefix(line, "binary: "); ok {
			n, err := strconv.Atoi(size)
			if err != nil {
				c.t.Fatal(err)
			}
			if _, err := io.CopyN(io.Discard, c.in, int64(n)+1); err != nil {
				c.t.Fatal(err)
			}
		}
	}
}

// ok sends a command that must succeed.
func (c *mpdClient) ok(command string) []string {
	c.t.Helper()
	lines, final := c.do(command)
	if final != "OK" {
		c.t.Fatalf("%s: got %q, want OK", command, final)
	}
	return lines
}

// fails sends a command that must fail with a code.
func (c *mpdClient) fails(code int, command string) {
	c.t.Helper()
	if _, final := c.do(command); !strings.HasPrefix(final, fmt.Sprintf("ACK [%d@", code)) {
		c.t.Errorf("%s: got %q, want ACK %d", command, final, code)
	}
}

// closes sends text, after which the server must close the connection without a further line.
func (c *mpdClient) closes(what, text string) {
	c.t.Helper()
	c.send(text)
	if line := c.line(); line != "" {
		c.t.Errorf("%s: got %q, want a closed connection", what, line)
	}
}

// value returns the first value of a field, or "".
func value(lines []string, name string) string {
	for _, line := range lines {
		if v, ok := strings.CutPrefix(line, name+": "); ok {
			return v
		}
	}
	return ""
}

// values returns all values of a field.
func values(lines []string, name string) (all []string) {
	for _, line := range lines {
		if v, ok := strings.CutPrefix(line, name+": "); ok {
			all = append(all, v)
		}
	}
	return all
}

// realMPD starts Debian's MPD over a music folder and returns its address.
func realMPD(t *testing.T, music string) string {
	t.Helper()
	testenv.NeedsTool(t, "mpd")
	dir := t.TempDir()
	for _, sub := range []string{"playlists", "run"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_ = ln.Close() // MPD takes the port
	file := filepath.Join(dir, "mpd.conf")
	config := fmt.Sprintf("music_directory %q\nplaylist_directory %q\ndb_file %q\nsticker_file %q\n"+
		"bind_to_address %q\nport %q\nauto_update \"no\"\nzeroconf_enabled \"no\"\naudio_output {\ntype \"null\"\n"+
		"name \"No sound\"\nmixer_type \"software\"\n}\n", music, filepath.Join(dir, "playlists"),
		filepath.Join(dir, "db"), filepath.Join(dir, "stickers"), host, port)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("mpd", "--no-daemon", "--stderr", file)
	log := &testenv.Buffer{}
	cmd.Stdout, cmd.Stderr = log, log
	testenv.KillWithParent(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("log of MPD:\n%s", log)
		}
	})
	addr := net.JoinHostPort(host, port)
	for deadline := time.Now().Add(15 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if c, err := net.Dial("tcp", addr); err == nil {
			_ = c.Close() // it only had to connect
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("MPD does not accept connections:\n%s", log)
		}
	}
	c := dialMPD(t, "tcp", addr)
	c.ok("update")
	for value(c.ok("status"), "updating_db") != "" {
		time.Sleep(10 * time.Millisecond)
	}
	return addr
}
