package httpkit

import (
	"context"
	"net/http"
	"net/netip"

	"waxwing/internal/audit"
	"waxwing/internal/fault"
)

// verdict is the outcome of the access checks of a request.
type verdict struct {
	caller, name string // of the credential
	reason       audit.Reason
	event        audit.Event
	subject      string // id of the credential that the event is about
	subjectName  string
}

// refusal returns the reason why a credential was rejected.
func refusal(c Caller, kind fault.Kind) audit.Reason {
	switch {
	case c.Refused != "":
		return c.Refused
	case kind == fault.TooMany:
		return audit.Limited
	case kind == fault.Unauthenticated, kind == fault.Invalid:
		return audit.Invalid
	}
	return "" // not checked: the store is unavailable
}

// RecordEvent adds the change of a credential, the subject, to the audit entry of the request. A
// request without an entry gets one.
func RecordEvent(ctx context.Context, event audit.Event, subject, subjectName string) {
	if c, ok := ctx.Value(callerKey{}).(*Caller); ok && c.reply != nil {
		v := &c.reply.access
		v.event, v.subject, v.subjectName = event, subject, subjectName
	}
}

// record writes the audit entry of a request that changed something or was refused. Allowed reads
// are only in the request log.
func (s *Server) record(r *http.Request, p *reply, l *servedRoute, id string) {
	if s.cfg.Audit == nil {
		return
	}
	v := p.access
	decision := audit.Denied
	switch {
	case p.status == http.StatusMisdirectedRequest, p.status == http.StatusUnauthorized,
		p.status == http.StatusTooManyRequests:
	case p.status == http.StatusForbidden:
		v.reason = forbidden(v.reason, l.Need)
	case v.event == "" && (l.Need == Public || l.reads(r.Method)):
		return
	default:
		decision, v.reason = audit.Allowed, ""
	}
	route := l.Pattern
	if route == "" {
		route = "unmatched"
	}
	s.cfg.Audit.Record(audit.Entry{
		Server: s.cfg.Name, Decision: decision, Reason: v.reason, Event: v.event, Credential: v.caller, Name: v.name,
		Subject: v.subject, SubjectName: v.subjectName, Method: r.Method, Route: route, Status: p.status,
		Address: address(r.RemoteAddr), RequestID: id,
	})
}

// forbidden returns the reason for a 403. A public route requires no permission, so it can only
// reject the signature of the request.
func forbidden(known audit.Reason, need Need) audit.Reason {
	switch {
	case known != "":
		return known
	case need == Public:
		return audit.Invalid
	}
	return audit.Permission
}

// address returns a remote address without its port.
func address(remote string) string {
	if ap, err := netip.ParseAddrPort(remote); err == nil {
		return ap.Addr().Unmap().String()
	}
	return remote
}
