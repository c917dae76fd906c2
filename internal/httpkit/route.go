// Package httpkit is what both HTTP servers share: one adapter for typed operations, one
// translation of errors, and one chain in front of every route that guards the Host and
// the Origin, knows the caller, counts, logs and bounds each request.
package httpkit

import (
	"net/http"
	"slices"
	"strings"

	"waxwing/internal/access"
)

// Handler answers a request or returns an error that the Server turns into a reply.
// It must not return an error after it began to write, except to say that writing failed.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Need is the permission a route demands. The zero Need is no answer, and no route can be
// registered with it: what nobody thought about stays shut.
type Need uint8

const (
	undeclared Need = iota
	Public          // anyone who passes the Host and Origin guards
	Read
	Write
	Keys // deciding who else gets a credential
)

// permission returns what a caller must hold.
func (n Need) permission() access.Permissions {
	switch n {
	case Read:
		return access.Read
	case Write:
		return access.Write
	case Keys:
		return access.Keys
	}
	return 0
}

// Kind says what a route sends, where that changes how it is guarded and bounded.
type Kind uint8

const (
	JSON    Kind = iota // one small reply
	Stream              // runs on; ends when the caller's credential dies or the server stops
	Page                // a document for people, which a link on another page may open
	Picture             // an image that any page may show
)

// Route is one line of a server's table. Pattern is as in [http.ServeMux], with a method.
type Route struct {
	Pattern string
	Need    Need
	Kind    Kind
	Handler Handler
}

// split returns the method and the path of the pattern.
func (rt Route) split() (method, path string) {
	method, path, ok := strings.Cut(rt.Pattern, " ")
	if !ok || !slices.Contains(methods[:], method) || !strings.HasPrefix(path, "/") {
		panic("httpkit: a pattern is a method and a path, not " + rt.Pattern)
	}
	return method, path
}

// methods are those a route can have. HEAD is answered wherever GET is; OPTIONS is the Server's own.
var methods = [...]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// check panics on a route that must not exist. Tables are built at start, so this cannot
// happen to a user.
func (rt Route) check() {
	method, _ := rt.split()
	switch {
	case rt.Need == undeclared || rt.Need > Keys:
		panic("httpkit: " + rt.Pattern + " declares no permission")
	case rt.Handler == nil:
		panic("httpkit: " + rt.Pattern + " has no handler")
	case (rt.Kind == Page || rt.Kind == Picture) && (rt.Need != Public || method != http.MethodGet):
		panic("httpkit: " + rt.Pattern + " can be linked to or shown, so it must be a public GET")
	}
}
