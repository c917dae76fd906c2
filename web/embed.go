// Package web holds the pages of the player's face, embedded. They are plain ES modules,
// served as they are written.
package web

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"io/fs"
	"mime"
	"path"
	"strings"
	"sync"
)

//go:embed *.html *.js *.css *.svg
var files embed.FS

// Served is a file ready to be sent.
type Served struct {
	Content []byte
	Type    string
	ETag    string
}

// File returns a file by its path below this folder.
func File(name string) (Served, bool) {
	f, ok := all()[name]
	return f, ok
}

// all reads every file once; what is embedded never changes.
var all = sync.OnceValue(func() map[string]Served {
	served := make(map[string]Served)
	_ = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		served[name] = Served{content, contentType(name), `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}
		return nil
	})
	return served
})

// contentType does not ask the system's tables, which differ between machines.
func contentType(name string) string {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".webmanifest":
		return "application/manifest+json"
	default:
		return mime.TypeByExtension(ext)
	}
}
