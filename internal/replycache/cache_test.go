package replycache

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestReadingAllPagesOnceEvictsNoPopularPage(t *testing.T) {
	c := New[int64, string]("catalog", prometheus.NewRegistry())
	version := Version{Revision: 7, Epoch: "e"}
	body := make([]byte, 40_000)
	const popular = 1
	if c.Put(version, popular, &Reply[string]{Body: body}); c.Get(version, popular) != nil {
		t.Error("first request of a page: got it cached, want it only after the second")
	}
	c.Put(version, popular, &Reply[string]{Head: "tag", Body: body})
	body[0] = 'x' // the buffer is reused
	found := c.Get(version, popular)
	if found == nil || found.Body[0] != 0 || found.Head != "tag" {
		t.Fatalf("page requested twice: got %v, want a cached copy", found)
	}
	for number := range int64(20_000) {
		c.Put(version, 2+number, &Reply[string]{Body: body})
	}
	if c.Get(version, popular) != found {
		t.Error("popular page after 20,000 others: got it evicted, want it cached")
	}
	if size := c.bytes(); size > maxCacheBytes {
		t.Errorf("size of the cache: got %.0f bytes, want at most %d", size, maxCacheBytes)
	}
	version.Revision++
	if c.Get(version, popular) != nil {
		t.Error("cache after a new revision: got a reply of the older one, want none")
	}
}
