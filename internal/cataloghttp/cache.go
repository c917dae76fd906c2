package cataloghttp

import (
	"bytes"
	"hash/maphash"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/catalog"
)

const (
	maxCacheBytes = 16 << 20 // of bodies, gzipped ones included
	minGzipBytes  = 1400     // what fits into one packet gains nothing
)

// question names an answer within one revision of the catalog.
type cacheKey struct {
	base   string
	path   string
	page   catalog.Page
	query  string
	gain   bool
	viewer catalog.Viewer // zero where the answer is the same for all
}

// answer is a reply ready to be sent. It is never modified after it was made, but for the gzipped
// body, which is made when somebody first wants it.
type response struct {
	body []byte
	tag  []string // header
	link []string // likewise; nil: none

	once sync.Once
	gzip []byte // nil: not worth it
}

// cache keeps answers of one revision, in two generations: what was not asked for while a
// generation filled up is dropped with it. An answer is kept when it is made for the second time: else
// somebody who walks through all pages would drive out what many ask for.
type cache struct {
	metrics cacheMetrics
	seed    maphash.Seed

	mu         sync.Mutex
	once       [4096]uint32 // hashes of questions last answered, each in its place
	revision   int64
	epoch      string
	young, old map[cacheKey]*response
	youngBytes int
	oldBytes   int
}

func newCache(metrics prometheus.Registerer) *cache {
	c := &cache{metrics: newCacheMetrics(metrics), seed: maphash.MakeSeed()}
	metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "waxwing_catalog_cache_bytes", Help: "Room that the response cache takes.",
	}, c.bytes))
	return c
}

func (c *cache) bytes() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return float64(c.youngBytes + c.oldBytes)
}

// get returns the answer of a revision, or nil.
func (c *cache) get(view catalog.View, key cacheKey) *response {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.revision != view.Revision || c.epoch != view.Epoch {
		c.metrics.misses.Inc()
		return nil
	}
	a := c.young[key]
	if a == nil {
		if a = c.old[key]; a != nil {
			c.add(key, a)
		}
	}
	if a == nil {
		c.metrics.misses.Inc()
	} else {
		c.metrics.hits.Inc()
	}
	return a
}

// put keeps a copy of an answer, unless it is the first to its question or a newer revision is being kept.
func (c *cache) put(view catalog.View, key cacheKey, a *response) {
	hash := maphash.Comparable(c.seed, key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != view.Epoch || c.revision < view.Revision {
		c.revision, c.epoch = view.Revision, view.Epoch
		c.metrics.changed.Add(float64(len(c.young) + len(c.old)))
		c.young, c.old, c.youngBytes, c.oldBytes = nil, nil, 0, 0
	}
	if place, mark := &c.once[hash%uint64(len(c.once))], uint32(hash>>32); *place != mark {
		*place = mark
		return
	}
	if c.revision == view.Revision {
		c.add(key, &response{body: bytes.Clone(a.body), tag: a.tag, link: a.link})
	}
}

// keep adds to the young generation. The mutex is held.
func (c *cache) add(key cacheKey, a *response) {
	const overhead = 512                                // of the maps, the question and the headers
	size := len(a.body) + len(a.body)/4 + overhead + 64 // the gzipped body is about a quarter
	if c.youngBytes+size > maxCacheBytes/2 {
		c.metrics.full.Add(float64(len(c.old)))
		c.old, c.oldBytes, c.young, c.youngBytes = c.young, c.youngBytes, nil, 0
	}
	if c.young == nil {
		c.young = make(map[cacheKey]*response)
	}
	c.young[key] = a
	c.youngBytes += size
}

// zipper is a pool of writers: each takes much more memory than what it writes.
var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one that exists
	return w
}}

// zipped returns the gzipped body, or nil where plain is as good.
func (a *response) gzipped() []byte {
	a.once.Do(func() {
		if len(a.body) < minGzipBytes {
			return
		}
		var b bytes.Buffer
		b.Grow(len(a.body) / 3)
		w := gzipWriters.Get().(*gzip.Writer)
		defer gzipWriters.Put(w)
		w.Reset(&b)
		if _, err := w.Write(a.body); err != nil {
			return // a buffer takes everything
		}
		if err := w.Close(); err == nil && b.Len() < len(a.body) {
			a.gzip = b.Bytes()
		}
	})
	return a.gzip
}
