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
	maxCacheBytes = 16 << 20 // of bodies, including gzipped ones
	minGzipBytes  = 1400     // smaller bodies fit into one packet
)

// cacheKey identifies a response within one revision of the catalog.
type cacheKey struct {
	base   string
	path   string
	page   catalog.Page
	query  string
	gain   bool
	me     bool
	file   bool
	rules  bool
	online bool
	list   string // see listParams.query
	chosen [maxChoices]string
	viewer catalog.Viewer // zero if the response is the same for all
	// personal is the version of the viewer's own data, hour that of the clock (an hour or a minute),
	// if the response depends on them.
	personal, hour int64
}

// response is a response ready to be sent. It is immutable except for the gzipped body, which is
// created on first use.
type response struct {
	body []byte
	tag  []string // header
	link []string // header; nil if there is none

	once sync.Once
	gzip []byte // nil if it is not smaller
}

// cache holds responses of one revision in two generations: responses that were not requested
// while the young generation filled up are dropped with the old one. A response is cached on its
// second request, so that a client that reads all pages does not evict popular ones.
type cache struct {
	metrics cacheMetrics
	seed    maphash.Seed

	mu         sync.Mutex
	once       [4096]uint32 // hashes of keys requested once, by hash modulo length
	revision   int64
	epoch      string
	young, old map[cacheKey]*response
	youngBytes int
	oldBytes   int
}

func newCache(metrics prometheus.Registerer) *cache {
	c := &cache{metrics: newCacheMetrics(metrics), seed: maphash.MakeSeed()}
	metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "waxwing_catalog_cache_bytes", Help: "Size of the response cache.",
	}, c.bytes))
	return c
}

func (c *cache) bytes() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return float64(c.youngBytes + c.oldBytes)
}

// get returns the cached response of a revision, or nil.
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

// put caches a copy of a response, unless it is the first for its key or the cache holds a newer
// revision.
func (c *cache) put(view catalog.View, key cacheKey, a *response) {
	hash := maphash.Comparable(c.seed, key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != view.Epoch || c.revision < view.Revision {
		c.revision, c.epoch = view.Revision, view.Epoch
		c.metrics.changed.Add(float64(len(c.young) + len(c.old)))
		c.young, c.old, c.youngBytes, c.oldBytes = nil, nil, 0, 0
	}
	if slot, mark := &c.once[hash%uint64(len(c.once))], uint32(hash>>32); *slot != mark {
		*slot = mark
		return
	}
	if c.revision == view.Revision {
		c.add(key, &response{body: bytes.Clone(a.body), tag: a.tag, link: a.link})
	}
}

// add adds to the young generation. c.mu must be held.
func (c *cache) add(key cacheKey, a *response) {
	const overhead = 512                                // of the maps, the key and the headers
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

// gzipWriters is a pool because a writer takes much more memory than its output.
var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return w
}}

// gzipped returns the gzipped body, or nil if it is not smaller.
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
			return // writing to a buffer does not fail
		}
		if err := w.Close(); err == nil && b.Len() < len(a.body) {
			a.gzip = b.Bytes()
		}
	})
	return a.gzip
}
