package httpkit

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics are rate, errors and duration by route.
type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	streams  *prometheus.GaugeVec
}

// routeMetrics are the metrics of one route. Routes have them from their first request on: there
// are hundreds of routes, and few are used.
type routeMetrics struct {
	requests *prometheus.CounterVec
	ok       prometheus.Counter  // requests with status 200
	duration prometheus.Observer // nil for streams
	streams  prometheus.Gauge
}

func newMetrics(server string, reg prometheus.Registerer) metrics {
	labels := prometheus.Labels{"server": server}
	m := metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "waxwing_http_requests_total", Help: "Requests handled, by route and status.", ConstLabels: labels,
		}, []string{"route", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "waxwing_http_request_duration_seconds", Help: "Time to handle a request, by route.", ConstLabels: labels,
			Buckets: []float64{.00005, .0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route"}),
		streams: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "waxwing_http_streams", Help: "Streams open now, by route.", ConstLabels: labels,
		}, []string{"route"}),
	}
	reg.MustRegister(m.requests, m.duration, m.streams)
	return m
}

func (m metrics) route(pattern string, kind Kind) func() *routeMetrics {
	return sync.OnceValue(func() *routeMetrics {
		o := &routeMetrics{requests: m.requests.MustCurryWith(prometheus.Labels{"route": pattern})}
		o.ok = o.requests.WithLabelValues("200")
		if kind == Stream {
			o.streams = m.streams.WithLabelValues(pattern)
		} else {
			o.duration = m.duration.WithLabelValues(pattern)
		}
		return o
	})
}

func (o *routeMetrics) done(status int, took time.Duration) {
	if status == http.StatusOK {
		o.ok.Inc()
	} else {
		o.requests.WithLabelValues(strconv.Itoa(status)).Inc()
	}
	if o.duration != nil {
		o.duration.Observe(took.Seconds())
	}
}
