package race

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"waxwing/bench/gauge"
	"waxwing/bench/genlib/library"
)

// Tree is what waxwing catalog did with a large folder of tiny files.
type Tree struct {
	Files        int
	First, Again Visit
}

// Visit is one start of the server, until its scan is done.
type Visit struct {
	Took    time.Duration // from the start of the process
	PeakMiB float64       // the most memory that the process had resident by then
}

// Memory has the server scan a folder of so many files for the first time, and again in a new process.
func Memory(ctx context.Context, program, dir string, files int) (tree Tree, err error) {
	tree.Files = files
	music, data := filepath.Join(dir, "music"), filepath.Join(dir, "data")
	if err := library.Tiny(ctx, music, files, 1); err != nil {
		return tree, err
	}
	for _, visit := range []*Visit{&tree.First, &tree.Again} {
		if *visit, err = serve(ctx, program, data, music, files); err != nil {
			return tree, err
		}
	}
	return tree, nil
}

func serve(ctx context.Context, program, data, music string, files int) (v Visit, err error) {
	addr, err := gauge.FreeAddr()
	if err != nil {
		return v, err
	}
	p, err := gauge.Launch(nil, program, "catalog", "--data-dir", data, "--music", music, "--catalog-addr", addr, "--log-level", "warn")
	if err != nil {
		return v, err
	}
	defer p.Stop()
	// Half an hour would be 500 files a second, which is no scan any more.
	patience := time.Minute + time.Duration(files)*2*time.Millisecond
	v.Took, err = p.Until("its scan was done", patience, func() bool {
		time.Sleep(20 * time.Millisecond)
		return ctx.Err() != nil || scansDone(ctx, addr)
	})
	if err != nil {
		return v, err
	}
	if err := ctx.Err(); err != nil {
		return v, err
	}
	peak, err := p.PeakMemory()
	v.PeakMiB = peak * 1e6 / (1 << 20)
	return v, err
}

// scansDone reports whether the server has ended a scan well.
func scansDone(ctx context.Context, addr string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/metrics", nil)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return err == nil && strings.Contains(string(text), "\nwaxwing_scan_runs_total{result=\"done\"} 1\n")
}

// String is the tree for people.
func (t Tree) String() string {
	return fmt.Sprintf("%d files: first scan %v, peak %.0f MiB; nothing changed %v, peak %.0f MiB",
		t.Files, t.First.Took.Round(time.Millisecond), t.First.PeakMiB, t.Again.Took.Round(time.Millisecond), t.Again.PeakMiB)
}
