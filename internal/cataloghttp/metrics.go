package cataloghttp

import "github.com/prometheus/client_golang/prometheus"

// cacheMetrics count what becomes of answers in the response cache.
type cacheMetrics struct {
	hits, misses  prometheus.Counter
	changed, full prometheus.Counter
}

func newCacheMetrics(r prometheus.Registerer) cacheMetrics {
	lookups := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "waxwing_catalog_cache_lookups_total", Help: "Answers looked for in the response cache, by result.",
	}, []string{"result"})
	evictions := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "waxwing_catalog_cache_evictions_total", Help: "Answers dropped from the response cache: for want of room, or because the catalog changed.",
	}, []string{"reason"})
	r.MustRegister(lookups, evictions)
	return cacheMetrics{
		hits: lookups.WithLabelValues("hit"), misses: lookups.WithLabelValues("miss"),
		changed: evictions.WithLabelValues("revision"), full: evictions.WithLabelValues("room"),
	}
}

// playMetrics count the plays that came in.
type playMetrics struct{ counted, uncounted prometheus.Counter }

func newPlayMetrics(r prometheus.Registerer) playMetrics {
	plays := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "waxwing_catalog_plays_total", Help: "Plays reported by players: counted, or not because the same listener had the song within half an hour, or because the report came twice.",
	}, []string{"result"})
	r.MustRegister(plays)
	return playMetrics{counted: plays.WithLabelValues("counted"), uncounted: plays.WithLabelValues("uncounted")}
}

func (p playMetrics) count(counted bool, err error) {
	switch {
	case err != nil: // the request's status tells of it
	case counted:
		p.counted.Inc()
	default:
		p.uncounted.Inc()
	}
}
