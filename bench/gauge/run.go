// Package gauge has what the rows of the benchmark share: the built binary as a process, a floor to
// compare with, a minimal HTTP client, and statistics.
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

// Run is the configuration and shared state of one run.
type Run struct {
	Program string        // the binary, built like a release
	Cache   string        // data that is slow to generate; survives the run
	Temp    string        // removed after the run
	Songs   int           // in the large catalog
	Rounds  int           // measurements of each figure, alternating with its comparison
	Window  time.Duration // how long processor time is measured
	Only    []string      // keys of rows; empty means all
	Logf    func(format string, args ...any)
}

// Wants reports whether one of the rows was requested.
func (r *Run) Wants(keys ...string) bool {
	return len(r.Only) == 0 || slices.ContainsFunc(keys, func(k string) bool { return slices.Contains(r.Only, k) })
}

// Build builds the program like a release.
func Build(ctx context.Context, dir string) (program string, err error) {
	program = filepath.Join(dir, "waxwing")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "waxwing")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return program, nil
}

// FilledCatalog returns a data folder whose catalog has r.Songs songs. bench/fill generates it on
// first use. The file is read into the page cache, so that the disk is not part of the figures.
func (r *Run) FilledCatalog(ctx context.Context) (string, error) {
	dir, err := r.cached(fmt.Sprintf("catalog-%d", r.Songs), func(dir string) error {
		r.Logf("filling a catalog with %d songs (%s)", r.Songs, dir)
		cmd := exec.CommandContext(ctx, "go", "run", "waxwing/bench/fill",
			"--data-dir", dir, "--songs", fmt.Sprint(r.Songs))
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

// LibraryFiles is the number of files in the music folder that all programs scan and serve.
const LibraryFiles = 5000

// Library returns a folder of LibraryFiles small tagged files in the given formats, or in FLAC, MP3
// and Vorbis when none is given. It is generated on first use and stays in the cache.
func (r *Run) Library(ctx context.Context, formats ...string) (string, error) {
	if len(formats) == 0 {
		formats = []string{"flac", "mp3", "vorbis"}
	}
	name := fmt.Sprintf("music-%d-%s", LibraryFiles, strings.Join(formats, "-"))
	return r.cached(name, func(dir string) error {
		r.Logf("generating a music folder of %d files (%s)", LibraryFiles, dir)
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

// FreeAddr returns a loopback address that was free a moment ago.
func FreeAddr() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return ln.Addr().String(), ln.Close()
}

func tail(out []byte) []byte { return out[max(0, len(out)-500):] }
