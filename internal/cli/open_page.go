package cli

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"time"
)

// openPage is a file that leads a browser to the web player. It contains a claim, so only this
// account can read it.
type openPage struct{ path string }

// openPrefix begins the names of the folders that hold such a file.
const openPrefix = "waxwing-open-"

// writeOpenPage writes the file into a new folder below parent. It also removes what a command
// that was killed left there.
func writeOpenPage(parent, link string) (openPage, error) {
	removeStalePages(parent)
	dir, err := os.MkdirTemp(parent, openPrefix) // mode 0700
	if err != nil {
		return openPage{}, fmt.Errorf("create a folder for the page: %w", err)
	}
	page := openPage{filepath.Join(dir, "open.html")}
	if err := os.WriteFile(page.path, openHTML(link), 0o600); err != nil {
		page.remove()
		return openPage{}, fmt.Errorf("write the page: %w", err)
	}
	return page, nil
}

// remove deletes the file and its folder.
func (p openPage) remove() { _ = os.RemoveAll(filepath.Dir(p.path)) } // its claim ends without it

// removeStalePages deletes pages whose claims have expired.
func removeStalePages(parent string) {
	dirs, _ := filepath.Glob(filepath.Join(parent, openPrefix+"*"))
	for _, dir := range dirs {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > time.Minute {
			_ = os.RemoveAll(dir) // tried again by the next command
		}
	}
}

// openHTML is a page that leads to link at once, without a script.
func openHTML(link string) []byte {
	link = html.EscapeString(link)
	return fmt.Appendf(nil, `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=%s">
<title>Waxwing</title>
<p><a href="%s">Open the web player</a></p>
`, link, link)
}
