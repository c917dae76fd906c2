package cataloghttp

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/catalog"
)

func TestReadingAllPagesOnceEvictsNoPopularPage(t *testing.T) {
	c := newCache(prometheus.NewRegistry())
	view := catalog.View{Revision: 7, Epoch: "e"}
	page := func(number int64) cacheKey {
		return cacheKey{base: "http://127.0.0.1", path: "/api/songs", page: catalog.Page{Number: number, Limit: 50}}
	}
	body := make([]byte, 40_000)
	popular := page(1)
	if c.put(view, popular, &response{body: body}); c.get(view, popular) != nil {
		t.Error("first request of a page: got it cached, want it only after the second")
	}
	c.put(view, popular, &response{body: body})
	body[0] = 'x' // the buffer is reused
	found := c.get(view, popular)
	if found == nil || found.body[0] != 0 {
		t.Fatalf("page requested twice: got %v, want a cached copy", found)
	}
	for number := range int64(20_000) {
		c.put(view, page(2+number), &response{body: body})
	}
	if c.get(view, popular) != found {
		t.Error("popular page after 20,000 others: got it evicted, want it cached")
	}
	if size := c.bytes(); size > maxCacheBytes {
		t.Errorf("size of the cache: got %.0f bytes, want at most %d", size, maxCacheBytes)
	}
	view.Revision++
	if c.get(view, popular) != nil {
		t.Error("cache after a new revision: got a response of the older one, want none")
	}
}
