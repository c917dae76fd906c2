package playerhttp_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"

	"waxwing/api"
	"waxwing/internal/playerhttp"
	"waxwing/internal/testenv/apitest"
)

var document = sync.OnceValue(func() *apitest.Document {
	return apitest.Load(api.PlayerYAML, "bearer", "text/html", "text/javascript", "application/yaml")
})

// checkAgainstDocument compares a reply with api/player.yaml and checks the headers of all
// replies.
func checkAgainstDocument(t testing.TB, req *http.Request, got reply) {
	t.Helper()
	name := req.Method + " " + req.URL.Path
	if v, id := got.header.Get("X-Waxwing-Version"), got.header.Get("X-Request-Id"); v != version || id == "" {
		t.Errorf("%s: got version %q and request id %q, want %q and an id", name, v, id, version)
	}
	for _, h := range []string{"X-Waxwing-Version", "X-Request-Id", "Content-Type", "Content-Security-Policy"} {
		if n := len(got.header.Values(h)); n > 1 {
			t.Errorf("%s: got header %s %d times, want at most once", name, h, n)
		}
	}
	if got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("%s: got headers %v, want nosniff and no-referrer", name, got.header)
	}
	if document().CheckReply(t, req, got.status, got.header, got.body) {
		return
	}
	options := got.status == 200 && req.Method == http.MethodOptions
	if !options && !slices.Contains([]int{403, 404, 405, 421}, got.status) {
		t.Errorf("%s is not documented: got %d %s, want 403, 404, 405 or 421", name, got.status, got.body)
	}
}

func TestRoutesAndDocumentAgree(t *testing.T) {
	routes := playerhttp.Routes(start(t, 0).cfg)
	document().CheckRoutes(t, routes)
	if len(routes) < 40 {
		t.Errorf("got %d routes, want at least 40", len(routes))
	}
}
