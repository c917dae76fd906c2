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
	"waxwing/internal/lyrics"
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

// toneLibrary is a Library of synthetic tones: "t3" is track 3.
type toneLibrary struct {
	size   int
	length time.Duration
}

func (s toneLibrary) Track(_ context.Context, id string) (player.Track, error) {
	i, err := strconv.Atoi(strings.TrimPrefix(id, "t"))
	if err != nil || i >= s.size {
		return player.Track{}, fault.New(fault.NotFound, "there is no song %s", id)
	}
	return player.Track{
		ID: id, Title: fmt.Sprintf("Zwölf \x00 \xff %d", i), Artist: "Ada & Bo", Credits: "Ada\nBo \xff",
		Album: "Tones", Duration: s.length, CoverURL: "http://127.0.0.1:7845/media/covers/8c1f?size=600",
	}, nil
}

func (s toneLibrary) Tracks(ctx context.Context, sel player.Selection) ([]player.Track, error) {
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

func (s toneLibrary) DefaultTracks(ctx context.Context, limit int) ([]player.Track, error) {
	var ids []string
	for i := range min(s.size, limit) {
		ids = append(ids, "t"+strconv.Itoa(i))
	}
	return s.Tracks(ctx, player.Selection{TrackIDs: ids})
}

func (s toneLibrary) Gain(context.Context, player.Track) (catalogapi.Gain, error) {
	return catalogapi.Gain{}, nil
}

func (s toneLibrary) Open(_ context.Context, t player.Track) (audio.Source, error) {
	id, err := strconv.Atoi(t.ID[1:])
	return &audiotest.Tone{ID: id, Rate: 8000, Frames: int64(s.length.Seconds() * 8000)}, err
}

// startPlayer runs a player without MPRIS until the test ends.
func startPlayer(t *testing.T, s toneLibrary) *player.Player {
	t.Helper()
	p, err := player.New(player.Config{
		Output: &audiotest.Device{}, Library: s, StateFile: filepath.Join(t.TempDir(), "player.journal"),
		Gain: player.GainOff, Log: slog.New(slog.DiscardHandler), Personal: newRatings(),
	})
	if err != nil {
		t.Fatal(err)
	}
	runUntilEnd(t, p.Run)
	return p
}

// runUntilEnd runs f until the test ends or the returned function is called.
func runUntilEnd(t *testing.T, f func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
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

// readLyrics returns the lyrics of track 4; the others have none.
func readLyrics(_ context.Context, id string) ([]lyrics.Lyrics, error) {
	if id != "t4" {
		return nil, nil
	}
	return []lyrics.Lyrics{lyrics.Parse("[offset:+500]\n[00:01.00]One\n[00:02.50]Two"), lyrics.Parse("plain")}, nil
}

// serveMPRIS runs mpris.Run for p and returns a function that stops it.
func serveMPRIS(t *testing.T, p *player.Player) (stop func()) {
	t.Helper()
	return runUntilEnd(t, func(ctx context.Context) error {
		return mpris.Run(ctx, p, readLyrics, slog.New(slog.DiscardHandler))
	})
}

// desktopClient is a desktop's connection to one player.
type desktopClient struct {
	t       *testing.T
	conn    *dbus.Conn
	player  dbus.BusObject
	signals chan *dbus.Signal
}

// connectDesktop connects to the bus and waits for the player called name.
func connectDesktop(t *testing.T, bus *testenv.Bus, name string) *desktopClient {
	t.Helper()
	conn, err := dbus.Connect(bus.Address)
	if err != nil {
		t.Fatal(err)
	}
	d := &desktopClient{t: t, conn: conn, player: conn.Object(name, objectPath), signals: make(chan *dbus.Signal, 1000)}
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

// startDesktop starts a player with five tracks of a minute each and connects a client to it.
func startDesktop(t *testing.T) (*desktopClient, *player.Player) {
	t.Helper()
	bus := testenv.StartBus(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", bus.Address)
	p := startPlayer(t, toneLibrary{size: 5, length: time.Minute})
	serveMPRIS(t, p)
	return connectDesktop(t, bus, busName), p
}

func (d *desktopClient) eventually(what string, cond func() bool) {
	d.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			d.t.Fatalf("timeout after 10s: waited for %s", what)
		}
	}
}

// call calls a method that must succeed.
func (d *desktopClient) call(iface, method string, args ...any) {
	d.t.Helper()
	if err := d.player.Call(iface+"."+method, 0, args...).Err; err != nil {
		d.t.Fatalf("%s: %v", method, err)
	}
}

// wantError calls a method that must fail with the given error.
func (d *desktopClient) wantError(name, iface, method string, args ...any) {
	d.t.Helper()
	err := d.player.Call(iface+"."+method, 0, args...).Err
	if e, ok := err.(dbus.Error); !ok || e.Name != "org.freedesktop.DBus.Error."+name {
		d.t.Errorf("%s%v: got error %#v, want %s", method, args, err, name)
	}
}

func (d *desktopClient) set(property string, value any) {
	d.t.Helper()
	d.call("org.freedesktop.DBus.Properties", "Set", playerIface, property, dbus.MakeVariant(value))
}

func (d *desktopClient) get(iface, property string) any {
	d.t.Helper()
	v, err := d.player.GetProperty(iface + "." + property)
	if err != nil {
		d.t.Fatalf("%s: %v", property, err)
	}
	return v.Value()
}

// track returns the name of the current track in its object path.
func (d *desktopClient) track() string {
	d.t.Helper()
	id, ok := d.get(playerIface, "Metadata").(map[string]dbus.Variant)["mpris:trackid"].Value().(dbus.ObjectPath)
	if !ok {
		return ""
	}
	return strings.TrimPrefix(string(id), "/org/waxwing/track/")
}

// wantProperties checks the player's properties, given as name, value, ….
func (d *desktopClient) wantProperties(pairs ...any) {
	d.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if got := d.get(playerIface, pairs[i].(string)); got != pairs[i+1] {
			d.t.Errorf("%s: got %v, want %v", pairs[i], got, pairs[i+1])
		}
	}
}

// wantPosition checks the position, within half a second.
func (d *desktopClient) wantPosition(want time.Duration) {
	d.t.Helper()
	got := time.Duration(d.get(playerIface, "Position").(int64)) * time.Microsecond
	if (got - want).Abs() > 500*time.Millisecond {
		d.t.Errorf("position: got %v, want %v", got, want)
	}
}

// takeSignals returns all signals received so far.
func (d *desktopClient) takeSignals() []*dbus.Signal {
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

// await waits for a signal that f accepts and returns all signals up to it.
func (d *desktopClient) await(what string, f func(*dbus.Signal) bool) []*dbus.Signal {
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
			d.t.Fatalf("timeout after 10s: want a signal for %s, got %v", what, all)
		}
	}
}

// announcesProperty accepts a PropertiesChanged signal that contains the property.
func announcesProperty(property string) func(*dbus.Signal) bool {
	return func(s *dbus.Signal) bool { _, ok := changed(s)[property]; return ok }
}

// changed returns the properties of a PropertiesChanged signal, nil for other signals.
func changed(s *dbus.Signal) map[string]dbus.Variant {
	if s.Name != "org.freedesktop.DBus.Properties.PropertiesChanged" {
		return nil
	}
	return s.Body[1].(map[string]dbus.Variant)
}

func seeked(s *dbus.Signal) bool { return s.Name == playerIface+".Seeked" }
