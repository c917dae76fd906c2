// Package web embeds the pages of the control API. They are plain ES modules without a build step;
// the server joins and compresses them when they are first requested.
package web

import (
	"embed"
	"io/fs"
	"mime"
	"sync"
)

//go:embed *.html *.js *.css *.svg *.webmanifest core fonts parts views overlay style
var files embed.FS

// Served is a file ready to be sent.
type Served struct {
	Content   []byte
	Gzipped   []byte // of what pages load, if it is smaller
	Type      string
	ETag      string
	Immutable bool // its path is named by its content
}

// File returns a file by its path below /web/.
func File(name string) (Served, bool) {
	f, ok := all()[name]
	return f, ok
}

// all prepares every file once, because embedded files never change. For the same reason it fails
// in the tests or never.
var all = sync.OnceValue(func() map[string]Served {
	sources := make(map[string][]byte)
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		sources[name], err = files.ReadFile(name)
		return err
	})
	if err != nil {
		panic(err)
	}
	served, err := release(sources)
	if err != nil {
		panic(err)
	}
	return served
})

// contentType does not use the system's MIME tables for these types, because they differ between
// machines.
func contentType(ext string) string {
	switch ext {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json":
		return "application/json"
	case ".woff2":
		return "font/woff2"
	case ".txt":
		return "text/plain; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".webmanifest":
		return "application/manifest+json"
	default:
		return mime.TypeByExtension(ext)
	}
}
