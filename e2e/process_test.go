package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// program is the path of the static binary under test, built once.
var program string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "waxwing-e2e-")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(dir, "waxwing")
	build := exec.Command("go", "build", "-trimpath", "-o", program, "waxwing")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		os.Exit(1)
	}
	testenv.Main(m, func() error {
		http.DefaultClient.CloseIdleConnections()
		return os.RemoveAll(dir)
	})
}

// process describes a server that runs as the built program.
type process struct {
	args  []string
	under []string            // a program and its arguments that run the program
	alone bool                // a player without a catalog
	as    *syscall.Credential // account of the process; nil: the account that runs the tests
	cmd   *exec.Cmd
}

// environment returns the environment of a user with an empty home folder.
func environment(home string, extra ...string) []string {
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_RUNTIME_DIR=" + home, "LANG=C.UTF-8"}
	return append(env, extra...)
}

// launch runs the built program on free ports with its own data folder, and stops it with the test.
func launch(t *testing.T, env []string, args ...string) *server {
	t.Helper()
	home := t.TempDir()
	s := &server{t: t, dir: filepath.Join(home, "data"), env: environment(home, env...), process: process{args: args}}
	s.start()
	s.stopWithTest()
	return s
}

// startProcess runs the program and waits until it responds.
func (s *server) startProcess() {
	s.t.Helper()
	_ = os.Remove(filepath.Join(s.dir, "running.json"))
	args := []string{"up", "--catalog-addr", "127.0.0.1:0"}
	if s.alone {
		args = []string{"player"}
	}
	args = append(append(args, "--data-dir", s.dir, "--player-addr", "127.0.0.1:0"), s.args...)
	line := slices.Concat(s.under, []string{program}, args)
	s.cmd = exec.Command(line[0], line[1:]...)
	s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = s.env, s.log, s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Credential: s.as}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.eventually(20*time.Second, "the server to respond", func() bool {
		var run struct{ Player string }
		text, err := os.ReadFile(filepath.Join(s.dir, "running.json"))
		if err != nil || json.Unmarshal(text, &run) != nil || run.Player == "" {
			return false
		}
		s.base = "http://" + run.Player
		resp, err := http.Get(s.base + "/health")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == 200
	})
	if s.alone {
		return
	}
	address := regexp.MustCompile(`catalog +(http://\S+)`)
	s.eventually(5*time.Second, "the catalog's address in the log", func() bool {
		match := address.FindStringSubmatch(s.log.String())
		if match != nil {
			s.catalog = match[1]
		}
		return match != nil
	})
}

// stopProcess ends the program as an operator would.
func (s *server) stopProcess() {
	if s.cmd.ProcessState != nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	done := make(chan error)
	go func() { done <- s.cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil { // it may have crashed long before the signal
			s.t.Errorf("exit of the server: got %v, want no error", err)
		}
	case <-time.After(stopTime):
		_ = s.cmd.Process.Kill()
		<-done
		s.t.Errorf("the server did not exit within %v of SIGTERM", stopTime)
	}
}

// kill ends the program as a crash would.
func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// run runs the program with this server's data folder and returns its output.
func (s *server) run(args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	return command(s.t, s.env, append([]string{args[0]}, append(args[1:], "--data-dir", s.dir)...)...)
}

// command runs the program and returns its output and exit code.
func command(t *testing.T, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	var out, errs bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &out, &errs
	err := cmd.Run()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
