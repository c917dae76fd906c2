package cataloghttp

import (
	"waxwing/internal/catalog"
	"waxwing/internal/httpkit"
)

// Routes returns the route table.
func Routes(cfg Config) []httpkit.Route {
	return (&server{cfg: cfg, store: cfg.Catalog}).routes()
}

// AppendSong encodes a song.
func AppendSong(base string, s catalog.Song) ([]byte, error) {
	names, err := newCoverNames(make([]byte, 32))
	return appendSong(nil, links{base, names}, s), err
}

// CoverName returns the name of a cover under a secret.
func CoverName(secret []byte, hash string) string {
	names, err := newCoverNames(secret)
	if err != nil {
		panic(err)
	}
	return string(names.append(nil, hash))
}
