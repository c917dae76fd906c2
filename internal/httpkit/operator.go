package httpkit

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Operator is what the operator's own listener needs to know.
type Operator struct {
	Version string
	Hosts   []string // names to answer to besides the loopback ones and the plain address
	// Ready returns nil when this process should be given work, else why not.
	Ready   func(ctx context.Context) error
	Metrics *prometheus.Registry
	Log     *slog.Logger
}

// NewOperator serves /health, /ready and /metrics without a credential, and nothing else. It answers to
// the plain address too, and to no name at all, because probes and scrapers know servers so.
func NewOperator(o Operator) *Server {
	return New(Config{
		Name: "operator", Version: o.Version, Hosts: o.Hosts, HostSetting: "catalog-host or player-host", ByAddress: true, Challenge: "None", Log: o.Log, Metrics: o.Metrics,
		Authenticate: func(http.ResponseWriter, *http.Request) (Caller, error) { return Caller{}, ErrNoCredential },
	}, []Route{
		{Pattern: "GET /health", Need: Public, Handler: Op(func(*http.Request, None) (condition, error) {
			return condition{OK: true, Status: "running"}, nil
		})},
		{Pattern: "GET /ready", Need: Public, Handler: Op(func(r *http.Request, _ None) (condition, error) {
			return condition{OK: true, Status: "ready"}, o.Ready(r.Context())
		})},
		{Pattern: "GET /metrics", Need: Public, Handler: MetricsOf(o.Metrics)},
	})
}

type condition struct {
	OK     bool   `json:"ok"`
	Status string `json:"status"`
}

// MetricsOf answers with all metrics of a registry.
func MetricsOf(registry *prometheus.Registry) Handler {
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{DisableCompression: true})
	return func(w http.ResponseWriter, r *http.Request) error {
		handler.ServeHTTP(w, r)
		return nil
	}
}
