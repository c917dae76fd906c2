// Package demo contains the demo music that is embedded in the binary, so that the first run always
// has something to play: fourteen tracks by five artists on four albums, with covers and a
// playlist. The program in the composer folder generates it (make demo).
package demo

import (
	"embed"
	"io/fs"
)

//go:embed music
var music embed.FS

// FS returns the demo library as a music folder: Artist/Album/NN Title.ext, a cover.jpg in each
// album and a playlist at the top. An open file is also an io.ReaderAt and an io.Seeker.
func FS() fs.FS {
	sub, err := fs.Sub(music, "music")
	if err != nil {
		panic(err) // cannot fail: the folder is embedded at compile time
	}
	return sub
}
