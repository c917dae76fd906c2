package mpd

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/audit"
	"waxwing/internal/httpkit"
)

// serverName is the server in the audit log and in metrics.
const serverName = "mpd"

// password makes the session act for the holder of a token.
func (s *session) password(args []string) error {
	t, err := s.srv.cfg.Tokens.Check(args[0])
	if err != nil {
		reason := audit.Invalid
		switch {
		case t.ID != "" && !t.RevokedAt.IsZero():
			reason = audit.Revoked
		case t.ID != "":
			reason = audit.Expired
		}
		s.record(audit.Entry{Decision: audit.Denied, Reason: reason, Route: "password", Credential: t.ID, Name: t.Name})
		s.delay()
		return ack(codePassword, "incorrect password")
	}
	if s.caller.stop != nil {
		s.caller.stop()
	}
	s.caller = caller{id: t.ID, name: t.Name, permissions: t.Permissions}
	unused := s.srv.cfg.Tokens.InUse(t.ID)
	stop := context.AfterFunc(s.srv.cfg.Tokens.TokenContext(t.ID), func() { _ = s.conn.Close() })
	s.caller.stop = func() bool { unused(); return stop() }
	s.known.Store(true)
	return nil
}

// permit returns an error unless the session may use a command.
func (s *session) permit(c command, name string) error {
	if s.caller.permissions.Has(c.need) {
		return nil
	}
	reason := audit.Permission
	if s.caller.id == "" {
		reason = audit.NoCredential
	}
	s.record(audit.Entry{Decision: audit.Denied, Reason: reason, Route: name})
	return ack(codePermission, "you don't have permission for \"%s\"", name)
}

// record writes an entry of the audit log.
func (s *session) record(e audit.Entry) {
	e.Server, e.Address = serverName, s.address()
	if e.Credential == "" {
		e.Credential, e.Name = s.caller.id, s.caller.name
	}
	e.Method = "MPD"
	e.Status = http.StatusOK
	if e.Decision == audit.Denied {
		e.Status = http.StatusForbidden
		s.srv.metrics.denied.Inc()
	}
	s.srv.cfg.Audit.Record(e)
}

func (s *session) address() string {
	if s.local {
		return "@"
	}
	host, _, err := net.SplitHostPort(s.conn.RemoteAddr().String())
	if err != nil {
		return ""
	}
	return host
}

const (
	failuresFree = 10 // wrong passwords of an address in a minute without a delay
	failureDelay = 3 * time.Second
	maxSources   = 1000
)

// failures counts the wrong passwords of each address in the current minute.
type failures struct {
	mu     sync.Mutex
	minute int64
	counts map[netip.Addr]int
}

// add counts a wrong password and reports whether there were too many.
func (f *failures) add(remote string, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if minute := now.Unix() / 60; minute != f.minute || len(f.counts) >= maxSources {
		f.minute, f.counts = minute, map[netip.Addr]int{}
	}
	source := httpkit.Network(remote)
	f.counts[source]++
	return f.counts[source] > failuresFree
}

// delay makes a client that guesses wait.
func (s *session) delay() {
	if s.local || !s.srv.failures.add(s.conn.RemoteAddr().String(), time.Now()) {
		return
	}
	select {
	case <-s.ctx.Done():
	case <-time.After(failureDelay):
	}
}

// permissions of commands.
const (
	anybody = access.Permissions(0)
	reads   = access.Read
	writes  = access.Write
)
