package web_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
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

func TestEveryFileIsServedUnchanged(t *testing.T) {
	for name, content := range sources(t) {
		served, ok := web.File(name)
		unchanged := bytes.Equal(served.Content, []byte(content)) || strings.HasSuffix(name, ".html")
		if !ok || !unchanged || served.Type == "" || len(served.ETag) < 10 || served.Immutable {
			t.Errorf("%s: got found %v, type %q, ETag %s, immutable %v and %d bytes; want the file with its %d bytes",
				name, ok, served.Type, served.ETag, served.Immutable, len(served.Content), len(content))
		}
	}
	if _, ok := web.File("../web/app.js"); ok {
		t.Error("../web/app.js: got a file, want none")
	}
}

// TestPagesLoadFilesNamedByTheirContent checks that another program that had the port cannot leave
// a script in the cache of a browser, and that the service worker stores what the pages load.
func TestPagesLoadFilesNamedByTheirContent(t *testing.T) {
	listing, _ := web.File("files.json")
	loads := regexp.MustCompile(`(?:href|src)="/web/([^"]+)"(?: integrity="sha256-([^"]+)")?`)
	for _, page := range []string{"index.html", "overlay.html", "overlay-new.html"} {
		served, _ := web.File(page)
		found := loads.FindAllStringSubmatch(string(served.Content), -1)
		if len(found) < 4 {
			t.Errorf("%s loads %d files, want at least 4", page, len(found))
		}
		for _, load := range found {
			file, ok := web.File(load[1])
			if !ok || !file.Immutable || !strings.HasPrefix(load[1], "v-") {
				t.Errorf("%s loads %s: got found %v, immutable %v; want both", page, load[1], ok, file.Immutable)
			}
			sum := sha256.Sum256(file.Content)
			want := base64.StdEncoding.EncodeToString(sum[:])
			if ext := filepath.Ext(load[1]); (ext == ".js" || ext == ".css") && load[2] != want {
				t.Errorf("%s loads %s with integrity %q, want %q", page, load[1], load[2], want)
			}
			if !strings.Contains(string(listing.Content), `"/web/`+load[1]+`"`) {
				t.Errorf("%s is not in files.json", load[1])
			}
		}
		for _, module := range regexp.MustCompile(`src="/web/([^"]+)"`).FindAllStringSubmatch(string(served.Content), -1) {
			script, _ := web.File(module[1])
			if left := regexp.MustCompile(`(?m)^(import|export) .*`).Find(script.Content); left != nil {
				t.Errorf("%s contains %s, want one script without imports", module[1], left)
			}
			t.Logf("%s: %d bytes, %d compressed", module[1], len(script.Content), len(script.Gzipped))
		}
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
		if strings.HasPrefix(name, "fonts/") {
			continue
		}
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
		for i, line := range strings.Split(content, "\n") {
			if strings.Count(line, "`")%2 != 0 { // comments are removed by lines
				t.Errorf("%s:%d: a template of several lines, want one line", name, i+1)
			}
		}
		if lines := strings.Count(content, "\n"); lines > 400 {
			t.Errorf("%s: got %d lines, want at most 400", name, lines)
		}
	}
}
