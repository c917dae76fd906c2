package cataloghttp

import "waxwing/internal/httpkit"

// Routes is the table, for the tests that compare it with the document.
func Routes(cfg Config) []httpkit.Route {
	return (&server{cfg: cfg, store: cfg.Catalog}).routes()
}

// AppendSong is how songs are written, for the test that compares it with the generated type.
var AppendSong = appendSong
