package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// mpdProxy stands between a client and the server, needs no password, and records commands and
// errors.
type mpdProxy struct {
	addr string

	mu       sync.Mutex
	commands []string
	acks     []string
}

func startMPDProxy(t *testing.T, s *server) *mpdProxy {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &mpdProxy{addr: ln.Addr().String()}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	t.Cleanup(func() {
		stop()
		_ = ln.Close() // ends the loop below
		running.Wait()
	})
	running.Go(func() {
		for {
			client, err := ln.Accept()
			if err != nil {
				return
			}
			up, err := net.Dial("unix", s.app.MPDSocket)
			if err != nil {
				_ = client.Close() // the server is gone
				continue
			}
			end := context.AfterFunc(ctx, func() { _, _ = client.Close(), up.Close() })
			running.Go(func() {
				defer end()
				p.carry(up, client, func(line string) { p.commands = append(p.commands, line) })
			})
			running.Go(func() {
				p.carry(client, up, func(line string) {
					if strings.HasPrefix(line, "ACK ") {
						p.acks = append(p.acks, line)
					}
				})
			})
		}
	})
	return p
}

// carry copies lines and binary data, and shows each line to note.
func (p *mpdProxy) carry(to, from net.Conn, note func(string)) {
	defer to.Close()
	in := bufio.NewReaderSize(from, 64<<10)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		p.mu.Lock()
		note(strings.TrimSuffix(line, "\n"))
		p.mu.Unlock()
		if _, err := io.WriteString(to, line); err != nil {
			return
		}
		var size int64
		if n, _ := fmt.Sscanf(line, "binary: %d\n", &size); n == 1 {
			if _, err := io.CopyN(to, in, size+1); err != nil {
				return
			}
		}
	}
}

// check fails the test if an error is not one of those that the client expects, or a command was
// not used.
func (p *mpdProxy) check(t *testing.T, expected []string, used ...string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.acks {
		if !slices.ContainsFunc(expected, func(e string) bool { return strings.Contains(a, e) }) {
			t.Errorf("got the error %q, want none", a)
		}
	}
	for _, name := range used {
		if !p.has(name) {
			t.Errorf("the client did not use %s: %q", name, p.commands)
		}
	}
}

func (p *mpdProxy) has(command string) bool {
	return slices.ContainsFunc(p.commands, func(c string) bool {
		return c == command || strings.HasPrefix(c, command+" ")
	})
}

// used reports whether the client has sent a command.
func (p *mpdProxy) used(command string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.has(command)
}

// count counts a command.
func (p *mpdProxy) count(command string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.commands {
		if c == command {
			n++
		}
	}
	return n
}

// acked counts the errors that contain a text.
func (p *mpdProxy) acked(text string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.acks {
		if strings.Contains(a, text) {
			n++
		}
	}
	return n
}

// clientEnv is an environment without the settings of this account.
func (p *mpdProxy) clientEnv(t *testing.T) (home string, env []string) {
	host, port, err := net.SplitHostPort(p.addr)
	if err != nil {
		t.Fatal(err)
	}
	home = t.TempDir()
	return home, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "MPD_HOST=" + host, "MPD_PORT=" + port,
		"TERM=xterm", "LANG=C.UTF-8", "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + home, "XDG_DATA_HOME=" + home,
		"XDG_RUNTIME_DIR=" + home}
}

// inTerminal runs a program in a pseudo-terminal, sends keys one after another and returns what it
// wrote.
func inTerminal(t *testing.T, env []string, command string, keys ...string) string {
	t.Helper()
	testenv.NeedsTool(t, "script", "stty")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "script", "-qfec", "stty cols 120 rows 40; exec "+command, "/dev/null")
	cmd.Env = env
	screen := &testenv.Buffer{}
	cmd.Stdout, cmd.Stderr = screen, screen
	keyboard, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	testenv.KillWithParent(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for i, key := range keys {
		wait := 250 * time.Millisecond
		if i == 0 {
			wait = 1500 * time.Millisecond // until it has connected
		}
		select {
		case err := <-ended:
			t.Fatalf("%s ended before key %q: %v\n%s", command, key, err, screen)
		case <-time.After(wait):
		}
		if _, err := io.WriteString(keyboard, key); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Errorf("%s did not end after its last key", command)
		cancel()
		<-ended
	}
	return screen.String()
}

func startForClients(t *testing.T) (*server, *mpdProxy) {
	t.Helper()
	testenv.SkipIfShort(t)
	dir, songs := demoFolder(t)
	s := startMPDServer(t, dir, songs)
	s.mpd().ok("add \"Lumen Atlas\"")
	return s, startMPDProxy(t, s)
}

func TestNcmpcppShowsAllScreens(t *testing.T) {
	testenv.NeedsTool(t, "ncmpcpp")
	s, p := startForClients(t)
	_, env := p.clientEnv(t)
	screen := inTerminal(t, env, "ncmpcpp", "1", "\r", "2", "3", "4", "5", "7", "8", "=", "1", "p", ">", "+", "r", "z",
		"u", "s", "q")
	for _, want := range []string{"Cirrus", "Ebb", "Flood"} {
		if !strings.Contains(screen, want) {
			t.Errorf("the screen lacks %q:\n%s", want, screen)
		}
	}
	if got := value(s.mpd().ok("status"), "repeat"); got != "1" {
		t.Errorf("repeat after the key r: got %s, want 1", got)
	}
	p.check(t, nil, "idle", "plchanges", "status", "lsinfo")
}

func TestNcmpcShowsAllScreens(t *testing.T) {
	testenv.NeedsTool(t, "ncmpc")
	s, p := startForClients(t)
	_, env := p.clientEnv(t)
	screen := inTerminal(t, env, "ncmpc", "1", "2", "3", "4", "5", "6", "7", "8", "2", "\r", "P", ">", "z", "q")
	if !strings.Contains(screen, "Cirrus") {
		t.Errorf("the screen lacks the queue:\n%s", screen)
	}
	if got := value(s.mpd().ok("status"), "random"); got != "1" {
		t.Errorf("random after the key z: got %s, want 1", got)
	}
	p.check(t, nil, "idle", "status", "lsinfo")
}

// pythonMPD is what the integration of Home Assistant does with its library.
const pythonMPD = `
import asyncio, mpd, sys
from mpd.asyncio import MPDClient
MPDClient.IMMEDIATE_COMMAND_TIMEOUT = 1 # its idle loses replies, with MPD too, if commands follow it at once
async def main():
    c = MPDClient()
    host, port = sys.argv[1].rsplit(":", 1)
    await c.connect(host, int(port))
    await c.password(sys.argv[2])
    commands = list(await c.commands())
    for name in ("albumart", "readpicture", "idle", "status", "currentsong", "seekcur"):
        assert name in commands, name
    assert (await c.status())["state"] == "stop"
    await c.clear()
    await c.add("Lumen Atlas/Slow Weather/02 Ebb.flac")
    await c.add("Lumen Atlas/Slow Weather/03 Flood.flac")
    await c.play()
    status, song = await c.status(), await c.currentsong()
    assert status["state"] == "play" and song["title"] == "Ebb" and song["artist"] == "Lumen Atlas", (status, song)
    assert float(status["duration"]) > 1 and song["pos"] == "0", status
    for read in (c.albumart, c.readpicture):
        async def picture():
            return (await read(song["file"]))["binary"]
        data = await picture()
        assert data[:2] == b"\xff\xd8" and len(data) > 5000, len(data)
    await c.setvol(35); assert (await c.status())["volume"] == "35"
    await c.pause(1); assert (await c.status())["state"] == "pause"
    await c.pause(0); await c.next()
    assert (await c.currentsong())["title"] == "Flood"
    await c.previous(); await c.seekcur(1)
    await c.random(1); await c.random(0); await c.repeat(1); await c.single(1); await c.repeat(0); await c.single(0)
    await c.save("From HA")
    assert [p["playlist"] for p in list(await c.listplaylists())] == ["From HA"]
    await c.clear(); await c.load("From HA"); await c.rm("From HA")
    assert (await c.status())["playlistlength"] == "2"
    changes = c.idle(["mixer"])
    other = mpd.MPDClient(); other.connect(host, int(port)); other.password(sys.argv[2]); other.setvol(36)
    async for what in changes:
        assert what == ["mixer"], what
        break
    assert len(other.listallinfo()) > 14
    assert len(other.list("album", "group", "albumartist")) == 4
    print("complete")
asyncio.run(main())
`

func TestPythonMPDWithTheSequenceOfHomeAssistant(t *testing.T) {
	if exec.Command("/usr/bin/python3", "-c", "import mpd.asyncio").Run() != nil {
		testenv.NeedsTool(t, "python3-mpd") // a package, not a program: the test is skipped
	}
	s, _ := startForClients(t)
	s.mpd().ok("clear")
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/usr/bin/python3", "-c", pythonMPD, s.app.MPDAddr, s.token)
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "complete" {
		t.Errorf("got %v, want no error: %s", err, out)
	}
}

// startClient runs a program until the end of the test, and logs what it printed if that failed.
func startClient(t *testing.T, env []string, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	log := &testenv.Buffer{}
	cmd.Env, cmd.Stdout, cmd.Stderr = env, log, log
	testenv.KillWithParent(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s printed: %s", name, log)
		}
	})
}

func TestMpdscribbleRecordsAListen(t *testing.T) {
	testenv.NeedsTool(t, "mpdscribble")
	s, p := startForClients(t)
	home, env := p.clientEnv(t)
	host, port, err := net.SplitHostPort(p.addr)
	if err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(home, "journal")
	config := fmt.Sprintf("host = %s\nport = %s\nverbose = 2\njournal_interval = 1\n[test]\nurl = http://127.0.0.1:1/\n"+
		"username = a\npassword = b\njournal = %s\n", host, port, journal)
	file := filepath.Join(home, "mpdscribble.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	startClient(t, env, "mpdscribble", "--no-daemon", "--conf", file, "--log", filepath.Join(home, "log"))
	c := s.mpd()
	c.ok("play 0")
	s.eventually(10*time.Second, "mpdscribble to read the song",
		func() bool { return p.used("currentsong") && p.used("idle") })
	if testenv.Long() { // a listen is half of a song of at least 30 s
		time.Sleep(20 * time.Second)
		c.ok("play 1")
		s.eventually(10*time.Second, "the journal", func() bool {
			text, err := os.ReadFile(journal)
			return err == nil && strings.Contains(string(text), "Cirrus")
		})
	}
	p.check(t, nil)
}

func TestPlayerctlThroughMpDris2(t *testing.T) {
	testenv.NeedsTool(t, "mpDris2", "playerctl", "dbus-daemon")
	s, p := startForClients(t)
	_, env := p.clientEnv(t)
	bus := testenv.StartBus(t)
	env = append(env, bus.Env()...)
	startClient(t, env, "mpDris2")
	control := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "playerctl", append([]string{"--player=mpd"}, args...)...)
		cmd.Env = env
		out, _ := cmd.CombinedOutput() // the caller compares what it prints
		return strings.TrimSpace(string(out))
	}
	s.eventually(15*time.Second, "mpDris2", func() bool { return control("status") == "Stopped" })
	control("play")
	s.eventually(5*time.Second, "the title", func() bool { return control("metadata", "title") == "Cirrus" })
	control("next")
	s.eventually(5*time.Second, "the next title", func() bool { return control("metadata", "title") == "Ebb" })
	control("pause")
	s.eventually(5*time.Second, "the pause", func() bool { return value(s.mpd().ok("status"), "state") == "pause" })
	p.check(t, []string{"{albumart}", "{readpicture}"}, "idle", "status")
}

func TestMpdSimaAddsASong(t *testing.T) {
	testenv.NeedsTool(t, "mpd-sima")
	s, p := startForClients(t)
	home, env := p.clientEnv(t)
	host, port, err := net.SplitHostPort(p.addr)
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf("[MPD]\nhost = %s\nport = %s\n[log]\nverbosity = debug\n[sima]\ninternal = Crop, Random\n"+
		"history_duration = 0\nqueue_length = 2\nvar_dir = %s\n[random]\ntrack_to_add = 1\nflavour = pure\n", host, port,
		home)
	file := filepath.Join(home, "mpd_sima.cfg")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	startClient(t, env, "mpd-sima", "--config", file, "--var-dir", home)
	c := s.mpd()
	c.ok("clear")
	c.ok("add \"Lumen Atlas/Slow Weather/02 Ebb.flac\"")
	c.ok("play 0")
	s.eventually(20*time.Second, "a song of mpd-sima", func() bool {
		return value(c.ok("status"), "playlistlength") != "1"
	})
	p.check(t, nil, "status", "commands")
}
