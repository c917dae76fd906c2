package e2e

import (
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// mpdDesktop is a desktop client on a virtual screen.
type mpdDesktop struct {
	s   *server
	p   *mpdProxy
	env []string
}

func startMPDDesktop(t *testing.T, program string, configure func(home string, p *mpdProxy)) *mpdDesktop {
	t.Helper()
	needsApps(t, program, "xdotool", "Xvfb", "dbus-daemon")
	s, p := startForClients(t)
	home, env := p.clientEnv(t)
	if configure != nil {
		configure(home, p)
	}
	env = append(env, "DISPLAY="+startScreen(t), "GDK_BACKEND=x11", "QT_QPA_PLATFORM=xcb", "NO_AT_BRIDGE=1")
	d := &mpdDesktop{s, p, append(env, testenv.StartBus(t).Env()...)}
	startClient(t, d.env, program)
	return d
}

// xdotool returns what the program prints.
func (d *mpdDesktop) xdotool(args ...string) string {
	cmd := exec.CommandContext(d.s.t.Context(), "xdotool", args...)
	cmd.Env = d.env
	out, _ := cmd.Output() // the caller compares it
	return strings.TrimSpace(string(out))
}

// await waits until the client has used commands.
func (d *mpdDesktop) await(commands ...string) {
	d.s.t.Helper()
	for _, command := range commands {
		d.s.eventually(60*time.Second, "the command "+command, func() bool { return d.p.used(command) })
	}
}

// titled waits until a window has a name.
func (d *mpdDesktop) titled(name string) {
	d.s.t.Helper()
	d.s.eventually(30*time.Second, "a window named "+name, func() bool {
		return d.xdotool("search", "--onlyvisible", "--name", name) != ""
	})
}

func TestCantataClient(t *testing.T) {
	d := startMPDDesktop(t, "cantata", func(home string, p *mpdProxy) {
		host, port, err := net.SplitHostPort(p.addr)
		if err != nil {
			t.Fatal(err)
		}
		writeSettings(t, filepath.Join(home, "cantata", "cantata.conf"), fmt.Sprintf(
			"[General]\nversion=2.5.0\npage=LibraryPage\n[Connection]\nhost=%s\nport=%s\n", host, port))
	})
	d.await("idle", "playlistinfo", "list", "listplaylists", "outputs", "stats", `lsinfo "Lumen Atlas/Slow Weather"`,
		`albumart "Lumen Atlas/Slow Weather/" 0`, "sticker")
	d.titled("Cantata")
	before := d.p.count("currentsong")
	d.s.mpd().ok("play 1")
	d.s.eventually(30*time.Second, "cantata to notice the song", func() bool { return d.p.count("currentsong") > before })
	// It asks for what need not exist: a cover, a rating, its own radio streams, its server extension.
	d.p.check(t, []string{"{albumart}", "{sticker}", "{listplaylistinfo}", "{lsinfo}"})
	if d.p.acked("{albumart}") > 1 {
		t.Errorf("covers that were refused: got %d, want at most that of the root", d.p.acked("{albumart}"))
	}
}

func TestSonataClient(t *testing.T) {
	d := startMPDDesktop(t, "sonata", nil)
	d.await("plchanges", "currentsong", "lsinfo", "listplaylists", `search "album"`)
	d.s.mpd().ok("play 1")
	d.titled("Ebb")
	d.p.check(t, nil)
}

func TestYmuseClient(t *testing.T) {
	d := startMPDDesktop(t, "ymuse", nil)
	d.await("idle", "playlistinfo", "currentsong", "readpicture")
	d.titled("ymuse")
	d.s.mpd().ok("play 1")
	d.await(`readpicture "Lumen Atlas/Slow Weather/02 Ebb.flac"`)
	d.p.check(t, nil)
}
