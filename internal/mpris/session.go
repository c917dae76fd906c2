package mpris

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godbus/dbus/v5"

	"waxwing/internal/fault"
	"waxwing/internal/player"
)

// The names by which desktops find a player.
const (
	busName          = "org.mpris.MediaPlayer2.waxwing"
	objectPath       = dbus.ObjectPath("/org/mpris/MediaPlayer2")
	rootInterface    = "org.mpris.MediaPlayer2"
	playerInterface  = "org.mpris.MediaPlayer2.Player"
	tracksInterface  = "org.mpris.MediaPlayer2.TrackList"
	propertiesFace   = "org.freedesktop.DBus.Properties"
	introspectFace   = "org.freedesktop.DBus.Introspectable"
	propertiesSignal = propertiesFace + ".PropertiesChanged"
)

// session is one connection to a bus. The library runs each call on a goroutine of its own.
type session struct {
	player *player.Player
	conn   *dbus.Conn
	name   string // on the bus
	log    *slog.Logger

	gate sync.RWMutex // held for reading by each command that runs
	over bool

	playing, position, volume, loop, shuffle, current turn

	// halted is the version of the player's snapshot in which Stop silenced it, plus one; 0 if it has played since.
	// Only desktops know “stopped”: to the player, and to the HTTP API, it is a pause at the start of a track.
	halted atomic.Uint64

	told told
}

// told is what the desktop was told last. Only serve touches it.
type told struct {
	player map[string]any
	tracks []dbus.ObjectPath
	head   playhead
}

func (s *session) tellable(st *player.Status) told {
	return told{s.playerProperties(st), trackList(st), headOf(st)}
}

// connect joins the bus under a name of ours.
func connect(ctx context.Context, sockets []string, p *player.Player, log *slog.Logger) (*session, error) {
	conn, err := dial(ctx, sockets)
	if err != nil {
		return nil, err
	}
	// What a program reads as soon as it sees the name is at least as new as this, so it misses nothing.
	s := &session{player: p, conn: conn, log: log}
	s.told = s.tellable(p.Status())
	if err := s.join(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// join exports all objects first, so that a program that sees the name can use it at once.
func (s *session) join() error {
	for face, object := range s.objects() {
		if err := s.conn.Export(object, objectPath, face); err != nil {
			return fmt.Errorf("export %s: %w", face, err)
		}
	}
	ctx, cancel := context.WithTimeout(s.conn.Context(), patience)
	defer cancel()
	for _, name := range []string{busName, fmt.Sprintf("%s.instance%d", busName, os.Getpid())} {
		var got uint32
		call := s.conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.RequestName", 0, name, dbus.NameFlagDoNotQueue)
		if err := call.Store(&got); err != nil {
			return fmt.Errorf("ask for the name %s: %w", name, err)
		}
		if dbus.RequestNameReply(got) == dbus.RequestNameReplyPrimaryOwner {
			s.name = name
			return nil
		}
	}
	return errors.New("all names of ours are taken")
}

// serve tells the desktop of every change until the connection or ctx ends.
func (s *session) serve(ctx context.Context) error {
	for st := range s.player.Updates(s.conn.Context()) {
		if err := s.tell(st); err != nil {
			return err
		}
	}
	if ctx.Err() == nil && s.conn.Context().Err() == nil { // the player has ended: nothing to come back for
		<-ctx.Done()
	}
	return errors.New("the connection is closed")
}

// tell announces what a desktop can see of the change since the last call.
func (s *session) tell(st *player.Status) error {
	if halted := s.halted.Load(); st.Playing && st.Version >= halted {
		s.halted.CompareAndSwap(halted, 0)
	}
	before := s.told
	s.told = s.tellable(st)
	changed := map[string]dbus.Variant{}
	for name, value := range s.told.player {
		if !reflect.DeepEqual(value, before.player[name]) {
			changed[name] = dbus.MakeVariant(value)
		}
	}
	if len(changed) > 0 {
		if err := s.conn.Emit(objectPath, propertiesSignal, playerInterface, changed, []string{}); err != nil {
			return err
		}
	}
	if s.told.head.leapt(&before.head) {
		if err := s.conn.Emit(objectPath, playerInterface+".Seeked", micros(st.Position)); err != nil {
			return err
		}
	}
	if slices.Equal(s.told.tracks, before.tracks) {
		return nil
	}
	if err := s.conn.Emit(objectPath, tracksInterface+".TrackListReplaced", s.told.tracks, currentPath(st)); err != nil {
		return err
	}
	return s.conn.Emit(objectPath, propertiesSignal, tracksInterface, map[string]dbus.Variant{}, []string{"Tracks"})
}

// close leaves the bus and waits for the commands that still run.
func (s *session) close() {
	_ = s.conn.Close() // whatever it says, we have left
	s.gate.Lock()
	defer s.gate.Unlock()
	s.over = true
}

// turn brings the calls of one program that set the same thing into the order in which it sent them, which the
// library does not keep: of a volume wheel's last two steps the later one must win.
type turn struct {
	mu     sync.Mutex
	sender string
	serial uint32
}

// supersedes reports whether the call is newer than all that the same program made before, and remembers it.
func (t *turn) supersedes(msg dbus.Message) bool {
	sender, _ := msg.Headers[dbus.FieldSender].Value().(string)
	if sender == t.sender && msg.Serial() < t.serial {
		return false
	}
	t.sender, t.serial = sender, msg.Serial()
	return true
}

// set runs a command that makes all earlier ones of its turn pointless; one that was overtaken does nothing.
func (s *session) set(t *turn, msg dbus.Message, f func(context.Context) error) *dbus.Error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.supersedes(msg) {
		return nil
	}
	return s.command(f)
}

// commandTime bounds a command: programs that call wait for the answer, some of them with a frozen window.
const commandTime = 5 * time.Second

// command runs f, whose context ends with the connection, and says what came of it.
func (s *session) command(f func(context.Context) error) *dbus.Error {
	s.gate.RLock()
	defer s.gate.RUnlock()
	if s.over {
		return dbus.MakeFailedError(dbus.ErrClosed)
	}
	ctx, cancel := context.WithTimeout(s.conn.Context(), commandTime)
	defer cancel()
	err := f(ctx)
	if err == nil {
		return nil
	}
	kind, sentence := fault.Of(err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return dbusError("Timeout", "this takes too long; try again")
	case kind == fault.Invalid:
		return dbusError("InvalidArgs", sentence)
	case kind == fault.Internal:
		s.log.Warn("a command from the desktop failed", "err", err)
		return dbusError("Failed", "something went wrong on our side; the log has the details")
	}
	return dbusError("Failed", sentence)
}

func dbusError(name, sentence string) *dbus.Error {
	return dbus.NewError("org.freedesktop.DBus.Error."+name, []any{sentence})
}
