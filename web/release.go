package web

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"

	"github.com/klauspost/compress/gzip"
)

// CatalogPage is a file that is not embedded: the web player for a server without a player.
const CatalogPage = "catalog.html"

// listName is a file that is not embedded: it lists what the pages load, for the service worker.
const listName = "files.json"

// reference is an attribute of a page that names one of our files.
var reference = regexp.MustCompile(`(href|src)="/web/([^"]+)"`)

// release returns the files as they are sent: each by its name, and what pages load also below a
// folder that is named by the hash of everything, so that browsers can store it for ever. Pages
// name these files with a hash of each: no other program that had our port can replace one in the
// cache of a browser.
func release(sources map[string][]byte) (map[string]Served, error) {
	served := make(map[string]Served)
	loaded := make(map[string][]byte) // what pages load, by name
	read := func(name string) (string, bool) { text, ok := sources[name]; return string(text), ok }
	for name, content := range sources {
		if path.Ext(name) != ".html" {
			served[name] = serve(name, content)
			continue
		}
		for _, found := range reference.FindAllSubmatch(content, -1) {
			target := string(found[2])
			if loaded[target] != nil {
				continue
			}
			content, ok := sources[target]
			if !ok {
				return nil, fmt.Errorf("%s refers to /web/%s, which does not exist", name, target)
			}
			if path.Ext(target) == ".js" {
				var err error
				if content, err = bundle(read, target); err != nil {
					return nil, fmt.Errorf("join the modules of %s: %w", name, err)
				}
			}
			loaded[target] = content
		}
	}
	loaded["sw.js"] = sources["sw.js"]

	folder := "v-" + version(loaded) + "/"
	for name, content := range loaded {
		file := serve(name, content)
		file.Gzipped, file.Immutable = compress(content), true
		served[folder+name] = file
	}
	pages := map[string][]byte{CatalogPage: bytes.Replace(sources["index.html"], []byte("<html "),
		[]byte(`<html data-server="catalog" `), 1)}
	maps.Copy(pages, sources)
	for name, content := range pages {
		if path.Ext(name) == ".html" {
			served[name] = serve(name, reference.ReplaceAllFunc(content, func(attribute []byte) []byte {
				found := reference.FindSubmatch(attribute)
				target := string(found[2])
				return fmt.Appendf(nil, `%s="/web/%s%s"%s`, found[1], folder, target, integrity(target, loaded[target]))
			}))
		}
	}
	served[listName] = serve(listName, list(folder, loaded))
	return served, nil
}

// integrity returns the attribute that makes a browser refuse another content. Browsers check
// scripts and style sheets only.
func integrity(name string, content []byte) string {
	if ext := path.Ext(name); ext != ".js" && ext != ".css" {
		return ""
	}
	sum := sha256.Sum256(content)
	return ` integrity="sha256-` + base64.StdEncoding.EncodeToString(sum[:]) + `"`
}

// version hashes names and contents.
func version(loaded map[string][]byte) string {
	sum := sha256.New()
	for _, name := range sorted(loaded) {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(loaded[name]), loaded[name])
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

func list(folder string, loaded map[string][]byte) []byte {
	paths := []string{"/web/icon.svg"} // the modules and the manifest name it so
	for _, name := range sorted(loaded) {
		if name != "sw.js" { // the browser keeps it
			paths = append(paths, "/web/"+folder+name)
		}
	}
	out, _ := json.Marshal(map[string][]string{"files": paths}) // strings always encode
	return out
}

func sorted(loaded map[string][]byte) []string {
	names := make([]string, 0, len(loaded))
	for name := range loaded {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// serve prepares a file. Its ETag is weak, because it names both forms of the content.
func serve(name string, content []byte) Served {
	sum := sha256.Sum256(content)
	etag := `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	return Served{Content: content, Type: contentType(path.Ext(name)), ETag: etag}
}

// compress returns the gzipped form, or nil if it is not smaller.
func compress(content []byte) []byte {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil
	}
	_, _ = w.Write(content) // a buffer accepts everything
	if err := w.Close(); err != nil || out.Len() >= len(content) {
		return nil
	}
	return out.Bytes()
}
