package httpkit

import (
	"net/http"
	"slices"
	"strings"
)

// crossOrigin reports whether a browser says that a request comes from another web origin, and
// returns that origin; "" if the request does not name exactly one. Programs that are not browsers
// send neither header, so only their credential counts.
func (s *Server) crossOrigin(r *http.Request) (origin string, isCross bool) {
	switch origins := r.Header["Origin"]; len(origins) {
	case 0:
		return "", crossSite(r)
	case 1:
		return origins[0], !s.sameOrigin(r, origins[0]) || crossSite(r)
	}
	return "", true
}

// sameOrigin reports whether origin is that of the pages served under r's Host. The caller has
// checked the Host.
func (s *Server) sameOrigin(r *http.Request, origin string) bool {
	scheme, host, ok := strings.Cut(origin, "://")
	if public := s.hosts.public; public.has(r.Host) {
		return ok && scheme == public.scheme && public.has(host)
	}
	want := "http"
	if r.TLS != nil {
		want = "https"
	}
	return ok && scheme == want && strings.EqualFold(host, r.Host)
}

// crossSite evaluates Sec-Fetch-Site. Browsers also send it with requests that have no Origin,
// such as those of an img or a frame. "none" means the address bar.
func crossSite(r *http.Request) bool {
	sites := r.Header["Sec-Fetch-Site"]
	return slices.ContainsFunc(sites, func(s string) bool { return s != "same-origin" && s != "none" })
}

// opensPage reports whether the request follows a link on another page to a document here. The
// other page can neither read the reply nor embed it in a frame.
func opensPage(r *http.Request, kind Kind) bool {
	return kind == Page && len(r.Header["Origin"]) == 0 &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// embedsPicture reports whether a page of another origin shows a picture of ours. It can load it in
// no other way, and learns its size at most.
func embedsPicture(r *http.Request, kind Kind) bool {
	return kind == Picture && r.Header.Get("Sec-Fetch-Dest") == "image"
}

// allowOrigin lets the pages of one origin read the reply.
func allowOrigin(h http.Header, origin string) {
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, X-Waxwing-Version, Retry-After, Link, ETag")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Add("Vary", "Origin")
}

// preflight replies to a CORS preflight request for a path that has the given methods.
func preflight(w http.ResponseWriter, r *http.Request, allowed []string) {
	h := w.Header()
	allowOrigin(h, r.Header.Get("Origin"))
	h.Set("Access-Control-Allow-Methods", strings.Join(allowed, ", "))
	h.Set("Access-Control-Allow-Headers",
		"Authorization, Content-Type, Last-Event-ID, X-Api-Key, Idempotency-Key, Range, If-None-Match")
	h.Set("Access-Control-Max-Age", "600")
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
	h.Set("Content-Length", "0")
	w.WriteHeader(http.StatusOK)
}

// anyOriginHeaders let the pages of every origin read the replies of a server.
var anyOriginHeaders = []header{
	{"Cross-Origin-Resource-Policy", []string{"cross-origin"}},
	{"Access-Control-Allow-Origin", []string{"*"}},
	{"Access-Control-Expose-Headers", []string{"X-Total-Count, ETag, Retry-After, Content-Range"}},
}

// preflightAny replies to a CORS preflight request to a server that every origin may use.
func preflightAny(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST")
	h.Set("Access-Control-Allow-Headers", "*")
	h.Set("Access-Control-Max-Age", "86400")
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
	h.Set("Content-Length", "0")
	w.WriteHeader(http.StatusOK)
}
