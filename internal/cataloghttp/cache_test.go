package cataloghttp

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/catalog"
)

// TestAWalkDrivesNothingOut walks once through many more pages than the cache has room for, beside a page that everybody
// asks for.
func TestAWalkDrivesNothingOut(t *testing.T) {
	c := newCache(prometheus.NewRegistry())
	view := catalog.View{Revision: 7, Epoch: "e"}
	page := func(number int64) cacheKey {
		return cacheKey{base: "http://127.0.0.1", path: "/api/songs", page: catalog.Page{Number: number, Limit: 50}}
	}
	body := make([]byte, 40_000)
	popular := page(1)
	if c.put(view, popular, &response{body: body}); c.get(view, popular) != nil {
		t.Error("what was asked for once is kept")
	}
	c.put(view, popular, &response{body: body})
	body[0] = 'x' // the room of an answer is used again
	found := c.get(view, popular)
	if found == nil || found.body[0] != 0 {
		t.Fatal("what was asked for twice is not kept as it was")
	}
	for number := range int64(20_000) {
		c.put(view, page(2+number), &response{body: body})
	}
	if c.get(view, popular) != found {
		t.Error("a walk drove out what was asked for twice")
	}
	if room := c.bytes(); room > maxCacheBytes {
		t.Errorf("the cache takes %.0f bytes", room)
	}
	view.Revision++
	if c.get(view, popular) != nil {
		t.Error("an answer outlived its revision")
	}
}
