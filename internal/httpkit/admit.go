package httpkit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/audit"
	"waxwing/internal/fault"
)

// ErrNoCredential is returned by Authenticate, alone or as the cause of a fault with a better
// message, if a request has no credential. It is not counted as a wrong one.
var ErrNoCredential = errors.New("no credential")

// LifetimeHeader is the header in which a player passes on how long the token of its client is
// still valid, in milliseconds. What the catalog grants for the request ends no later.
const LifetimeHeader = "X-Waxwing-Lifetime"

// Caller is the sender of a request.
type Caller struct {
	ID          string // of the credential, as in lists and logs
	Name        string // of the credential, for people
	Permissions access.Permissions
	ExpiresAt   time.Time       // of the credential; zero: never
	Idle        time.Duration   // the credential expires after this time without use; 0: it does not
	Origin      string          // the web origin that may use the credential from a browser; "" for none
	Context     context.Context // cancelled when the credential ends; nil if it cannot end during a stream
	Detail      any             // data that Authenticate adds for the server's own handlers
	Background  bool            // less urgent: leaves a part of the limits to other requests of the credential
	Refused     audit.Reason    // why a known credential is refused; "" if it is valid

	reply *reply // for [RecordEvent]
}

// Limit bounds the tokens that the caller may create or approve.
func (c Caller) Limit() access.Limit {
	return access.Limit{Permissions: c.Permissions, ExpiresAt: c.ExpiresAt, Idle: c.Idle}
}

// FixedLimit bounds the credentials that do not expire by themselves while they are not used.
func (c Caller) FixedLimit() access.Limit {
	limit := access.Limit{Permissions: c.Permissions, ExpiresAt: c.ExpiresAt}
	if c.Idle > 0 {
		limit.ExpiresAt = limit.Cut(time.Now().Add(c.Idle))
	}
	return limit
}

// handle authorizes the caller and runs the handler. A panic in it becomes an error.
func (l *servedRoute) handle(p *reply, r *http.Request) (err error) {
	defer func() {
		if v := recover(); v != nil && v != http.ErrAbortHandler {
			p.panicked = true
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		} else if v != nil {
			p.panicked, err = true, http.ErrAbortHandler
		}
	}()
	caller, err := l.admit(p, r)
	if err != nil {
		return err
	}
	if l.Kind == Picture {
		p.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
	if l.Need != Public || r.Method != http.MethodGet || caller.ID != "" {
		caller.reply = p
		r = r.WithContext(context.WithValue(r.Context(), callerKey{}, &caller))
	}
	done, err := l.hold(p, r, caller)
	if err != nil {
		return err
	}
	defer done()
	if l.Kind == Stream {
		return l.stream(p, r, caller)
	}
	err = l.Handler(p, r)
	if l.Need == Public {
		err = l.server.countFailure(p, r, err)
	}
	return err
}

// hold counts an authorized request, and keeps its connection while it is in progress.
func (l *servedRoute) hold(p *reply, r *http.Request, caller Caller) (done func(), err error) {
	if FromOwner(r.Context()) {
		return func() {}, nil // no crowd of others can be in the owner's way
	}
	end, ok := l.server.progress.begin(caller, l.Kind)
	if !ok {
		p.access.reason = audit.Limited
		return nil, fault.New(fault.TooMany, "this credential has too many requests in progress; close some of them")
	}
	c, ok := r.Context().Value(connKey{}).(*conn)
	if !ok || caller.ID == "" && l.Kind != Stream {
		return end, nil
	}
	release := c.authorized()
	return func() { release(); end() }, nil
}

// admit authorizes a request. It denies by default.
func (l *servedRoute) admit(p *reply, r *http.Request) (caller Caller, err error) {
	origin, isCross := l.server.crossOrigin(r)
	if isCross && (l.server.cfg.AnyOrigin || embedsPicture(r, l.Kind) || opensPage(r, l.Kind)) {
		isCross = false
	}
	if l.Need == Public && (!isCross || r.Method == http.MethodOptions) {
		return l.recognize(p, r)
	}
	caller, err = l.server.authenticate(p, r)
	if isCross {
		if err != nil || origin == "" || caller.Origin != origin {
			p.access.reason = audit.Origin
			return Caller{}, errCrossOrigin
		}
		allowOrigin(p.Header(), origin)
	}
	if l.Need == Public {
		return caller, nil
	}
	if err != nil {
		return Caller{}, err
	}
	if need := l.Need.permission(); !caller.Permissions.Has(need) {
		p.access.reason = audit.Permission
		return Caller{}, fault.WithCode(fault.Forbidden, fault.MissingPermission,
			"this needs the permission %s; yours has only %s", need, caller.Permissions)
	}
	return caller, nil
}

// recognize returns the caller of a public route. Only pictures distinguish callers; those without
// a credential are the zero Caller.
func (l *servedRoute) recognize(p *reply, r *http.Request) (Caller, error) {
	if l.Kind != Picture || r.Method == http.MethodOptions {
		return Caller{}, nil
	}
	caller, err := l.server.authenticate(p, r)
	if p.access.reason == audit.NoCredential {
		p.access.reason = ""
		return Caller{}, nil
	}
	return caller, err
}

var errCrossOrigin = fault.WithCode(fault.Forbidden, fault.OriginNotAllowed,
	"pages of that origin may not use this server; create a token with --origin to allow it")

// authenticate identifies the caller and limits wrong credentials by address.
func (s *Server) authenticate(p *reply, r *http.Request) (Caller, error) {
	caller, err := s.cfg.Authenticate(p, r)
	p.access.caller, p.access.name = caller.ID, caller.Name
	if err == nil {
		return caller, nil
	}
	kind, sentence := fault.Of(err)
	p.access.reason = refusal(caller, kind)
	if errors.Is(err, ErrNoCredential) {
		p.access.reason = audit.NoCredential
		if kind != fault.Unauthenticated {
			sentence = "this needs a credential; the header WWW-Authenticate says which"
		}
		return Caller{}, fault.WithCode(fault.Unauthenticated, fault.MissingCredential, "%s", sentence)
	}
	return Caller{}, s.countFailure(p, r, err)
}

// countFailure counts err by address if it is a wrong credential. It returns err, or after too many
// of them that the address must wait.
func (s *Server) countFailure(p *reply, r *http.Request, err error) error {
	if kind, _ := fault.Of(err); err == nil || kind != fault.Unauthenticated {
		return err
	}
	if p.access.reason == "" {
		p.access.reason = audit.Invalid
	}
	wait := s.failures.add(r.RemoteAddr, time.Now())
	if wait <= 0 {
		return err
	}
	p.access.reason = audit.LockedOut
	return &RetryLater{wait, fault.WithCode(fault.TooMany, fault.TooManyFailures,
		"too many wrong credentials from this address; wait a minute")}
}

type callerKey struct{}

// CallerOf returns the caller of a request that needed a permission, or that requests a picture
// with a credential; the zero Caller for a public one.
func CallerOf(ctx context.Context) Caller {
	if c, ok := ctx.Value(callerKey{}).(*Caller); ok {
		return *c
	}
	return Caller{}
}
