// Package demo is the music built into the binary, so that the first run always plays:
// fourteen tracks by five artists on four albums, with covers and a playlist.
//
// The music was composed for Waxwing and is made by the generator in compose:
//
//	go generate ./internal/demo
//
// renders it anew from its scores (this needs Debian's ffmpeg).
package demo

import (
	"embed"
	"io/fs"
)

//go:generate go run ./compose -out music

//go:embed music
var music embed.FS

// FS is the demo library as a music folder: Artist/Album/NN Title.ext, a cover.jpg in
// each album and a playlist at the top. Files can be read at any offset: what Open
// returns is also an io.ReaderAt and an io.Seeker.
func FS() fs.FS {
	sub, err := fs.Sub(music, "music")
	if err != nil {
		panic(err) // the name is a constant that the compiler has embedded
	}
	return sub
}
