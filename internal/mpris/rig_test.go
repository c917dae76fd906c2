package mpris_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"waxwing/api/catalogapi"
	"waxwing/internal/audio"
	"waxwing/internal/audio/audiotest"
	"waxwing/internal/fault"
	"waxwing/internal/mpris"
	"waxwing/internal/player"
	"waxwing/internal/testenv"
)

const (
	busName     = "org.mpris.MediaPlayer2.waxwing"
	objectPath  = dbus.ObjectPath("/org/mpris/MediaPlayer2")
	rootIface   = "org.mpris.MediaPlayer2"
	playerIface = "org.mpris.MediaPlayer2.Player"
	tracksIface = "org.mpris.MediaPlayer2.TrackList"
	noTrack     = dbus.ObjectPath("/org/mpris/MediaPlayer2/TrackList/NoTrack")
)

// shelf is a Library of tones: "t3" is track 3.
type shelf struct {
	size   int
	length time.Duration
}

func (s shelf) Track(_ context.Context, id string) (player.Track, error) {
	i, err := strconv.Atoi(strings.TrimPrefix(id, "t"))
	if err != nil || i >= s.size {
		return player.Track{}, fault.New(fault.NotFound, "there is no song %s", id)
	}
	return player.Track{
		ID: id, Title: fmt.Sprintf("Zwölf \x00 \xff %d", i), Artist: "Ada & Bo", Credits: "Ada\nBo \xff", Album: "Tones",
		Duration: s.length,
		CoverURL: "http://127.0.0.1:7845/media/covers/8c1f?size=600",
	}, nil
}

func (s shelf) Tracks(ctx context.Context, sel player.Selection) ([]player.Track, error) {
	var all []player.Track
	for _, id := range sel.TrackIDs {
		t, err := s.Track(ctx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

func (s shelf) DefaultTracks(ctx context.Context, limit int) ([]player.Track, error) {
	var ids []string
	for i := range min(s.size, limit) {
		ids = append(ids, "t"+strconv.Itoa(i))
	}
	return s.Tracks(ctx, player.Selection{TrackIDs: ids})
}

func (s shelf) Gain(context.Context, player.Track) (catalogapi.Gain, error) {
	return catalogapi.Gain{}, nil
}

func (s shelf) Open(_ context.Context, t player.Track) (audio.Source, error) {
	id, err := strconv.Atoi(t.ID[1:])
	return &audiotest.Tone{ID: id, Rate: 8000, Frames: int64(s.length.Seconds() * 8000)}, err
}

// startPlayer runs a player without MPRIS; it ends with the test.
func startPlayer(t *testing.T, s shelf) *player.Player {
	t.Helper()
	p, err := player.New(player.Config{
		Output: &audiotest.Device{}, Library: s, StateFile: filepath.Join(t.TempDir(), "player.journal"),
		Gain: player.GainOff, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	during(t, p.Run)
	return p
}

// during runs f until the test ends or the returned function is called.
func during(t *testing.T, f func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	ended := false
	stop = func() {
		if ended {
			return
		}
		ended = true
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(15 * time.Second):
			t.Error("Run did not return after its context ended")
		}
	}
	t.Cleanup(stop)
	return stop
}

// offer runs mpris.Run for p and returns a function that ends it.
func offer(t *testing.T, p *player.Player) (stop func()) {
	t.Helper()
	return during(t, func(ctx context.Context) error { return mpris.Run(ctx, p, slog.New(slog.DiscardHandler)) })
}

// desk is a desktop's view of one player.
type desk struct {
	t       *testing.T
	conn    *dbus.Conn
	player  dbus.BusObject
	signals chan *dbus.Signal
}

// connectDesk connects to the bus and waits for the player.
func connectDesk(t *testing.T, bus *testenv.Bus, name string) *desk {
	t.Helper()
	conn, err := dbus.Connect(bus.Address)
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, conn: conn, player: conn.Object(name, objectPath), signals: make(chan *dbus.Signal, 1000)}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.AddMatchSignal(dbus.WithMatchObjectPath(objectPath)); err != nil {
		t.Fatal(err)
	}
	conn.Signal(d.signals)
	d.eventually("the player to be on the bus", func() bool {
		var owned bool
		return conn.BusObject().Call("org.freedesktop.DBus.NameHasOwner", 0, name).Store(&owned) == nil && owned
	})
	return d
}

// desktop starts a player with five tracks of a minute each and connects a desk to it.
func desktop(t *testing.T) (*desk, *player.Player) {
	t.Helper()
	bus := testenv.StartBus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
	p := startPlayer(t, shelf{size: 5, length: time.Minute})
	offer(t, p)
	return connectDesk(t, bus, busName), p
}

func (d *desk) eventually(what string, cond func() bool) {
	d.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			d.t.Fatalf("timeout: waited for %s", what)
		}
	}
}

// call calls a method that must succeed.
func (d *desk) call(iface, method string, args ...any) {
	d.t.Helper()
	if err := d.player.Call(iface+"."+method, 0, args...).Err; err != nil {
		d.t.Fatalf("%s: %v", method, err)
	}
}

// refused calls a method that must fail with the given error.
func (d *desk) refused(name, iface, method string, args ...any) {
	d.t.Helper()
	err := d.player.Call(iface+"."+method, 0, args...).Err
	if e, ok := err.(dbus.Error); !ok || e.Name != "org.freedesktop.DBus.Error."+name {
		d.t.Errorf("%s%v: %#v, want %s", method, args, err, name)
	}
}

func (d *desk) set(property string, value any) {
	d.t.Helper()
	d.call("org.freedesktop.DBus.Properties", "Set", playerIface, property, dbus.MakeVariant(value))
}

func (d *desk) get(iface, property string) any {
	d.t.Helper()
	v, err := d.player.GetProperty(iface + "." + property)
	if err != nil {
		d.t.Fatalf("%s: %v", property, err)
	}
	return v.Value()
}

func (d *desk) track() string {
	d.t.Helper()
	id, ok := d.get(playerIface, "Metadata").(map[string]dbus.Variant)["mpris:trackid"].Value().(dbus.ObjectPath)
	if !ok {
		return ""
	}
	return strings.TrimPrefix(string(id), "/org/waxwing/track/")
}

// is checks the player's properties given as name, value, ….
func (d *desk) is(pairs ...any) {
	d.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got := d.get(playerIface, pairs[i].(string)); got != pairs[i+1] {
			d.t.Errorf("%s is %v, want %v", pairs[i], got, pairs[i+1])
		}
	}
}

// near checks the playhead.
func (d *desk) near(want time.Duration) {
	d.t.Helper()
	got := time.Duration(d.get(playerIface, "Position").(int64)) * time.Microsecond
	if (got - want).Abs() > 500*time.Millisecond {
		d.t.Errorf("the playhead is at %v, want %v", got, want)
	}
}

// takeSignals returns all signals received so far.
func (d *desk) takeSignals() []*dbus.Signal {
	d.t.Helper()
	var all []*dbus.Signal
	for {
		select {
		case s := <-d.signals:
			if s.Path == objectPath {
				all = append(all, s)
			}
		default:
			return all
		}
	}
}

// await returns the signals up to the first that f accepts.
func (d *desk) await(what string, f func(*dbus.Signal) bool) []*dbus.Signal {
	d.t.Helper()
	var all []*dbus.Signal
	for deadline := time.After(10 * time.Second); ; {
		select {
		case s := <-d.signals:
			all = append(all, s)
			if f(s) {
				return all
			}
		case <-deadline:
			d.t.Fatalf("waited for the signal of %s; got %v", what, all)
		}
	}
}

// announces accepts a PropertiesChanged that carries the property.
func announces(property string) func(*dbus.Signal) bool {
	return func(s *dbus.Signal) bool { _, ok := changed(s)[property]; return ok }
}

func changed(s *dbus.Signal) map[string]dbus.Variant {
	if s.Name != "org.freedesktop.DBus.Properties.PropertiesChanged" {
		return nil
	}
	return s.Body[1].(map[string]dbus.Variant)
}

func seeked(s *dbus.Signal) bool { return s.Name == playerIface+".Seeked" }
