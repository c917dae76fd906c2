// Package httpkit implements what both HTTP servers share: an adapter for typed operations, the
// translation of errors, and the checks in front of every route: Host, Origin, credential,
// permission, limits, metrics and logs.
package httpkit

import (
	"net/http"
	"slices"
	"strings"

	"waxwing/internal/access"
)

// Handler handles a request or returns an error that the Server turns into a reply.
// It must not return an error after it began to write, except the error of a failed write.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Need is the permission a route requires. A route with the zero Need cannot be registered, so
// a forgotten permission never opens a route.
type Need uint8

const (
	undeclared Need = iota
	Public          // anyone who passes the Host and Origin guards
	Read
	Write
	Keys    // managing credentials
	Streams // playing from addresses of the web
)

// permission returns the permission a caller must have.
func (n Need) permission() access.Permissions {
	switch n {
	case Read:
		return access.Read
	case Write:
		return access.Write
	case Keys:
		return access.Keys
	case Streams:
		return access.Streams
	}
	return 0
}

// Kind is the kind of reply that a route sends. It decides which checks and time limits apply.
type Kind uint8

const (
	JSON    Kind = iota // one small reply
	Stream              // long-lived; ends with the caller's credential or the server
	Page                // a document that a link on another page may open
	Picture             // an image that any page may embed; its handler may distinguish callers
)

// getAndPost begins the pattern of a route that GET and POST use alike.
const getAndPost = http.MethodGet + "," + http.MethodPost

// Route is one row of a server's table. Pattern is as in [http.ServeMux], with a method, or with
// "GET,POST".
type Route struct {
	Pattern string
	Need    Need
	Kind    Kind
	Handler Handler
}

// split returns the method and the path of the pattern.
func (rt Route) split() (method, path string) {
	method, path, ok := strings.Cut(rt.Pattern, " ")
	if !ok || method != getAndPost && !slices.Contains(methods[:], method) || !strings.HasPrefix(path, "/") {
		panic("httpkit: a pattern must be a method and a path, got " + rt.Pattern)
	}
	return method, path
}

// patterns returns the patterns of the mux.
func (rt Route) patterns() []string {
	if method, path := rt.split(); method == getAndPost {
		return []string{http.MethodGet + " " + path, http.MethodPost + " " + path}
	}
	return []string{rt.Pattern}
}

// reads reports whether a request only reads. Where the method does not tell, the permission does.
func (rt Route) reads(method string) bool {
	if strings.HasPrefix(rt.Pattern, getAndPost) {
		return rt.Need != Write
	}
	return method == http.MethodGet || method == http.MethodHead
}

// methods are those a route can have. HEAD is served wherever GET is; the Server handles OPTIONS.
var methods = [...]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// check panics on an invalid route. Tables are built at start, so every test of a server finds
// one.
func (rt Route) check() {
	method, _ := rt.split()
	switch {
	case rt.Need == undeclared || rt.Need > Streams:
		panic("httpkit: " + rt.Pattern + " declares no permission")
	case rt.Handler == nil:
		panic("httpkit: " + rt.Pattern + " has no handler")
	case (rt.Kind == Page || rt.Kind == Picture) && (rt.Need != Public || method != http.MethodGet):
		panic("httpkit: " + rt.Pattern + " can be linked or embedded, so it must be a public GET")
	}
}
