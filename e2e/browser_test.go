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

// browserDir contains the tests that run in a browser. Only they need Node.js.
const browserDir = "browser"

// TestWebPlayerTypes checks the types of every module of the web player.
func TestWebPlayerTypes(t *testing.T) {
	testenv.NeedsTool(t, "node", "npm")
	installBrowserTools(t)
	t.Parallel()
	node(t, time.Minute, "npm", "run", "--silent", "types")
}

// TestWebPlayer uses the web player in a browser, and attacks it from a hostile page.
func TestWebPlayer(t *testing.T) {
	testenv.NeedsTool(t, "chromium", "chromium-headless-shell", "node", "npm")
	installBrowserTools(t)
	for _, file := range []string{"journeys", "access", "login", "pairing", "devices", "catalog-updates", "screens",
		"navigation", "overlay", "play-here", "catalog-only", "hostile", "impostor", "docs"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			out := node(t, 8*time.Minute, "node", "--test", file+".test.mjs")
			t.Log(out)
			if file == "hostile" {
				reportAttempts(t, out)
				reportGuesses(t, out)
			}
			if file == "impostor" {
				reportImpostor(t, out)
			}
		})
	}
}

// TestFirstFrameOnASlowNetwork measures the web player at 400 ms latency and 50 KB/s, before other
// browsers need the processor.
func TestFirstFrameOnASlowNetwork(t *testing.T) {
	testenv.NeedsTool(t, "chromium-headless-shell", "node", "npm")
	installBrowserTools(t)
	t.Log(node(t, 2*time.Minute, "node", "--test", "slow-network.test.mjs"))
}

// reportAttempts adds up the attempts that the hostile pages print, and their results.
func reportAttempts(t *testing.T, out string) {
	t.Helper()
	line := regexp.MustCompile(`(\d+) attempts from http://([\w.:]+), (\d+) requests received: (\d+) bytes read, ` +
		`(\d+) commands executed`)
	var origins []string
	var sum [4]int // attempts, replies, bytes, commands
	for _, match := range line.FindAllStringSubmatch(out, -1) {
		name, _, _ := strings.Cut(match[2], ":")
		origins = append(origins, name)
		for i, text := range []string{match[1], match[3], match[4], match[5]} {
			n, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			sum[i] += n
		}
	}
	testenv.Report(t, testenv.HostilePages, testenv.Tally{Inputs: sum[0], Violations: sum[2] + sum[3], Note: fmt.Sprintf(
		"pages of %s (rebound) in Chromium without its own guard of local networks, against the ports of player and "+
			"catalog; %d requests arrived: %d commands of 0, %d bytes read of 0",
		strings.Join(slices.Compact(origins), ", "), sum[1], sum[3], sum[2])})
}

// reportGuesses reports the covers that a hostile page guessed.
func reportGuesses(t *testing.T, out string) {
	t.Helper()
	var guesses, right, found int
	line := regexp.MustCompile(`\d+ guesses of covers by a page, \d+ of them right: \d+ found`).FindString(out)
	if _, err := fmt.Sscanf(line, "%d guesses of covers by a page, %d of them right: %d found",
		&guesses, &right, &found); err != nil {
		t.Fatalf("no count of the guesses in the output: %v", err)
	}
	testenv.Report(t, testenv.Probing, testenv.Tally{Inputs: guesses, Violations: found, Note: fmt.Sprintf(
		"%s in Chromium, %d of them right", testenv.TriedOf(guesses, 2000, "guesses of covers by a page"), right)})
}

// reportImpostor reports what a program that took the player's port received from open tabs.
func reportImpostor(t *testing.T, out string) {
	t.Helper()
	match := regexp.MustCompile(`impostor: (\d+) requests, 0 tokens`).FindStringSubmatch(out)
	if match == nil {
		t.Fatalf("got no count of requests in\n%s", out)
	}
	requests, err := strconv.Atoi(match[1])
	if err != nil {
		t.Fatal(err)
	}
	testenv.Report(t, testenv.LocalAccounts, testenv.Tally{Inputs: requests, Faults: 1,
		Note: "requests of an open tab and an overlay to a program that took the player's port: 0 tokens sent"})
}

// installBrowserTools installs the versions of the lock file if it has changed. It must be called
// before t.Parallel, because two installations would write to the same folder.
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

// node runs a command in browserDir and returns its output. It kills the processes that the
// command started.
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
