package cataloghttp_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"

	"waxwing/api"
	"waxwing/internal/cataloghttp"
	"waxwing/internal/testenv/apitest"
)

var document = sync.OnceValue(func() *apitest.Document {
	return apitest.Load(api.CatalogYAML, "key", "text/html", "text/javascript", "text/event-stream", "application/yaml",
		"audio/flac", "multipart/byteranges", "image/jpeg", "image/png")
})

// checkAgainstDocument compares a reply with api/catalog.yaml and checks the headers of all
// replies.
func checkAgainstDocument(t testing.TB, req *http.Request, got reply) {
	t.Helper()
	name := req.Method + " " + req.URL.Path
	if v, id := got.header.Get("X-Waxwing-Version"), got.header.Get("X-Request-Id"); v != version || id == "" {
		t.Errorf("%s: got version %q and request id %q, want %q and an id", name, v, id, version)
	}
	documented := document().CheckReply(t, req, got.status, got.header, got.body)
	if !documented && !slices.Contains([]int{403, 404, 405, 421}, got.status) {
		t.Errorf("%s is not documented: got %d %s, want 403, 404, 405 or 421", name, got.status, got.body)
	}
}

func TestRoutesAndDocumentAgree(t *testing.T) {
	routes := cataloghttp.Routes(start(t, 0).cfg)
	document().CheckRoutes(t, routes)
	if len(routes) < 30 {
		t.Errorf("got %d routes, want at least 30", len(routes))
	}
}
