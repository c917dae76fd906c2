// Package web embeds the pages of the control API. They are plain ES modules,
// served as they are written.
package web

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"mime"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed *.html *.js *.css *.svg *.webmanifest core parts views overlay style
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

// all reads every file once, because embedded files never change.
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
		served[name] = serve(name, content)
		return nil
	})
	served[listName] = serve(listName, list(served))
	return served
})

// listName is a file that is not embedded: it lists the others, for the service worker.
const listName = "files.json"

func list(served map[string]Served) []byte {
	paths := make([]string, 0, len(served))
	for name := range served {
		if path.Ext(name) != ".html" { // pages have their own routes
			paths = append(paths, "/web/"+name)
		}
	}
	slices.Sort(paths)
	out, _ := json.Marshal(map[string][]string{"files": paths}) // strings always encode
	return out
}

func serve(name string, content []byte) Served {
	sum := sha256.Sum256(content)
	return Served{content, contentType(name), `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}
}

// contentType does not use the system's MIME tables for these types, because they differ between
// machines.
func contentType(name string) string {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json":
		return "application/json"
	case ".svg":
		return "image/svg+xml"
	case ".webmanifest":
		return "application/manifest+json"
	default:
		return mime.TypeByExtension(ext)
	}
}
