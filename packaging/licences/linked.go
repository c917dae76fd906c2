package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// systems are the targets of `make cross`.
var systems = [][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "arm64"}, {"windows", "amd64"}}

// module is a linked module, with the folders of its linked packages.
type module struct {
	path, version, dir string
	packages           map[string]bool
}

type notice struct{ file, text string }

// linked lists the modules of the binary on all systems, the Go library first.
func linked(repo string) ([]*module, error) {
	cmd := exec.Command("go", "env", "GOROOT")
	cmd.Dir = repo
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("locate the Go standard library: %w", err)
	}
	goroot := strings.TrimSpace(string(out))
	all := map[string]*module{}
	for _, s := range systems {
		cmd := exec.Command("go", "list", "-deps", "-json=Dir,Module", ".")
		cmd.Dir, cmd.Stderr = repo, os.Stderr
		cmd.Env = append(os.Environ(), "GOOS="+s[0], "GOARCH="+s[1], "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("list the linked packages on %s: %w", s[0], err)
		}
		if err := gather(out, all); err != nil {
			return nil, err
		}
	}
	list := []*module{{path: "Go standard library", version: "of the build", dir: goroot}}
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		list = append(list, all[name])
	}
	return list, nil
}

func gather(listed []byte, all map[string]*module) error {
	for dec := json.NewDecoder(bytes.NewReader(listed)); ; {
		var pkg struct {
			Dir    string
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		err := dec.Decode(&pkg)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the list: %w", err)
		}
		m := pkg.Module
		if m == nil || m.Main {
			continue
		}
		if all[m.Path] == nil {
			all[m.Path] = &module{path: m.Path, version: m.Version, dir: m.Dir, packages: map[string]bool{}}
		}
		all[m.Path].packages[pkg.Dir] = true
	}
}

var noticeName = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice|patents)`)

// notices returns the legal texts in the root of the module and in the folders of its linked
// packages.
func (m *module) notices() ([]notice, error) {
	folders := map[string]bool{m.dir: true}
	for dir := range m.packages {
		for ; len(dir) > len(m.dir); dir = filepath.Dir(dir) {
			folders[dir] = true
		}
	}
	var found []notice
	for dir := range folders {
		entries, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if e.IsDir() || !noticeName.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") ||
				strings.Contains(e.Name(), "LOGO") {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			rel, err := filepath.Rel(m.dir, filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			found = append(found, notice{filepath.ToSlash(rel), readable(string(text))})
		}
	}
	slices.SortFunc(found, func(a, b notice) int { return strings.Compare(a.file, b.file) })
	return found, nil
}

var link = regexp.MustCompile(`\[([^\]]+)\]\(https?://[^)]*\)`)

// readable prepares a text for a terminal: Unix line endings, no Markdown links.
func readable(text string) string {
	return link.ReplaceAllString(strings.ReplaceAll(text, "\r\n", "\n"), "$1")
}
