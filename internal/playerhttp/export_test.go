package playerhttp

import "waxwing/internal/httpkit"

// Routes returns the table, for comparison with the document.
func Routes(cfg Config) []httpkit.Route {
	return (&server{cfg: cfg, player: cfg.Player, catalog: newPassage(cfg)}).routes()
}
