package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// browserDir holds the proofs that run in a real browser. Node.js is needed to drive it, and
// for nothing else.
const browserDir = "browser"

// TestWebPlayerTypes checks the types of every module of the web player.
func TestWebPlayerTypes(t *testing.T) {
	testenv.NeedsTool(t, "node", "npm")
	installBrowserTools(t)
	node(t, time.Minute, "npm", "run", "--silent", "types")
}

// TestWebPlayer drives the program through the browser as a person would, and as a hostile
// page would.
func TestWebPlayer(t *testing.T) {
	testenv.NeedsTool(t, "chromium", "node", "npm")
	installBrowserTools(t)
	for _, file := range []string{"journeys", "access", "devices", "fresh", "screens", "ways", "hostile"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			out := node(t, 8*time.Minute, "node", "--test", file+".test.mjs")
			t.Log(out)
			if file == "hostile" {
				reportAttempts(t, out)
			}
		})
	}
}

// reportAttempts sums up what the hostile page says that it tried, and what came of it.
func reportAttempts(t *testing.T, out string) {
	t.Helper()
	line := regexp.MustCompile(`(\d+) attempts from http://([\w.:]+), (\d+) requests answered: (\d+) bytes read, (\d+) commands carried out`)
	var origins []string
	var sum [4]int // attempts, answers, bytes, commands
	for _, said := range line.FindAllStringSubmatch(out, -1) {
		name, _, _ := strings.Cut(said[2], ":")
		origins = append(origins, name)
		for i, text := range []string{said[1], said[3], said[4], said[5]} {
			n, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			sum[i] += n
		}
	}
	testenv.Report(t, testenv.HostilePages, testenv.Tally{Inputs: sum[0], Violations: sum[2] + sum[3], Note: fmt.Sprintf(
		"pages of %s (rebound) in Chromium without its own guard of local networks, against the ports of player and catalog; %d requests came in: %d commands of 0, %d bytes read of 0",
		strings.Join(slices.Compact(origins), ", "), sum[1], sum[3], sum[2])})
}

// installBrowserTools fetches the exact versions of the lock file, once per change of it. It is called before
// t.Parallel: two at once would fetch into the same folder.
func installBrowserTools(t *testing.T) {
	t.Helper()
	lock, err := os.Stat(filepath.Join(browserDir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	installed, err := os.Stat(filepath.Join(browserDir, "node_modules", ".package-lock.json"))
	if err == nil && !installed.ModTime().Before(lock.ModTime()) {
		return
	}
	node(t, 3*time.Minute, "npm", "ci", "--no-audit", "--no-fund")
}

// node runs a command beside the proofs and returns what it printed. The command and all it
// started end with it.
func node(t *testing.T, within time.Duration, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = browserDir
	cmd.Env = append(os.Environ(), "WAXWING_PROGRAM="+program, "NO_COLOR=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}
