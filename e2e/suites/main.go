// Command suites decodes the sound files of public test suites, compares every sample with
// reference decoders and writes docs/suites.md.
//
//	go run ./e2e/suites /path/to/suites
//
// Each folder in the path is a suite, usually a checkout of a repository. The suites are not part
// of this repository.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	page := flag.String("page", "docs/suites.md", "write the table to this `file`; empty: to standard output")
	only := flag.String("only", "", "decode only files whose path contains this `text`; print every file, write no table")
	flag.Parse()
	if err := run(ctx, flag.Arg(0), *page, *only); err != nil {
		fmt.Fprintln(os.Stderr, "suites:", err)
		os.Exit(1)
	}
}

// suite is a folder of sound files and what became of them.
type suite struct {
	name    string
	counts  [outcomes]int
	remarks [outcomes][]string // files that differ or are wrong, and why
}

func run(ctx context.Context, root, page, only string) error {
	if root == "" {
		return errors.New("name the folder that has the suites: make suites SUITES=/path")
	}
	references, err := installed()
	if err != nil {
		return err
	}
	suites, err := examine(ctx, references, root, only)
	if err != nil {
		return err
	}
	if only != "" {
		return nil
	}
	text := markdown(suites, references)
	if page == "" {
		_, err := os.Stdout.WriteString(text)
		return err
	}
	return os.WriteFile(page, []byte(text), 0o644)
}

// examine judges the files of every suite in root.
func examine(ctx context.Context, references []reference, root, only string) (suites []*suite, err error) {
	folders, err := os.ReadDir(root)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		dir := filepath.Join(root, folder.Name())
		files, err := soundFiles(dir, only)
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			continue
		}
		s := &suite{name: strings.Replace(folder.Name(), "+", "/", 1)}
		s.count(ctx, references, dir, files, only != "")
		suites = append(suites, s)
		fmt.Fprintf(os.Stderr, "%s: %d files, %d wrong\n", s.name, len(files), s.counts[wrong])
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return suites, nil
}

// extensions are those of the files that are decoded.
var extensions = strings.Fields(`.flac .mp3 .mp2 .mp1 .bit .ogg .oga .opus .spx .oggflac .oggtheora .m4a .m4b .mp4 .aac
	.wav .aif .aiff .aifc .wma .ape .mpc .wv .tta .tak .dsf .dff .mka .webm .ac3 .eac3 .3g2 .3gp .au .caf`)

// soundFiles returns the sound files in dir, in order.
func soundFiles(dir, only string) (files []string, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.Type().IsRegular() && slices.Contains(extensions, strings.ToLower(filepath.Ext(path))) &&
			strings.Contains(path, only) {
			files = append(files, path)
		}
		return nil
	})
	return files, err
}

// count decodes the files, several at a time, and counts the outcomes.
func (s *suite) count(ctx context.Context, references []reference, dir string, files []string, verbose bool) {
	results := make([]result, len(files))
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, file := range files {
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			if ctx.Err() == nil {
				results[i] = compare(ctx, references, file)
			}
		})
	}
	wait.Wait()
	for i, r := range results {
		s.counts[r.outcome]++
		name := strings.TrimPrefix(files[i], dir+string(filepath.Separator))
		if verbose {
			fmt.Printf("%-10s %s: %s\n", r.outcome, name, r.why)
		}
		if r.outcome == differs || r.outcome == wrong {
			s.remarks[r.outcome] = append(s.remarks[r.outcome], fmt.Sprintf("| `%s` | %s |", name, r.why))
		}
	}
}
