package subsonic

import (
	"errors"
	"net/http"
	"strings"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// protocolVersion is the version of the Subsonic API that replies declare. OpenSubsonic extends it.
const protocolVersion = "1.16.1"

// format is the form of a reply.
type format struct {
	xml      bool
	classic  bool   // without what OpenSubsonic added
	callback string // JSONP: the function to call
}

const (
	xmlType    = "application/xml; charset=utf-8"
	scriptType = "application/javascript; charset=utf-8"
)

// formatOf returns the form that a request wants. The version of the client is not judged: it only
// chooses the classic XML of clients before 1.13.
func formatOf(p params) format {
	switch f := p.get("f"); {
	case f == "jsonp" && isIdentifier(p.get("callback")):
		return format{callback: p.get("callback")}
	case f == "json" || f == "jsonp":
		return format{}
	}
	return format{xml: true, classic: before113(p.get("v"))}
}

// before113 reports whether a version is older than 1.13.
func before113(version string) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, okA := smallInt(major)
	b, okB := smallInt(minor)
	return okA && okB && (a < 1 || a == 1 && b < 13)
}

// smallInt parses up to four digits.
func smallInt(s string) (n int, ok bool) {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' || len(s) > 4 {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, s != ""
}

// isIdentifier reports whether a callback is the name of a function, with dots at most. Anything
// else could be a script of its own.
func isIdentifier(s string) bool {
	for i, c := range []byte(s) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$'
		if !letter && (i == 0 || c != '.' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != "" && len(s) <= 100
}

func (f format) contentType() string {
	switch {
	case f.xml:
		return xmlType
	case f.callback != "":
		return scriptType
	}
	return httpkit.JSONType
}

// begin returns an encoder with the start of a reply.
func (s *server) begin(f format, status string, b []byte) *encoder {
	e := &encoder{b: b, xml: f.xml, open: !f.classic}
	const name = "subsonic-response"
	switch {
	case f.xml:
		e.b = append(e.b, `<?xml version="1.0" encoding="UTF-8"?>`+"\n"...)
		e.element(name)
		e.str("xmlns", "http://subsonic.org/restapi")
	default:
		if f.callback != "" {
			e.b = append(e.b, f.callback...)
			e.b = append(e.b, '(')
		}
		e.b = append(e.b, '{')
		e.object(name)
	}
	e.str("status", status)
	e.str("version", protocolVersion)
	e.str("type", "waxwing")
	e.str("serverVersion", s.cfg.Version)
	e.bool("openSubsonic", true)
	return e
}

// finish ends a reply.
func (f format) finish(e *encoder) {
	e.end()
	if f.xml {
		e.b = append(e.b, '\n')
		return
	}
	e.b = append(e.b, '}')
	if f.callback != "" {
		e.b = append(e.b, ");"...)
	}
	e.b = append(e.b, '\n')
}

// Error codes of the Subsonic API. Of those not listed here, 20 and 30 judge the version of the
// client, 41 is about LDAP and 60 about trials.
const (
	codeGeneric     = 0
	codeMissing     = 10
	codeWrongLogin  = 40
	codeMechanism   = 42
	codeConflicting = 43
	codeAPIKey      = 44
	codeForbidden   = 50
	codeNotFound    = 70
)

// codedError is a fault with an error code of its own.
type codedError struct {
	code int
	error
}

func (e codedError) Unwrap() error { return e.error }

// coded returns a fault with an error code.
func coded(code int, kind fault.Kind, format string, args ...any) error {
	return codedError{code, fault.New(kind, format, args...)}
}

// missing is the error of a request without a required parameter.
func missing(name string) error {
	return coded(codeMissing, fault.Invalid, "the required parameter %s is missing", name)
}

// codeOf returns the error code of an error.
func codeOf(err error) int {
	var own codedError
	if errors.As(err, &own) {
		return own.code
	}
	kind, _ := fault.Of(err)
	switch {
	case fault.CodeOf(err) == fault.MissingCredential:
		return codeMissing
	case kind == fault.Unauthenticated:
		return codeWrongLogin
	case kind == fault.Forbidden:
		return codeForbidden
	case kind == fault.NotFound, errors.Is(err, catalog.ErrUnknownSong):
		return codeNotFound
	}
	return codeGeneric
}

// failure replies to a request that failed. Clients drop the body of a reply with another status
// than 200, so only the routes of media, which have no other body, and the limits of requests use
// one.
func (s *server) failure(w http.ResponseWriter, r *http.Request, status int, err error) {
	f := formatOf(paramsOf(r))
	code := codeOf(err)
	_, sentence := fault.Of(err)
	switch {
	case errors.Is(err, errNever):
		status = http.StatusNotImplemented
	case s.isMedia(r.URL.Path) || status == http.StatusTooManyRequests || status == http.StatusMisdirectedRequest ||
		status == http.StatusMethodNotAllowed || fault.CodeOf(err) == fault.UnknownPath:
		// the status says it
	default:
		status = http.StatusOK
		w.Header().Del("Www-Authenticate")
	}
	e := s.begin(f, "failed", nil)
	e.object("error")
	e.int("code", int64(code))
	e.str("message", sentence)
	e.end()
	f.finish(e)
	_ = httpkit.WriteBody(w, status, f.contentType(), e.b) // the client may have disconnected
}
