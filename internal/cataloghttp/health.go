package cataloghttp

import (
	"net/http"

	"waxwing/api/catalogapi"
	"waxwing/internal/httpkit"
)

func (s *server) health(*http.Request, httpkit.None) (catalogapi.Health, error) {
	return catalogapi.Health{OK: true, Status: "running"}, nil
}

func (s *server) ready(r *http.Request, _ httpkit.None) (catalogapi.Health, error) {
	if s.cfg.Ready != nil {
		if err := s.cfg.Ready(); err != nil {
			return catalogapi.Health{}, err
		}
	}
	return catalogapi.Health{OK: true, Status: "ready"}, s.store.Ping(r.Context())
}

func (s *server) scan(*http.Request, httpkit.None) (catalogapi.ScanReply, error) {
	if s.cfg.Scan == nil {
		return catalogapi.ScanReply{}, nil
	}
	return catalogapi.ScanReply{Scan: s.cfg.Scan()}, nil
}
