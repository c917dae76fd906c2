package replycache

import "github.com/prometheus/client_golang/prometheus"

// counts counts lookups and evictions.
type counts struct {
	hits, misses  prometheus.Counter
	changed, full prometheus.Counter
}

func newCounts(server string, r prometheus.Registerer) counts {
	lookups := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "waxwing_" + server + "_cache_lookups_total", Help: "Lookups in the response cache, by result.",
	}, []string{"result"})
	evictions := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "waxwing_" + server + "_cache_evictions_total",
		Help: "Responses dropped from the cache: it was full, or the catalog changed.",
	}, []string{"reason"})
	r.MustRegister(lookups, evictions)
	return counts{
		hits: lookups.WithLabelValues("hit"), misses: lookups.WithLabelValues("miss"),
		changed: evictions.WithLabelValues("revision"), full: evictions.WithLabelValues("capacity"),
	}
}
