package race

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// scanned is one run of waxwing scan.
type scanned struct {
	Command time.Duration // from the start of the process to its end
	Scan    time.Duration // what the scan itself took, as on a server that runs already
	CPU     time.Duration // of the whole command
	PeakMiB float64       // the most memory the process had resident
}

// scan runs the command over a music folder and checks what it says it did.
func scan(ctx context.Context, program, data, music string, songs int, first bool) (scanned, error) {
	cmd := exec.CommandContext(ctx, program, "scan", "--json", "--data-dir", data, "--music", music)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return scanned{}, err
	}
	peak := make(chan float64)
	ended := make(chan struct{})
	go func() { peak <- watchPeak(cmd.Process.Pid, ended) }()
	err := cmd.Wait()
	took := time.Since(began)
	close(ended)
	result := scanned{Command: took, CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), PeakMiB: <-peak}
	if err != nil {
		return result, fmt.Errorf("waxwing scan: %w: %s", err, complaint.Bytes())
	}
	var report struct {
		Added, Unchanged int
		Took             time.Duration
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		return result, fmt.Errorf("read the report: %w", err)
	}
	result.Scan = report.Took
	if found := report.Unchanged; !first && found != songs {
		return result, fmt.Errorf("waxwing found %d unchanged songs and not %d", found, songs)
	}
	if found := report.Added; first && found != songs {
		return result, fmt.Errorf("waxwing added %d songs and not %d", found, songs)
	}
	return result, nil
}

// watchPeak reads the high-water mark of a process until it has ended. The mark of the parent that the system hands
// down to its children would be ours.
func watchPeak(pid int, ended <-chan struct{}) (mib float64) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if now, err := peakOf(pid); err == nil {
			mib = max(mib, now)
		}
		select {
		case <-ended:
			return mib
		case <-tick.C:
		}
	}
}

// peakOf is the most memory that a running process has had resident.
func peakOf(pid int) (mib float64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			var kib float64
			_, err := fmt.Sscan(rest, &kib)
			return kib / 1024, err
		}
	}
	return 0, errors.New("the system does not tell")
}
