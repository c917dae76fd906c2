package subsonic

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"net/http"
	"strings"

	"waxwing/internal/httpkit"
)

//go:embed connect.html
var connectHTML string

// connectPage shows the login of an app on the device that opens its link. The login is in the
// fragment of the link, which stays in the browser: the page is the same for everybody.
type connectPage struct {
	body   []byte
	policy string
}

func newConnectPage() connectPage {
	return connectPage{
		body: []byte(connectHTML),
		policy: "default-src 'none'; script-src " + inlineHash("script") + "; style-src " + inlineHash("style") +
			"; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	}
}

// inlineHash returns the source of a policy that allows the one element of the page with that name.
func inlineHash(element string) string {
	_, rest, _ := strings.Cut(connectHTML, "<"+element+">")
	content, _, _ := strings.Cut(rest, "</"+element+">")
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (p connectPage) serve(w http.ResponseWriter, _ *http.Request) error {
	forOwnOriginOnly(w.Header())
	w.Header().Set("Content-Security-Policy", p.policy)
	w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
	w.Header().Set("Cache-Control", "no-cache")
	return httpkit.WriteBody(w, http.StatusOK, "text/html; charset=utf-8", p.body)
}

// forOwnOriginOnly removes what lets the pages of every origin read a reply: they need that for the
// API only.
func forOwnOriginOnly(h http.Header) {
	delete(h, "Access-Control-Allow-Origin")
	delete(h, "Access-Control-Expose-Headers")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
}
