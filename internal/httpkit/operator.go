package httpkit

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Operator configures the listener for probes and scrapers.
type Operator struct {
	Version string
	Hosts   []string // accepted host names besides the loopback ones and the address
	// Storage says what is wrong with the object storage of the music, "" if nothing. Nil: there is
	// none.
	Storage func(ctx context.Context) string
	// Ready returns nil if the process can serve requests, else the reason.
	Ready      func(ctx context.Context) error
	Metrics    prometheus.Registerer
	AllMetrics prometheus.Gatherer // what /metrics replies
	Log        *slog.Logger
}

// NewOperator serves /health, /ready and /metrics without a credential. It also accepts the IP
// address and no host at all, which probes and scrapers use.
func NewOperator(o Operator) *Server {
	return New(Config{
		Name: "operator", Version: o.Version, Hosts: o.Hosts, HostSetting: "catalog-host or player-host",
		ByAddress: true, Challenge: "None", Log: o.Log, Metrics: o.Metrics,
		Authenticate: func(http.ResponseWriter, *http.Request) (Caller, error) { return Caller{}, ErrNoCredential },
	}, []Route{
		{Pattern: "GET /health", Need: Public, Handler: Op(func(*http.Request, None) (condition, error) {
			return condition{OK: true, Status: "running"}, nil
		})},
		{Pattern: "GET /ready", Need: Public, Handler: Op(func(r *http.Request, _ None) (condition, error) {
			c := condition{OK: true, Status: "ready"}
			if o.Storage != nil {
				c.Storage = o.Storage(r.Context())
			}
			return c, o.Ready(r.Context())
		})},
		{Pattern: "GET /metrics", Need: Public, Handler: MetricsOf(o.AllMetrics)},
	})
}

type condition struct {
	OK     bool   `json:"ok"`
	Status string `json:"status"`
	// Storage says what is wrong with the object storage of the music.
	Storage string `json:"storage,omitempty"`
}

// MetricsOf replies with all metrics of a gatherer.
func MetricsOf(all prometheus.Gatherer) Handler {
	handler := promhttp.HandlerFor(all, promhttp.HandlerOpts{DisableCompression: true})
	return func(w http.ResponseWriter, r *http.Request) error {
		handler.ServeHTTP(w, r)
		return nil
	}
}
