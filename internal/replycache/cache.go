// Package replycache holds the bodies of replies that stand for one revision of the catalog.
package replycache

import (
	"bytes"
	"hash/maphash"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/prometheus/client_golang/prometheus"
)

const (
	maxCacheBytes = 16 << 20 // of bodies, including gzipped ones
	minGzipBytes  = 1400     // smaller bodies fit into one packet
)

// Version is a revision of a catalog. Epoch distinguishes catalogs with equal revisions.
type Version struct {
	Epoch    string
	Revision int64
}

// Reply is a reply ready to be sent, with what belongs to it besides the body. It is immutable
// except for the gzipped body, which is created on first use.
type Reply[Head any] struct {
	Head Head
	Body []byte

	once sync.Once
	gzip []byte // nil if it is not smaller
}

// Cache holds replies of one revision in two generations: replies that were not requested while the
// young generation filled up are dropped with the old one. A reply is cached on its second request,
// so that a client that reads all pages does not evict popular ones.
type Cache[K comparable, Head any] struct {
	metrics counts
	seed    maphash.Seed

	mu         sync.Mutex
	once       [4096]uint32 // hashes of keys requested once, by hash modulo length
	version    Version
	young, old map[K]*Reply[Head]
	youngBytes int
	oldBytes   int
}

// New returns the cache of a server, which names its metrics.
func New[K comparable, Head any](server string, metrics prometheus.Registerer) *Cache[K, Head] {
	c := &Cache[K, Head]{metrics: newCounts(server, metrics), seed: maphash.MakeSeed()}
	metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "waxwing_" + server + "_cache_bytes", Help: "Size of the response cache.",
	}, c.bytes))
	return c
}

func (c *Cache[K, Head]) bytes() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return float64(c.youngBytes + c.oldBytes)
}

// Get returns the cached reply of a version, or nil.
func (c *Cache[K, Head]) Get(version Version, key K) *Reply[Head] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != version {
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

// Put caches a copy of a reply, unless it is the first for its key or the cache holds a newer
// revision.
func (c *Cache[K, Head]) Put(version Version, key K, a *Reply[Head]) {
	hash := maphash.Comparable(c.seed, key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version.Epoch != version.Epoch || c.version.Revision < version.Revision {
		c.version = version
		c.metrics.changed.Add(float64(len(c.young) + len(c.old)))
		c.young, c.old, c.youngBytes, c.oldBytes = nil, nil, 0, 0
	}
	if slot, mark := &c.once[hash%uint64(len(c.once))], uint32(hash>>32); *slot != mark {
		*slot = mark
		return
	}
	if c.version == version {
		c.add(key, &Reply[Head]{Head: a.Head, Body: bytes.Clone(a.Body)})
	}
}

// add adds to the young generation. c.mu must be held.
func (c *Cache[K, Head]) add(key K, a *Reply[Head]) {
	const overhead = 512                                // of the maps, the key and the headers
	size := len(a.Body) + len(a.Body)/4 + overhead + 64 // the gzipped body is about a quarter
	if c.youngBytes+size > maxCacheBytes/2 {
		c.metrics.full.Add(float64(len(c.old)))
		c.old, c.oldBytes, c.young, c.youngBytes = c.young, c.youngBytes, nil, 0
	}
	if c.young == nil {
		c.young = make(map[K]*Reply[Head])
	}
	c.young[key] = a
	c.youngBytes += size
}

// gzipWriters is a pool because a writer takes much more memory than its output.
var gzipWriters = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return w
}}

// Gzipped returns the gzipped body, or nil if it is not smaller.
func (a *Reply[Head]) Gzipped() []byte {
	a.once.Do(func() {
		if len(a.Body) < minGzipBytes {
			return
		}
		var b bytes.Buffer
		b.Grow(len(a.Body) / 3)
		w := gzipWriters.Get().(*gzip.Writer)
		defer gzipWriters.Put(w)
		w.Reset(&b)
		if _, err := w.Write(a.Body); err != nil {
			return // writing to a buffer does not fail
		}
		if err := w.Close(); err == nil && b.Len() < len(a.Body) {
			a.gzip = b.Bytes()
		}
	})
	return a.gzip
}
