package cataloghttp

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"waxwing/api/catalogapi"
	"waxwing/internal/httpkit"
)

func (s *server) health(*http.Request, httpkit.None) (catalogapi.Health, error) {
	return catalogapi.Health{OK: true, Status: "running"}, nil
}

func (s *server) ready(r *http.Request, _ httpkit.None) (catalogapi.Health, error) {
	return catalogapi.Health{OK: true, Status: "ready"}, s.store.Ping(r.Context())
}

func (s *server) scan(*http.Request, httpkit.None) (catalogapi.ScanReply, error) {
	if s.cfg.Scan == nil {
		return catalogapi.ScanReply{}, nil
	}
	return catalogapi.ScanReply{Scan: s.cfg.Scan()}, nil
}

// metricsOf sends the metrics of this process.
func metricsOf(registry *prometheus.Registry) httpkit.Handler {
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{DisableCompression: true})
	return func(w http.ResponseWriter, r *http.Request) error {
		handler.ServeHTTP(w, r)
		return nil
	}
}
