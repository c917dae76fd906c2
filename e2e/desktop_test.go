package e2e

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"waxwing/internal/app"
	"waxwing/internal/testenv"
)

// desktop is a server with its own D-Bus session bus.
type desktop struct {
	*server
	bus *testenv.Bus
}

func onDesktop(t *testing.T, set ...func(*app.Config)) desktop {
	t.Helper()
	testenv.NeedsTool(t, "playerctl")
	bus := testenv.StartBus(t)
	setenv(t, bus.Env())
	d := desktop{start(t, set...), bus}
	d.env = append(d.env, bus.Env()...)
	return d
}

// playerctl runs playerctl and returns its output on one line.
func (d desktop) playerctl(args ...string) string {
	d.t.Helper()
	cmd := exec.Command("playerctl", args...)
	cmd.Env = d.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Errorf("playerctl %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// waitOnBus waits until playerctl finds the player.
func (d desktop) waitOnBus() {
	d.t.Helper()
	d.eventually(10*time.Second, "the player to be on the bus", func() bool {
		cmd := exec.Command("playerctl", "--list-all")
		cmd.Env = d.env
		out, _ := cmd.Output() // it fails until the bus runs
		return strings.TrimSpace(string(out)) == "waxwing"
	})
}

// follow starts playerctl --follow and returns its lines.
func (d desktop) follow(args ...string) <-chan string {
	d.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "playerctl", append([]string{"--follow"}, args...)...)
	cmd.Env = d.env
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		cancel()
		d.t.Fatal(err)
	}
	lines, done := make(chan string, 100), make(chan struct{})
	go func() {
		defer close(done)
		for in := bufio.NewScanner(out); in.Scan(); {
			lines <- in.Text()
		}
	}()
	d.t.Cleanup(func() { cancel(); <-done; _ = cmd.Wait() })
	return lines
}

// prints waits for a line.
func (d desktop) prints(lines <-chan string, want string) {
	d.t.Helper()
	var seen []string
	for deadline := time.After(10 * time.Second); ; {
		select {
		case line := <-lines:
			if line == want {
				return
			}
			seen = append(seen, line)
		case <-deadline:
			d.t.Fatalf("playerctl --follow printed %q, not %q", seen, want)
		}
	}
}

func (d desktop) track() map[string]any {
	d.t.Helper()
	track, _ := d.get("/current-track")["track"].(map[string]any)
	return track
}

// TestPlayerctlControlsThePlayer runs the commands of a desktop and checks the state of the HTTP
// API after each.
func TestPlayerctlControlsThePlayer(t *testing.T) {
	d := onDesktop(t, withMPRIS)
	d.waitOnBus()
	states := d.follow("status")
	titles := d.follow("metadata", "--format", "{{ title }}")
	state := func(key string, want any) {
		t.Helper()
		if got := d.get("/playback-state")[key]; got != want {
			t.Errorf("%s is %v over HTTP, want %v", key, got, want)
		}
	}

	d.playerctl("play")
	state("is_playing", true)
	d.prints(states, "Playing")
	track := d.track()
	for format, want := range map[string]any{
		"{{ title }}": track["title"], "{{ artist }}": track["artist"], "{{ album }}": track["album"],
		"{{ mpris:artUrl }}": track["cover_url"],
		"{{ mpris:length }}": strconv.Itoa(int(track["duration"].(float64)) * 1000), "{{ xesam:url }}": "waxwing:" +
			track["id"].(string),
	} {
		if got := d.playerctl("metadata", "--format", format); got != want {
			t.Errorf("metadata %s is %q, want %q", format, got, want)
		}
	}
	d.prints(titles, track["title"].(string))

	d.playerctl("pause")
	state("is_playing", false)
	d.prints(states, "Paused")
	d.playerctl("position", "7.5")
	if at := d.track()["position"].(float64); at < 7495 || at > 7505 {
		t.Errorf("position is %v over HTTP, want 7500", at)
	}
	d.playerctl("position", "2.5-")
	d.post("/seek", fmt.Sprintf(`{"position": %v}`, d.track()["position"].(float64)+1000))
	if at, _ := strconv.ParseFloat(d.playerctl("position"), 64); at < 5.99 || at > 6.01 {
		t.Errorf("position is %v in playerctl, want 6", at)
	}

	d.playerctl("next")
	second := d.track()
	d.prints(titles, second["title"].(string))
	state("is_playing", false)
	d.playerctl("previous")
	if got := d.track()["id"]; got != track["id"] {
		t.Errorf("previous of next is %v, want %v", got, track["id"])
	}

	for loop, repeat := range map[string]string{"Track": "one", "Playlist": "all", "None": "off"} {
		d.playerctl("loop", loop)
		state("repeat", repeat)
	}
	d.playerctl("shuffle", "On")
	state("shuffle", true)
	d.post("/shuffle", `{"shuffle": false}`)
	if got := d.playerctl("shuffle"); got != "Off" {
		t.Errorf("shuffle is %s in playerctl", got)
	}
	d.playerctl("volume", "0.42")
	if v := d.get("/volume"); v["volume"] != 42.0 || v["muted"] != false {
		t.Errorf("volume is %v over HTTP", v)
	}
	d.post("/volume", `{"volume": 77}`)
	if got := d.playerctl("volume"); got != "0.770000" {
		t.Errorf("volume is %s in playerctl", got)
	}
	d.playerctl("play-pause")
	d.prints(states, "Playing")
	d.playerctl("stop")
	state("is_playing", false)
	d.prints(states, "Stopped")
	if at := d.track()["position"]; at != 0.0 {
		t.Errorf("stopped at %v over HTTP", at)
	}
	d.playerctl("play")
	d.prints(states, "Playing")
	d.playerctl("open", "waxwing:"+second["id"].(string))
	if got := d.track()["id"]; got != second["id"] {
		t.Errorf("opened %v", got)
	}
}

// TestPlayerReturnsAfterBusRestart kills the session bus. Playback continues, and the player
// registers on the new bus.
func TestPlayerReturnsAfterBusRestart(t *testing.T) {
	d := onDesktop(t, withMPRIS)
	d.waitOnBus()
	d.playerctl("play")
	d.bus.Kill()
	before := d.track()["id"]
	d.post("/next", "")
	after := d.track()
	if after["id"] == before || after["is_playing"] != true {
		t.Errorf("without a bus: %v", after)
	}
	d.bus.Restart()
	d.waitOnBus()
	if got := d.playerctl("metadata", "--format",
		"{{ status }} {{ xesam:url }}"); got != "Playing waxwing:"+after["id"].(string) {
		t.Errorf("after the restart playerctl says %q", got)
	}
}

func TestNoMPRISFlagStaysOffTheBus(t *testing.T) {
	d := onDesktop(t)
	d.post("/play", "")
	conn, err := dbus.Connect(d.bus.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var names []string
	if err := conn.BusObject().Call("org.freedesktop.DBus.ListNames", 0).Store(&names); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, "waxwing") }) {
		t.Errorf("on the bus: %v", names)
	}
}

// mprisView is the state of the player as MPRIS properties.
type mprisView map[string]any

// listener updates a view from signals alone, as desktop panels do.
type listener struct {
	mu   sync.Mutex
	view mprisView
}

func (l *listener) take(s *dbus.Signal) {
	if s.Name != "org.freedesktop.DBus.Properties.PropertiesChanged" || s.Body[0] != "org.mpris.MediaPlayer2.Player" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, v := range s.Body[1].(map[string]dbus.Variant) {
		l.view[name] = v.Value()
	}
}

// summary converts a view to the terms of the HTTP API.
func (v mprisView) summary() string {
	repeat := map[any]string{"None": "off", "Track": "one", "Playlist": "all"}[v["LoopStatus"]]
	about, _ := v["Metadata"].(map[string]dbus.Variant)
	url, _ := about["xesam:url"].Value().(string)
	return fmt.Sprintf("playing %v shuffle %v repeat %s volume %.0f track %s", v["PlaybackStatus"] == "Playing",
		v["Shuffle"], repeat, v["Volume"].(float64)*100, strings.TrimPrefix(url, "waxwing:"))
}

func (d desktop) summary() string {
	d.t.Helper()
	q, vol := d.get("/playback-queue"), d.get("/volume")
	volume := vol["volume"].(float64)
	if vol["muted"] == true {
		volume = 0
	}
	repeat := q["repeat"]
	if repeat == "on" {
		repeat = "all"
	}
	return fmt.Sprintf("playing %v shuffle %v repeat %s volume %.0f track %v", q["is_playing"], q["shuffle"], repeat,
		volume, q["current_track_id"])
}

// TestHTTPAndMPRISAgreeAfterRandomCommands sends 200 commands over HTTP, playerctl and D-Bus at
// the same time. Afterwards the HTTP API, the MPRIS properties and a listener to signals must
// agree.
func TestHTTPAndMPRISAgreeAfterRandomCommands(t *testing.T) {
	d := onDesktop(t, withMPRIS)
	d.waitOnBus()
	d.post("/play", "")
	conn, err := dbus.Connect(d.bus.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const server = "org.mpris.MediaPlayer2.Player"
	object := conn.Object("org.mpris.MediaPlayer2.waxwing", "/org/mpris/MediaPlayer2")
	if err := conn.AddMatchSignal(dbus.WithMatchObjectPath(object.Path())); err != nil {
		t.Fatal(err)
	}
	signals := make(chan *dbus.Signal, 10_000)
	conn.Signal(signals)
	read := func() mprisView {
		var values map[string]dbus.Variant
		if err := object.Call("org.freedesktop.DBus.Properties.GetAll", 0, server).Store(&values); err != nil {
			t.Fatal(err)
		}
		view := mprisView{}
		for name, v := range values {
			view[name] = v.Value()
		}
		return view
	}
	panel := &listener{view: read()}
	var listening sync.WaitGroup
	listening.Go(func() {
		for s := range signals {
			panel.take(s)
		}
	})
	defer listening.Wait()
	defer conn.Close()

	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	words := func(rnd *rand.Rand, all ...string) string { return all[rnd.IntN(len(all))] }
	var sides sync.WaitGroup
	sides.Go(func() {
		rnd := rand.New(rand.NewPCG(seed, 1))
		for range 100 {
			switch rnd.IntN(7) {
			case 0:
				d.post("/seek", fmt.Sprintf(`{"position": %d}`, rnd.IntN(25_000)))
			case 1:
				d.post("/volume", fmt.Sprintf(`{"volume": %d, "muted": %v}`, rnd.IntN(101), rnd.IntN(4) == 0))
			case 2:
				d.post("/shuffle", fmt.Sprintf(`{"shuffle": %v}`, rnd.IntN(2) == 0))
			case 3:
				d.post("/repeat", fmt.Sprintf(`{"repeat": %q}`, words(rnd, "off", "one", "all", "on")))
			default:
				d.post(words(rnd, "/play", "/pause", "/toggle", "/next", "/previous"), "")
			}
		}
	})
	sides.Go(func() {
		rnd := rand.New(rand.NewPCG(seed, 2))
		for range 50 {
			switch rnd.IntN(6) {
			case 0:
				d.playerctl("position", strconv.Itoa(rnd.IntN(25)))
			case 1:
				d.playerctl("volume", fmt.Sprintf("%.2f", rnd.Float64()))
			case 2:
				d.playerctl("shuffle", "Toggle")
			case 3:
				d.playerctl("loop", words(rnd, "None", "Track", "Playlist"))
			default:
				d.playerctl(words(rnd, "play", "pause", "play-pause", "next", "previous", "stop"))
			}
		}
	})
	sides.Go(func() {
		rnd := rand.New(rand.NewPCG(seed, 3))
		for range 50 {
			if err := object.Call(server+"."+words(rnd, "Play", "Pause", "PlayPause", "Next", "Previous"), 0).Err; err != nil {
				t.Error(err)
			}
		}
	})
	sides.Wait()

	d.playerctl("pause") // so that positions can be compared exactly
	want := d.summary()
	if got := read().summary(); got != want {
		t.Errorf("the bus says  %s\nHTTP says     %s", got, want)
	}
	heard := ""
	for deadline := time.Now().Add(5 * time.Second); heard != want &&
		time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		panel.mu.Lock()
		heard = panel.view.summary()
		panel.mu.Unlock()
	}
	if heard != want {
		t.Errorf("signals say   %s\nHTTP says     %s", heard, want)
	}
	if bus, http := read()["Position"].(int64)/1000, int64(d.track()["position"].(float64)); bus-http > 1 ||
		http-bus > 1 {
		t.Errorf("the playhead is at %d ms on the bus, at %d ms over HTTP", bus, http)
	}
	tracks, err := object.GetProperty("org.mpris.MediaPlayer2.TrackList.Tracks")
	if err != nil {
		t.Fatal(err)
	}
	paths, queue := tracks.Value().([]dbus.ObjectPath), d.get("/playback-queue")["queue"].([]any)
	if len(paths) != len(queue) || len(queue) == 0 {
		t.Fatalf("%d tracks on the bus, %d over HTTP", len(paths), len(queue))
	}
	for i, item := range queue {
		if id := item.(map[string]any)["id"].(string); !strings.HasSuffix(string(paths[i]), "/"+id) {
			t.Errorf("item %d is %s on the bus, %s over HTTP", i, paths[i], id)
		}
	}
}
