package mpd

import (
	"bufio"
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"waxwing/internal/access"
)

const (
	maxLine     = 64 << 10
	maxList     = 2 << 20          // bytes of a command list
	maxCommands = 50_000           // of a command list
	idleTimeout = 60 * time.Second // for the next command, outside idle
)

// greeting announces the version of the protocol.
const greeting = "OK MPD 0.24.0\n"

// errClose ends a connection without a reply.
var errClose = errors.New("the connection is closed")

// session is one connection. Its goroutine reads and executes commands; a second one exists once
// the client has used idle, and writes the events that the system does not take at once.
type session struct {
	srv   *Server
	conn  net.Conn
	raw   syscall.RawConn // of conn; nil: none
	local bool            // through the socket of the owner
	in    *bufio.Reader
	long  []byte // a line that is longer than the buffer of in
	ctx   context.Context
	begun time.Time
	known atomic.Bool // it has sent a valid password, or needs none

	pending atomic.Uint32 // events
	mask    atomic.Uint32 // events that end the idle command; 0: not idle
	wake    chan struct{} // capacity 1; a pending event is in mask

	mu       sync.Mutex // guards out, idle and deadline, which two goroutines use
	out      output
	idle     bool
	notifier bool      // the second goroutine runs
	deadline time.Time // of reads

	caller      caller
	tags        tagSet
	binaryLimit int
	// hidePlaylists is a feature of the protocol: see the command protocol.
	hidePlaylists bool
	inbox         inbox
}

// caller is who controls the player through a session.
type caller struct {
	id, name    string
	permissions access.Permissions
	stop        func() bool // ends the watch for the revocation of the token
}

func newSession(srv *Server, conn net.Conn, local bool) *session {
	s := &session{
		srv: srv, conn: conn, local: local, in: bufio.NewReader(conn), out: output{conn: conn},
		begun: time.Now(), wake: make(chan struct{}, 1), tags: allTags, binaryLimit: defaultBinaryLimit,
	}
	if c, ok := conn.(syscall.Conn); ok {
		s.raw, _ = c.SyscallConn() // nil: of a closed connection
	}
	return s
}

// run serves the connection until it ends.
func (s *session) run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	s.ctx = ctx
	var notifier sync.WaitGroup
	stop := context.AfterFunc(ctx, func() { _ = s.conn.Close() })
	defer func() {
		cancel()
		stop()
		_ = s.conn.Close()
		if s.caller.stop != nil {
			s.caller.stop()
		}
		notifier.Wait()
		s.srv.hub.remove(s)
		s.srv.leave(s)
	}()
	s.srv.hub.add(s)
	s.out.text(greeting)
	s.out.flush()
	for {
		line, err := s.readLine()
		if err != nil || s.handle(line, &notifier) != nil {
			s.mu.Lock()
			s.out.flush()
			s.mu.Unlock()
			return
		}
	}
}

// readLine returns the next line without its end. The result is valid until the next call.
func (s *session) readLine() (string, error) {
	if s.in.Buffered() == 0 {
		if err := s.setTimeout(); err != nil {
			return "", err
		}
	}
	if first, err := s.in.Peek(1); err != nil || first[0] < 'a' || first[0] > 'z' {
		return "", errClose // not a command, even before its line is complete
	}
	s.long = s.long[:0]
	for {
		part, err := s.in.ReadSlice('\n')
		switch {
		case err == nil && len(s.long) == 0:
			return strings.TrimSuffix(string(part[:len(part)-1]), "\r"), nil
		case err == nil:
			s.long = append(s.long, part[:len(part)-1]...)
			line := strings.TrimSuffix(string(s.long), "\r")
			s.long = nil
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull) || len(s.long)+len(part) > maxLine:
			return "", errClose
		}
		s.long = append(s.long, part...)
	}
}

// setTimeout limits the time for the next command, unless the client waits for events.
func (s *session) setTimeout() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle {
		s.deadline = time.Time{}
		return s.conn.SetReadDeadline(time.Time{})
	}
	now := time.Now()
	if s.deadline.Sub(now) > idleTimeout-time.Second {
		return nil // seldom: a timer costs more than a short command
	}
	s.deadline = now.Add(idleTimeout)
	return s.conn.SetReadDeadline(s.deadline)
}

// handle executes a line, or a command list that it begins. An error ends the connection.
func (s *session) handle(line string, notifier *sync.WaitGroup) error {
	if !plausible(line) {
		return errClose
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.idle {
		if line != "noidle" {
			return errClose
		}
		s.replyIdle()
		return s.flush()
	}
	switch line {
	case "noidle":
		return s.flush() // the reply to an idle that has ended meanwhile
	case "command_list_begin", "command_list_ok_begin":
		s.mu.Unlock()
		list, err := s.readList()
		s.mu.Lock()
		if err != nil {
			return err
		}
		if err := s.runList(list, line == "command_list_ok_begin"); err != nil {
			return err
		}
		return s.flush()
	}
	command, args, err := parseLine(line)
	if err == nil && command == "idle" {
		if err = s.beginIdle(args, notifier); err == nil {
			return s.flush()
		}
	} else if err == nil {
		err = s.execute(command, args)
	}
	if errors.Is(err, errClose) {
		return err
	}
	if err != nil {
		s.fail(err, 0, command)
	} else {
		s.out.text("OK\n")
	}
	return s.flush()
}

// plausible reports whether a line may be a command. A browser that was tricked into sending a
// request here is disconnected at its first line.
func plausible(line string) bool {
	if line == "" || line[0] < 'a' || line[0] > 'z' {
		return false
	}
	end := strings.TrimRight(line, " \t0123456789.")
	return !strings.HasSuffix(end, " HTTP/") && !strings.HasSuffix(end, "\tHTTP/")
}

// flush writes the reply unless the client has sent more commands already.
func (s *session) flush() error {
	if s.in.Buffered() == 0 {
		s.out.flush()
	}
	return s.out.err
}

// readList reads the commands of a list up to its end.
func (s *session) readList() ([]string, error) {
	var list []string
	size := 0
	for {
		line, err := s.readLine()
		if err != nil || !plausible(line) {
			return nil, errClose
		}
		if line == "command_list_end" {
			return list, nil
		}
		if size += len(line) + 1; size > maxList || len(list) == maxCommands {
			return nil, errClose
		}
		list = append(list, line)
	}
}

// runList executes the commands of a list up to the first that fails.
func (s *session) runList(list []string, report bool) error {
	for i, line := range list {
		command, args, err := parseLine(line)
		if err == nil {
			err = s.execute(command, args)
		}
		switch {
		case errors.Is(err, errClose):
			return err
		case err != nil:
			s.fail(err, i, command)
			return nil
		case report:
			s.out.text("list_OK\n")
		}
	}
	s.out.text("OK\n")
	return nil
}

func (s *session) fail(err error, index int, command string) {
	a := asAck(err)
	if a.code == codeUnknown {
		command = "" // as MPD does
	}
	s.out.set(appendAck(s.out.bytes(), a, index, command))
}
