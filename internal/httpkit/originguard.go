package httpkit

import (
	"net/http"
	"slices"
	"strings"
)

// foreign returns the web origin that a request comes from if a browser says it is not our
// own; "" when the request does not name exactly one. Programs that are not browsers send
// neither header and are judged by their credential alone.
func foreign(r *http.Request) (origin string, isForeign bool) {
	switch origins := r.Header["Origin"]; len(origins) {
	case 0:
		return "", saysForeign(r)
	case 1:
		return origins[0], !isOwn(r, origins[0]) || saysForeign(r)
	}
	return "", true
}

// isOwn reports whether origin is the one under which r's Host serves pages. The Host has
// passed its guard before.
func isOwn(r *http.Request, origin string) bool {
	scheme, host, ok := strings.Cut(origin, "://")
	want := "http"
	if r.TLS != nil {
		want = "https"
	}
	return ok && scheme == want && strings.EqualFold(host, r.Host)
}

// saysForeign reads Sec-Fetch-Site, which also comes with requests that carry no Origin,
// such as those of an img or a frame. "none" is a person at the address bar.
func saysForeign(r *http.Request) bool {
	sites := r.Header["Sec-Fetch-Site"]
	return slices.ContainsFunc(sites, func(s string) bool { return s != "same-origin" && s != "none" })
}

// opensPage reports whether a person followed a link on another page to a document of ours.
// The other page cannot read the answer, and cannot hold it in a frame.
func opensPage(r *http.Request, kind Kind) bool {
	return kind == Page && len(r.Header["Origin"]) == 0 &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// allowOrigin lets the pages of one origin read the answer.
func allowOrigin(h http.Header, origin string) {
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, X-Waxwing-Version, Retry-After, Link, ETag")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Add("Vary", "Origin")
}

// preflight answers a browser that asks whether a page of another origin may call a path
// that has the given methods.
func preflight(w http.ResponseWriter, r *http.Request, allowed []string) {
	h := w.Header()
	allowOrigin(h, r.Header.Get("Origin"))
	h.Set("Access-Control-Allow-Methods", strings.Join(allowed, ", "))
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Last-Event-ID, X-Api-Key, Idempotency-Key, Range, If-None-Match")
	h.Set("Access-Control-Max-Age", "600")
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
	h.Set("Content-Length", "0")
	w.WriteHeader(http.StatusOK)
}
