package cataloghttp

import "github.com/prometheus/client_golang/prometheus"

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
