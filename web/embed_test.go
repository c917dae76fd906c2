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

// sources are the files of the pages as they lie in this folder.
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
		t.Fatalf("%d files, %v", len(found), err)
	}
	return found
}

// TestEveryFileIsServed as it is written, and listed for the service worker.
func TestEveryFileIsServed(t *testing.T) {
	listing, ok := web.File("files.json")
	var list struct{ Files []string }
	if err := json.Unmarshal(listing.Content, &list); err != nil || !ok {
		t.Fatalf("files.json: %v", err)
	}
	kept := strings.Join(list.Files, " ") + " "
	for name, content := range sources(t) {
		served, ok := web.File(name)
		if !ok || !bytes.Equal(served.Content, []byte(content)) || served.Type == "" || len(served.ETag) < 10 {
			t.Errorf("%s is not served as it is: %v %s %s", name, ok, served.Type, served.ETag)
		}
		if isPage := strings.HasSuffix(name, ".html"); strings.Contains(kept, "/web/"+name+" ") == isPage {
			t.Errorf("%s: listed must be %v", name, !isPage)
		}
	}
	if _, ok := web.File("../web/app.js"); ok {
		t.Error("a path that is not clean is served")
	}
}

// TestNamesStayText: no module has a way to make HTML or code of a string, and none knows
// another address than the one it came from.
func TestNamesStayText(t *testing.T) {
	forbidden := regexp.MustCompile(
		`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|createContextualFragment|DOMParser|setHTML|srcdoc|setAttribute\("style"|\bon\w+="|<script>|<style>| style="`,
	)
	address := regexp.MustCompile(`(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}`)
	imported := regexp.MustCompile(`(?:from|import) "([^"]+)"`)
	for name, content := range sources(t) {
		if found := forbidden.FindString(content); found != "" {
			t.Errorf("%s contains %s", name, found)
		}
		for _, found := range address.FindAllString(content, -1) {
			if found != "http://www.w3.org" { // the name of the SVG namespace
				t.Errorf("%s names the address %s", name, found)
			}
		}
		for _, from := range imported.FindAllStringSubmatch(content, -1) {
			if !strings.HasPrefix(from[1], ".") || !strings.HasSuffix(from[1], ".js") {
				t.Errorf("%s imports %s", name, from[1])
			}
		}
		if lines := strings.Count(content, "\n"); lines > 400 {
			t.Errorf("%s has %d lines", name, lines)
		}
	}
}
