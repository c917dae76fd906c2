package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// metric reads a value of the server's /metrics; labels are part of the name.
func (s *server) metric(name string) float64 {
	s.t.Helper()
	v, err := s.tryMetrics(name)
	if err != nil {
		s.t.Fatal(err)
	}
	return v[0]
}

// tryMetrics reads values of the server's /metrics in one request.
func (s *server) tryMetrics(names ...string) (values []float64, err error) {
	req, err := http.NewRequestWithContext(s.t.Context(), "GET", s.base+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		_, rest, found := bytes.Cut(append([]byte("\n"), text...), []byte("\n"+name+" "))
		if !found {
			return nil, fmt.Errorf("no metric %s in %d %s", name, resp.StatusCode, text)
		}
		line, _, _ := bytes.Cut(rest, []byte("\n"))
		v, err := strconv.ParseFloat(string(line), 64)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

// secondAttempt is the allowance of a measurement in real time that was repeated.
const secondAttempt = "second attempt"

// percentile returns the value below which the fraction p of the values lies.
func percentile(all []time.Duration, p float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]
}

// prefer gives the processes real-time priority until undo is called, so that a measurement is not
// disturbed by other processes. It reports whether that was permitted; a result that depends on it
// must say so.
func prefer(pids ...int) (preferred bool, undo func()) {
	set := func(attr unix.SchedAttr) (done bool) {
		attr.Size = unix.SizeofSchedAttr
		for _, pid := range pids {
			tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
			for _, task := range tasks {
				if id, err := strconv.Atoi(filepath.Base(task)); err == nil {
					done = unix.SchedSetAttr(id, &attr, 0) == nil || done // needs root
				}
			}
		}
		return done
	}
	preferred = set(unix.SchedAttr{Policy: unix.SCHED_RR, Priority: 1, Flags: unix.SCHED_FLAG_RESET_ON_FORK})
	return preferred, func() { set(unix.SchedAttr{Policy: unix.SCHED_NORMAL}) }
}

// runQueueWait returns the longest time that a thread of the process has waited for a processor.
func runQueueWait(pid int) (most time.Duration) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, task := range tasks {
		var ran, waited int64
		if text, err := os.ReadFile(task); err == nil { // a thread may end meanwhile
			_, _ = fmt.Sscan(string(text), &ran, &waited)
		}
		most = max(most, time.Duration(waited))
	}
	return most
}
