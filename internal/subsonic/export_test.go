package subsonic

import "waxwing/internal/httpkit"

// Routes returns the route table.
func Routes(cfg Config) []httpkit.Route {
	return (&server{cfg: cfg, store: cfg.Catalog, media: make(map[string]bool)}).routes()
}
