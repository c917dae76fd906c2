// Package gauge is what the rows of the bench share: the built binary as a process, a floor beside it, a lean HTTP
// client, and figures with their spread.
package gauge

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"waxwing/bench/genlib/library"
)

// Run is one run of the bench: what its rows are told, and what they share.
type Run struct {
	Program string        // the binary, built as users get it
	Cache   string        // what is slow to make is kept here from run to run
	Temp    string        // gone after the run
	Songs   int           // of the large catalog
	Rounds  int           // each figure is taken so often, turn and turn about with what it is compared with
	Window  time.Duration // how long processor time is watched
	Only    []string      // keys of rows; none: all
	Say     func(format string, args ...any)
}

// Wants reports whether one of the rows is asked for.
func (r *Run) Wants(keys ...string) bool {
	return len(r.Only) == 0 || slices.ContainsFunc(keys, func(k string) bool { return slices.Contains(r.Only, k) })
}

// Build builds the program as users get it.
func Build(ctx context.Context, dir string) (program string, err error) {
	program = filepath.Join(dir, "waxwing")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "waxwing")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return program, nil
}

// FilledCatalog is a data folder whose catalog has r.Songs songs, made by bench/fill once and kept. The system has its file
// in memory, as it has one that was made just now: one that was kept for long would have the disk measured.
func (r *Run) FilledCatalog(ctx context.Context) (string, error) {
	dir, err := r.cached(fmt.Sprintf("catalog-%d", r.Songs), func(dir string) error {
		r.Say("filling a catalog with %d songs, once (%s)", r.Songs, dir)
		cmd := exec.CommandContext(ctx, "go", "run", "waxwing/bench/fill", "--data-dir", dir, "--songs", fmt.Sprint(r.Songs))
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("fill a catalog: %w: %s", err, tail(out))
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	file, err := os.Open(filepath.Join(dir, "catalog.db"))
	if err != nil {
		return "", err
	}
	defer file.Close()
	_, err = io.Copy(io.Discard, file)
	return dir, err
}

// LibraryFiles is how many files the music folder has that programs scan, hold and serve side by side.
const LibraryFiles = 5000

// Library returns a folder of LibraryFiles small tagged files in the given formats, or in FLAC, MP3
// and Vorbis when none is given. It is generated on first use and stays in the cache.
func (r *Run) Library(ctx context.Context, formats ...string) (string, error) {
	if len(formats) == 0 {
		formats = []string{"flac", "mp3", "vorbis"}
	}
	name := fmt.Sprintf("music-%d-%s", LibraryFiles, strings.Join(formats, "-"))
	return r.cached(name, func(dir string) error {
		r.Say("generating a music folder of %d files (%s)", LibraryFiles, dir)
		cfg := library.Config{Dir: dir, Files: LibraryFiles, Seed: 1, Formats: formats}
		_, err := library.Generate(ctx, cfg)
		return err
	})
}

// cached returns a folder of the cache. fill writes to a temporary name first, so that an
// interrupted run leaves nothing incomplete.
func (r *Run) cached(name string, fill func(dir string) error) (string, error) {
	dir := filepath.Join(r.Cache, name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	half := dir + ".half"
	if err := os.RemoveAll(half); err != nil {
		return "", err
	}
	if err := os.MkdirAll(half, 0o700); err != nil {
		return "", err
	}
	if err := fill(half); err != nil {
		return "", err
	}
	return dir, os.Rename(half, dir)
}

// FreeAddr is a loopback address that nobody listened on a moment ago.
func FreeAddr() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return ln.Addr().String(), ln.Close()
}

func tail(out []byte) []byte { return out[max(0, len(out)-500):] }
