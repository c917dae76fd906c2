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

// FailCalls makes system calls of a process fail with an error, as in "EIO", if they touch one of
// the paths. Calling heal ends that and returns how many have failed. The test is skipped without
// permission to trace the process.
func FailCalls(t testing.TB, process int, errno string, calls, paths []string) (heal func() (failed int)) {
	t.Helper()
	NeedsTool(t, "strace")
	log := filepath.Join(t.TempDir(), "calls")
	named := strings.Join(calls, ",")
	args := []string{
		"-f", "-o", log, "-p", strconv.Itoa(process),
		"-e", "trace=" + named, "-e", "inject=" + named + ":error=" + errno,
	}
	for _, path := range paths {
		args = append(args, "-P", path)
	}
	cmd := exec.Command("strace", args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	attached := false
	for !attached && lines.Scan() {
		if strings.Contains(lines.Text(), "Operation not permitted") {
			_ = cmd.Wait() // its output says why it ends
			skip(t, "test skipped: needs permission to trace a process: "+lines.Text())
		}
		attached = strings.Contains(lines.Text(), "attached")
	}
	if !attached {
		t.Fatalf("strace: %v", cmd.Wait())
	}
	return func() int {
		t.Helper()
		_ = cmd.Process.Signal(os.Interrupt) // it may have ended already
		for lines.Scan() {                   // to the end, as Wait requires
		}
		_ = cmd.Wait() // it ends by the interrupt
		calls, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(calls, []byte("(INJECTED)"))
	}
}
