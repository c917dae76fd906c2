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
	cacheBytes   = 16 << 20 // of bodies, gzipped ones included
	smallestGzip = 1400     // what fits into one packet gains nothing
)

// question names an answer within one revision of the catalog.
type question struct {
	base   string
	path   string
	page   catalog.Page
	query  string
	gain   bool
	viewer catalog.Viewer // zero where the answer is the same for all
}

// answer is a reply ready to be sent. It is never modified after it was made, but for the gzipped
// body, which is made when somebody first wants it.
type answer struct {
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
	seen cacheMetrics
	seed maphash.Seed

	mu         sync.Mutex
	once       [4096]uint32 // hashes of questions last answered, each in its place
	revision   int64
	epoch      string
	young, old map[question]*answer
	youngBytes int
	oldBytes   int
}

func newCache(metrics prometheus.Registerer) *cache {
	c := &cache{seen: newCacheMetrics(metrics), seed: maphash.MakeSeed()}
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
func (c *cache) get(view catalog.View, q question) *answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.revision != view.Revision || c.epoch != view.Epoch {
		c.seen.misses.Inc()
		return nil
	}
	a := c.young[q]
	if a == nil {
		if a = c.old[q]; a != nil {
			c.keep(q, a)
		}
	}
	if a == nil {
		c.seen.misses.Inc()
	} else {
		c.seen.hits.Inc()
	}
	return a
}

// put keeps a copy of an answer, unless it is the first to its question or a newer revision is being kept.
func (c *cache) put(view catalog.View, q question, a *answer) {
	hash := maphash.Comparable(c.seed, q)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch != view.Epoch || c.revision < view.Revision {
		c.revision, c.epoch = view.Revision, view.Epoch
		c.seen.outdated.Add(float64(len(c.young) + len(c.old)))
		c.young, c.old, c.youngBytes, c.oldBytes = nil, nil, 0, 0
	}
	if place, mark := &c.once[hash%uint64(len(c.once))], uint32(hash>>32); *place != mark {
		*place = mark
		return
	}
	if c.revision == view.Revision {
		c.keep(q, &answer{body: bytes.Clone(a.body), tag: a.tag, link: a.link})
	}
}

// keep adds to the young generation. The mutex is held.
func (c *cache) keep(q question, a *answer) {
	const overhead = 512                                // of the maps, the question and the headers
	size := len(a.body) + len(a.body)/4 + overhead + 64 // the gzipped body is about a quarter
	if c.youngBytes+size > cacheBytes/2 {
		c.seen.crowded.Add(float64(len(c.old)))
		c.old, c.oldBytes, c.young, c.youngBytes = c.young, c.youngBytes, nil, 0
	}
	if c.young == nil {
		c.young = make(map[question]*answer)
	}
	c.young[q] = a
	c.youngBytes += size
}

// zipper is a pool of writers: each takes much more memory than what it writes.
var zippers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is one that exists
	return w
}}

// zipped returns the gzipped body, or nil where plain is as good.
func (a *answer) zipped() []byte {
	a.once.Do(func() {
		if len(a.body) < smallestGzip {
			return
		}
		var b bytes.Buffer
		b.Grow(len(a.body) / 3)
		w := zippers.Get().(*gzip.Writer)
		defer zippers.Put(w)
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
