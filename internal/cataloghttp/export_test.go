package cataloghttp

import (
	"waxwing/internal/art"
	"waxwing/internal/catalog"
	"waxwing/internal/httpkit"
)

// Routes returns the route table.
func Routes(cfg Config) []httpkit.Route {
	return (&server{cfg: cfg, store: cfg.Catalog}).routes()
}

// AppendSong encodes a song.
func AppendSong(base string, s catalog.Song) ([]byte, error) {
	names, err := art.NewNames(make([]byte, 32))
	return appendSong(nil, links{base, names}, s), err
}

// CoverName returns the name of a cover under a secret.
func CoverName(secret []byte, hash string) string {
	names, err := art.NewNames(secret)
	if err != nil {
		panic(err)
	}
	return string(names.Append(nil, hash))
}
