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

// onDesktop starts a server on a new session bus.
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

// waitForLine waits until playerctl --follow prints a line.
func (d desktop) waitForLine(lines <-chan string, want string) {
	d.t.Helper()
	var printed []string
	for deadline := time.After(10 * time.Second); ; {
		select {
		case line := <-lines:
			if line == want {
				return
			}
			printed = append(printed, line)
		case <-deadline:
			d.t.Fatalf("playerctl --follow: got %q, want it to contain %q", printed, want)
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
	wantState := func(key string, want any) {
		t.Helper()
		if got := d.get("/playback-state")[key]; got != want {
			t.Errorf("%s over HTTP: got %v, want %v", key, got, want)
		}
	}

	d.playerctl("play")
	wantState("is_playing", true)
	d.waitForLine(states, "Playing")
	track := d.track()
	for format, want := range map[string]any{
		"{{ title }}": track["title"], "{{ artist }}": track["artist"], "{{ album }}": track["album"],
		"{{ mpris:artUrl }}": track["cover_url"],
		"{{ mpris:length }}": strconv.Itoa(int(track["duration"].(float64)) * 1000),
		"{{ xesam:url }}":    "waxwing:" + track["id"].(string),
	} {
		if got := d.playerctl("metadata", "--format", format); got != want {
			t.Errorf("metadata %s: got %q, want %q", format, got, want)
		}
	}
	d.waitForLine(titles, track["title"].(string))

	d.playerctl("pause")
	wantState("is_playing", false)
	d.waitForLine(states, "Paused")
	d.playerctl("position", "7.5")
	if at := d.track()["position"].(float64); at < 7495 || at > 7505 {
		t.Errorf("position over HTTP: got %v, want 7500", at)
	}
	d.playerctl("position", "2.5-")
	d.post("/seek", fmt.Sprintf(`{"position": %v}`, d.track()["position"].(float64)+1000))
	if at, _ := strconv.ParseFloat(d.playerctl("position"), 64); at < 5.99 || at > 6.01 {
		t.Errorf("position in playerctl: got %v, want 6", at)
	}

	d.playerctl("next")
	second := d.track()
	d.waitForLine(titles, second["title"].(string))
	wantState("is_playing", false)
	d.playerctl("previous")
	if got := d.track()["id"]; got != track["id"] {
		t.Errorf("track after next and previous: got %v, want %v", got, track["id"])
	}

	for loop, repeat := range map[string]string{"Track": "one", "Playlist": "all", "None": "off"} {
		d.playerctl("loop", loop)
		wantState("repeat", repeat)
	}
	d.playerctl("shuffle", "On")
	wantState("shuffle", true)
	d.post("/shuffle", `{"shuffle": false}`)
	if got := d.playerctl("shuffle"); got != "Off" {
		t.Errorf("shuffle in playerctl: got %s, want Off", got)
	}
	d.playerctl("volume", "0.42")
	if v := d.get("/volume"); v["volume"] != 42.0 || v["muted"] != false {
		t.Errorf("volume over HTTP: got %v, want 42, not muted", v)
	}
	d.post("/volume", `{"volume": 77}`)
	if got := d.playerctl("volume"); got != "0.770000" {
		t.Errorf("volume in playerctl: got %s, want 0.770000", got)
	}
	d.playerctl("play-pause")
	d.waitForLine(states, "Playing")
	d.playerctl("stop")
	wantState("is_playing", false)
	d.waitForLine(states, "Stopped")
	if at := d.track()["position"]; at != 0.0 {
		t.Errorf("position over HTTP after stop: got %v, want 0", at)
	}
	d.playerctl("play")
	d.waitForLine(states, "Playing")
	d.playerctl("open", "waxwing:"+second["id"].(string))
	if got := d.track()["id"]; got != second["id"] {
		t.Errorf("track after open: got %v, want %v", got, second["id"])
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
		t.Errorf("track after next without a bus: got %v, want another than %v, playing", after, before)
	}
	d.bus.Restart()
	d.waitOnBus()
	want := "Playing waxwing:" + after["id"].(string)
	if got := d.playerctl("metadata", "--format", "{{ status }} {{ xesam:url }}"); got != want {
		t.Errorf("metadata after the restart: got %q, want %q", got, want)
	}
}

func TestNoMPRISFlagDoesNotUseTheBus(t *testing.T) {
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
		t.Errorf("names on the bus: got %v, want none of waxwing", names)
	}
}

// mprisView is the state of the player as MPRIS properties.
type mprisView map[string]any

// listener updates a view from signals alone, as desktop panels do.
type listener struct {
	mu   sync.Mutex
	view mprisView
}

// update applies a PropertiesChanged signal to the view.
func (l *listener) update(s *dbus.Signal) {
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
	metadata, _ := v["Metadata"].(map[string]dbus.Variant)
	url, _ := metadata["xesam:url"].Value().(string)
	return fmt.Sprintf("playing %v shuffle %v repeat %s volume %.0f track %s", v["PlaybackStatus"] == "Playing",
		v["Shuffle"], repeat, v["Volume"].(float64)*100, strings.TrimPrefix(url, "waxwing:"))
}

// summary returns the state of the HTTP API in the form of mprisView.summary.
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
	const iface = "org.mpris.MediaPlayer2.Player"
	object := conn.Object("org.mpris.MediaPlayer2.waxwing", "/org/mpris/MediaPlayer2")
	if err := conn.AddMatchSignal(dbus.WithMatchObjectPath(object.Path())); err != nil {
		t.Fatal(err)
	}
	signals := make(chan *dbus.Signal, 10_000)
	conn.Signal(signals)
	read := func() mprisView {
		var values map[string]dbus.Variant
		if err := object.Call("org.freedesktop.DBus.Properties.GetAll", 0, iface).Store(&values); err != nil {
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
			panel.update(s)
		}
	})
	defer listening.Wait()
	defer conn.Close()

	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	pick := func(rnd *rand.Rand, all ...string) string { return all[rnd.IntN(len(all))] }
	var senders sync.WaitGroup
	senders.Go(func() {
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
				d.post("/repeat", fmt.Sprintf(`{"repeat": %q}`, pick(rnd, "off", "one", "all", "on")))
			default:
				d.post(pick(rnd, "/play", "/pause", "/toggle", "/next", "/previous"), "")
			}
		}
	})
	senders.Go(func() {
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
				d.playerctl("loop", pick(rnd, "None", "Track", "Playlist"))
			default:
				d.playerctl(pick(rnd, "play", "pause", "play-pause", "next", "previous", "stop"))
			}
		}
	})
	senders.Go(func() {
		rnd := rand.New(rand.NewPCG(seed, 3))
		for range 50 {
			method := iface + "." + pick(rnd, "Play", "Pause", "PlayPause", "Next", "Previous")
			if err := object.Call(method, 0).Err; err != nil {
				t.Error(err)
			}
		}
	})
	senders.Wait()

	d.playerctl("pause") // so that positions can be compared exactly
	want := d.summary()
	if got := read().summary(); got != want {
		t.Errorf("MPRIS properties: got %s\nwant %s as over HTTP", got, want)
	}
	signalled := ""
	deadline := time.Now().Add(5 * time.Second)
	for ; signalled != want && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		panel.mu.Lock()
		signalled = panel.view.summary()
		panel.mu.Unlock()
	}
	if signalled != want {
		t.Errorf("state according to signals: got %s\nwant %s as over HTTP", signalled, want)
	}
	bus, http := read()["Position"].(int64)/1000, int64(d.track()["position"].(float64))
	if bus-http > 1 || http-bus > 1 {
		t.Errorf("position on the bus: got %d ms, want %d ms as over HTTP", bus, http)
	}
	tracks, err := object.GetProperty("org.mpris.MediaPlayer2.TrackList.Tracks")
	if err != nil {
		t.Fatal(err)
	}
	paths, queue := tracks.Value().([]dbus.ObjectPath), d.get("/playback-queue")["queue"].([]any)
	if len(paths) != len(queue) || len(queue) == 0 {
		t.Fatalf("tracks on the bus: got %d, want %d as over HTTP", len(paths), len(queue))
	}
	for i, item := range queue {
		if id := item.(map[string]any)["id"].(string); !strings.HasSuffix(string(paths[i]), "/"+id) {
			t.Errorf("item %d on the bus: got %s, want %s as over HTTP", i, paths[i], id)
		}
	}
}
