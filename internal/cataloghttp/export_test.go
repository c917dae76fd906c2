package cataloghttp

import "waxwing/internal/httpkit"

// Routes returns the route table.
func Routes(cfg Config) []httpkit.Route {
	return (&server{cfg: cfg, store: cfg.Catalog}).routes()
}

// AppendSong encodes a song.
var AppendSong = appendSong
