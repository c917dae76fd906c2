package web_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"waxwing/web"
)

// sources returns the files of the pages from this folder.
func sources(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) == ".go" {
			return err
		}
		content, err := os.ReadFile(path)
		found[filepath.ToSlash(path)] = string(content)
		return err
	})
	if err != nil || len(found) < 30 {
		t.Fatalf("got %d files, %v; want at least 30", len(found), err)
	}
	return found
}

// TestEveryFileIsServedUnchanged also checks that files.json lists every file but the pages for the
// service worker.
func TestEveryFileIsServedUnchanged(t *testing.T) {
	listing, ok := web.File("files.json")
	var list struct{ Files []string }
	if err := json.Unmarshal(listing.Content, &list); err != nil || !ok {
		t.Fatalf("files.json: %v", err)
	}
	listed := strings.Join(list.Files, " ") + " "
	for name, content := range sources(t) {
		served, ok := web.File(name)
		if !ok || !bytes.Equal(served.Content, []byte(content)) || served.Type == "" || len(served.ETag) < 10 {
			t.Errorf("%s: got found %v, type %q, ETag %s and %d bytes; want the file with its %d bytes",
				name, ok, served.Type, served.ETag, len(served.Content), len(content))
		}
		if isPage := strings.HasSuffix(name, ".html"); strings.Contains(listed, "/web/"+name+" ") == isPage {
			t.Errorf("%s in files.json: got %v, want %v", name, isPage, !isPage)
		}
	}
	if _, ok := web.File("../web/app.js"); ok {
		t.Error("../web/app.js: got a file, want none")
	}
}

// TestModulesNeverTurnTextIntoHTMLOrCode checks that no file uses an API that does, and that none
// refers to another server.
func TestModulesNeverTurnTextIntoHTMLOrCode(t *testing.T) {
	forbidden := regexp.MustCompile(
		`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|` +
			`createContextualFragment|DOMParser|setHTML|srcdoc|setAttribute\("style"|` +
			`\bon\w+="|<script>|<style>| style="`,
	)
	address := regexp.MustCompile(`(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}`)
	imported := regexp.MustCompile(`(?:from|import) "([^"]+)"`)
	for name, content := range sources(t) {
		if found := forbidden.FindString(content); found != "" {
			t.Errorf("%s contains %s, want none", name, found)
		}
		for _, found := range address.FindAllString(content, -1) {
			if found != "http://www.w3.org" { // the name of the SVG namespace
				t.Errorf("%s refers to the server %s, want none", name, found)
			}
		}
		for _, from := range imported.FindAllStringSubmatch(content, -1) {
			if !strings.HasPrefix(from[1], ".") || !strings.HasSuffix(from[1], ".js") {
				t.Errorf("%s imports %s, want a relative path to a .js file", name, from[1])
			}
		}
		if lines := strings.Count(content, "\n"); lines > 400 {
			t.Errorf("%s: got %d lines, want at most 400", name, lines)
		}
	}
}
