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
	propertiesIface  = "org.freedesktop.DBus.Properties"
	introspectIface  = "org.freedesktop.DBus.Introspectable"
	propertiesSignal = propertiesIface + ".PropertiesChanged"
)

// session is one connection to a bus. The library runs each call on a goroutine of its own.
type session struct {
	player *player.Player
	read   LyricsReader
	lyrics atomic.Pointer[trackLyrics]
	conn   *dbus.Conn
	name   string // on the bus
	log    *slog.Logger

	gate sync.RWMutex // held for reading by each running command
	over bool

	playing, position, volume, loop, shuffle, current callOrder

	announcing sync.Mutex // guards announced
	announced  announced
}

// announced is what was announced last.
type announced struct {
	version uint64
	player  map[string]any
	tracks  []dbus.ObjectPath
	head    playhead
}

func (s *session) tellable(st *player.Status) announced {
	return announced{st.Version, s.playerProperties(st), trackList(st), headOf(st)}
}

// connect connects to the bus and requests a name.
func connect(
	ctx context.Context, sockets []string, p *player.Player, read LyricsReader, log *slog.Logger,
) (*session, error) {
	conn, err := dial(ctx, sockets)
	if err != nil {
		return nil, err
	}
	// Programs that see the name read properties at least as new as this, so they miss nothing.
	s := &session{player: p, read: read, conn: conn, log: log}
	s.announced = s.tellable(p.Status())
	if err := s.join(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// join exports all objects before it requests the name, so that a program that sees the name can
// use it at once.
func (s *session) join() error {
	for iface, object := range s.objects() {
		if err := s.conn.Export(object, objectPath, iface); err != nil {
			return fmt.Errorf("export %s: %w", iface, err)
		}
	}
	ctx, cancel := context.WithTimeout(s.conn.Context(), ioTimeout)
	defer cancel()
	for _, name := range []string{busName, fmt.Sprintf("%s.instance%d", busName, os.Getpid())} {
		var got uint32
		call := s.conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.RequestName", 0, name, dbus.NameFlagDoNotQueue)
		if err := call.Store(&got); err != nil {
			return fmt.Errorf("request the name %s: %w", name, err)
		}
		if dbus.RequestNameReply(got) == dbus.RequestNameReplyPrimaryOwner {
			s.name = name
			return nil
		}
	}
	return errors.New("all bus names of the player are taken")
}

// serve announces every change until the connection or ctx ends.
func (s *session) serve(ctx context.Context) error {
	var reading sync.WaitGroup
	defer reading.Wait()
	readCtx, cancel := context.WithCancel(s.conn.Context())
	defer cancel()
	for st := range s.player.Updates(s.conn.Context()) {
		if err := s.announce(st); err != nil {
			return err
		}
		s.readLyrics(readCtx, st, &reading)
	}
	if ctx.Err() == nil && s.conn.Context().Err() == nil { // the player has ended
		<-ctx.Done()
	}
	return errors.New("the connection is closed")
}

// announce signals the changes of properties since the last call. A state that is older than the
// one announced last changes nothing.
func (s *session) announce(st *player.Status) error {
	s.announcing.Lock()
	defer s.announcing.Unlock()
	if st.Version < s.announced.version {
		return nil
	}
	before := s.announced
	s.announced = s.tellable(st)
	changed := map[string]dbus.Variant{}
	for name, value := range s.announced.player {
		if !reflect.DeepEqual(value, before.player[name]) {
			changed[name] = dbus.MakeVariant(value)
		}
	}
	if len(changed) > 0 {
		if err := s.conn.Emit(objectPath, propertiesSignal, playerInterface, changed, []string{}); err != nil {
			return err
		}
	}
	if s.announced.head.jumped(&before.head) {
		if err := s.conn.Emit(objectPath, playerInterface+".Seeked", micros(st.Position)); err != nil {
			return err
		}
	}
	if slices.Equal(s.announced.tracks, before.tracks) {
		return nil
	}
	if err := s.conn.Emit(objectPath, tracksInterface+".TrackListReplaced", s.announced.tracks,
		currentPath(st)); err != nil {
		return err
	}
	return s.conn.Emit(objectPath, propertiesSignal, tracksInterface, map[string]dbus.Variant{}, []string{"Tracks"})
}

// close disconnects from the bus and waits for running commands.
func (s *session) close() {
	_ = s.conn.Close() // disconnected in any case
	s.gate.Lock()
	defer s.gate.Unlock()
	s.over = true
}

// callOrder orders the calls of one program that set the same property by their serial numbers; the
// library runs them concurrently. Of a volume wheel's last two steps the later one must win.
type callOrder struct {
	mu     sync.Mutex
	sender string
	serial uint32
}

// supersedes reports whether the call is newer than all previous ones of the same program, and
// records it.
func (t *callOrder) supersedes(msg dbus.Message) bool {
	sender, _ := msg.Headers[dbus.FieldSender].Value().(string)
	if sender == t.sender && msg.Serial() < t.serial {
		return false
	}
	t.sender, t.serial = sender, msg.Serial()
	return true
}

// set runs a command that supersedes earlier ones of its order; a superseded command does nothing.
func (s *session) set(t *callOrder, msg dbus.Message, f func(context.Context) error) *dbus.Error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.supersedes(msg) {
		return nil
	}
	return s.command(f)
}

// commandTime limits a command: callers wait for the reply, some of them with a frozen window.
const commandTime = 5 * time.Second

// command runs f, whose context ends with the connection, and converts its error.
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
		return dbusError("Timeout", "the command timed out; try again")
	case kind == fault.Invalid:
		return dbusError("InvalidArgs", sentence)
	case kind == fault.Internal:
		s.log.Warn("a command from the desktop failed", "err", err)
		return dbusError("Failed", "internal error; see the log of the server")
	}
	return dbusError("Failed", sentence)
}

func dbusError(name, sentence string) *dbus.Error {
	return dbus.NewError("org.freedesktop.DBus.Error."+name, []any{sentence})
}
