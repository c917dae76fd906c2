package transcode

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

type metrics struct {
	hits, joined, misses prometheus.Counter
	jobs                 *prometheus.CounterVec
	written              prometheus.Counter
}

func newMetrics(r prometheus.Registerer, s *Store) metrics {
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "waxwing_transcode_requests_total",
		Help: "Requests for transcodes: in the cache (hit), in progress for another request (joined), or neither (miss).",
	}, []string{"result"})
	m := metrics{
		hits: requests.WithLabelValues("hit"), joined: requests.WithLabelValues("joined"),
		misses: requests.WithLabelValues("miss"),
		jobs: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "waxwing_transcode_jobs_total",
			Help: "Transcodes by format and result: done, failed, cancelled, or refused because too many were waiting.",
		}, []string{"format", "result"}),
		written: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "waxwing_transcode_written_bytes_total", Help: "Bytes of completed transcodes.",
		}),
	}
	gauge := func(name, help string, read func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read)
	}
	r.MustRegister(requests, m.jobs, m.written,
		gauge("waxwing_transcode_running", "Transcodes in progress.",
			func() float64 { return float64(len(s.queue.slots)) }),
		gauge("waxwing_transcode_waiting", "Transcodes that wait for others to end.",
			func() float64 { return float64(s.queue.length()) }),
		gauge("waxwing_transcode_cache_bytes", "Disk space of transcodes.",
			func() float64 { return float64(s.cache.bytes()) }))
	for format := range formats { // so that all exist from the start
		for _, result := range []string{"done", "failed", "cancelled", "refused"} {
			m.jobs.WithLabelValues(string(format), result)
		}
	}
	return m
}

// count counts a job that has ended.
func (m metrics) count(f Format, err error) {
	result := "failed"
	switch {
	case err == nil:
		result = "done"
	case errors.Is(err, ErrBusy):
		result = "refused"
	case errors.Is(err, context.Canceled):
		result = "cancelled"
	}
	m.jobs.WithLabelValues(string(f), result).Inc()
}
