package cataloghttp

import "github.com/prometheus/client_golang/prometheus"

// cacheMetrics counts lookups and evictions of the response cache.
type cacheMetrics struct {
	hits, misses  prometheus.Counter
	changed, full prometheus.Counter
}

func newCacheMetrics(r prometheus.Registerer) cacheMetrics {
	lookups := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "waxwing_catalog_cache_lookups_total", Help: "Lookups in the response cache, by result.",
	}, []string{"result"})
	evictions := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "waxwing_catalog_cache_evictions_total",
		Help: "Responses dropped from the cache: it was full, or the catalog changed.",
	}, []string{"reason"})
	r.MustRegister(lookups, evictions)
	return cacheMetrics{
		hits: lookups.WithLabelValues("hit"), misses: lookups.WithLabelValues("miss"),
		changed: evictions.WithLabelValues("revision"), full: evictions.WithLabelValues("capacity"),
	}
}

// playMetrics counts reported plays.
type playMetrics struct{ counted, uncounted prometheus.Counter }

func newPlayMetrics(r prometheus.Registerer) playMetrics {
	plays := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "waxwing_catalog_plays_total",
		Help: "Plays reported by players: counted, or not because the same listener played the song " +
			"within half an hour, or because the report was repeated.",
	}, []string{"result"})
	r.MustRegister(plays)
	return playMetrics{counted: plays.WithLabelValues("counted"), uncounted: plays.WithLabelValues("uncounted")}
}

func (p playMetrics) count(counted bool, err error) {
	switch {
	case err != nil: // counted by the status of the request
	case counted:
		p.counted.Inc()
	default:
		p.uncounted.Inc()
	}
}
