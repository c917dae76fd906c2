package testenv

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// FailCalls makes system calls of a process fail with an error, as in "EIO", when they touch one of the paths, until heal is
// called, which reports how many have failed. It needs no right but that of tracing the process; where even that is
// forbidden, the test is left out.
func FailCalls(t testing.TB, process int, errno string, calls, paths []string) (heal func() (failed int)) {
	t.Helper()
	NeedsTool(t, "strace")
	log := filepath.Join(t.TempDir(), "calls")
	named := strings.Join(calls, ",")
	args := []string{"-f", "-o", log, "-p", strconv.Itoa(process), "-e", "trace=" + named, "-e", "inject=" + named + ":error=" + errno}
	for _, path := range paths {
		args = append(args, "-P", path)
	}
	cmd := exec.Command("strace", args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	attached := false
	for !attached && lines.Scan() {
		if strings.Contains(lines.Text(), "Operation not permitted") {
			_ = cmd.Wait() // it has said why it ends
			skip(t, "test skipped: needs permission to trace a process: "+lines.Text())
		}
		attached = strings.Contains(lines.Text(), "attached")
	}
	if !attached {
		t.Fatalf("strace: %v", cmd.Wait())
	}
	return func() int {
		t.Helper()
		_ = cmd.Process.Signal(os.Interrupt) // if it has ended, Wait says how
		for lines.Scan() {                   // to its end, so that it can be waited for
		}
		_ = cmd.Wait() // an interrupt is how it ends
		calls, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(calls, []byte("(INJECTED)"))
	}
}
