package scans

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
	"waxwing/bench/table"
)

// MemoryLimit is the most memory, in MiB, that a scan may use, whatever the number of files.
const MemoryLimit = 150

// memoryFiles is how many files the row of the bench scans.
const memoryFiles = 100_000

func memoryRow(ctx context.Context, run *gauge.Run) (table.Row, error) {
	run.Logf("peak memory of a scan of %d files", memoryFiles)
	peaks, err := PeakMemory(ctx, run.Program, filepath.Join(run.Temp, "scan-memory"), memoryFiles)
	r := table.Row{
		Key: Memory, What: fmt.Sprintf("peak memory of a first scan, %d files", memoryFiles),
		Ours:   table.Figure{Of: "ours", Values: []float64{peaks.First}, Unit: " MiB"},
		Beside: []table.Figure{{Of: "no-change scan", Values: []float64{peaks.Again}, Unit: " MiB"}},
	}
	r.Goal = table.AtMost(MemoryLimit, r.Ours.Values, " MiB")
	return r, err
}

// Peaks is the peak resident memory of a catalog server during a scan, in MiB.
type Peaks struct{ First, Again float64 }

// PeakMemory starts a catalog server over a folder of small files, and again in a new process when
// everything is known.
func PeakMemory(ctx context.Context, program, dir string, files int) (peaks Peaks, err error) {
	music, data := filepath.Join(dir, "music"), filepath.Join(dir, "data")
	if err := library.Tiny(ctx, music, files, 1); err != nil {
		return peaks, err
	}
	for _, peak := range []*float64{&peaks.First, &peaks.Again} {
		if *peak, err = scanPeak(ctx, program, data, music, files); err != nil {
			return peaks, err
		}
	}
	return peaks, nil
}

func scanPeak(ctx context.Context, program, data, music string, files int) (mib float64, err error) {
	addr, err := gauge.FreeAddr()
	if err != nil {
		return 0, err
	}
	p, err := gauge.Launch(nil, program, "catalog", "--data-dir", data, "--music", music,
		"--catalog-addr", addr, "--log-level", "warn")
	if err != nil {
		return 0, err
	}
	defer p.Stop()
	timeout := time.Minute + time.Duration(files)*2*time.Millisecond
	_, err = p.Until("its scan was done", timeout, func() bool {
		time.Sleep(20 * time.Millisecond)
		return ctx.Err() != nil || scanDone(ctx, addr)
	})
	if err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	peak, err := p.PeakMemory()
	return peak * 1e6 / (1 << 20), err
}

// scanDone reports whether the server has completed its first scan.
func scanDone(ctx context.Context, addr string) bool {
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
