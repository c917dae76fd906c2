package httpkit

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// PlayCounts counts reported plays.
type PlayCounts struct{ counted, uncounted prometheus.Counter }

// NewPlayCounts returns the counters of a process, which its servers share.
func NewPlayCounts(r prometheus.Registerer) PlayCounts {
	plays := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "waxwing_catalog_plays_total",
		Help: "Plays reported by players: counted, or not because the same listener played the song " +
			"within half an hour, or because the report was repeated.",
	}, []string{"result"})
	if err := r.Register(plays); err != nil { // another server of this process has registered it
		var known prometheus.AlreadyRegisteredError
		if !errors.As(err, &known) {
			panic(err)
		}
		plays = known.ExistingCollector.(*prometheus.CounterVec)
	}
	return PlayCounts{counted: plays.WithLabelValues("counted"), uncounted: plays.WithLabelValues("uncounted")}
}

// Count counts a play that was reported.
func (p PlayCounts) Count(counted bool, err error) {
	switch {
	case err != nil: // counted by the status of the request
	case counted:
		p.counted.Inc()
	default:
		p.uncounted.Inc()
	}
}
