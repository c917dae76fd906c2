// Package gauge is what the benches share: the built binary as a process, a floor beside it, and figures as ratios.
package gauge

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Target is a server and the credential it wants.
type Target struct {
	Base       string
	Header     string // Authorization or X-Api-Key
	Credential string
}

// Do sends one request and returns the body of a 200.
func (t Target) Do(method, path string) ([]byte, error) {
	req, err := http.NewRequest(method, t.Base+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set(t.Header, t.Credential)
	req.Header.Set("Accept-Encoding", "identity")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s %s", method, path, resp.Status, body)
	}
	return body, err
}

// Time adds how long each path took, one after the other over one connection.
func (t Target) Time(took *[]time.Duration, method string, paths ...string) error {
	for _, path := range paths {
		start := time.Now()
		if _, err := t.Do(method, path); err != nil {
			return err
		}
		*took = append(*took, time.Since(start))
	}
	return nil
}

// Repeat is path n times.
func Repeat(path string, n int) []string {
	paths := make([]string, n)
	for i := range paths {
		paths[i] = path
	}
	return paths
}

// Percentile returns the p-th part of a hundred.
func Percentile(took []time.Duration, p int) time.Duration {
	sorted := slices.Sorted(slices.Values(took))
	return sorted[min(len(sorted)*p/100, len(sorted)-1)]
}

// Head begins a table and Row adds a line: what, its p50 and p99, and its p50 against the p50 of what it is compared with.
func Head(what, against string) {
	fmt.Printf("%-52s %10s %10s   %s\n", what, "p50", "p99", against)
}

// Row is a line of the table.
func Row(name string, took, against []time.Duration) {
	p50 := Percentile(took, 50)
	fmt.Printf("%-52s %10v %10v   %.2f\n", name, p50.Round(time.Microsecond), Percentile(took, 99).Round(time.Microsecond),
		float64(p50)/float64(Percentile(against, 50)))
}

// Process is a running binary.
type Process struct {
	cmd  *exec.Cmd
	stop context.CancelFunc
	Data string // its data folder
}

// Build builds the program as users get it.
func Build(dir string) (program string, err error) {
	program = filepath.Join(dir, "waxwing")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "waxwing")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return program, nil
}

// Start runs the program with a data folder and returns it with its control API once that is there.
func Start(program, data string, args ...string) (*Process, Target, error) {
	_ = os.Remove(filepath.Join(data, "running.json")) // of a process that is gone
	ctx, cancel := context.WithCancel(context.Background())
	p := &Process{stop: cancel, Data: data}
	p.cmd = exec.CommandContext(ctx, program, append(args, "--data-dir", data, "--player-addr", "127.0.0.1:0", "--output", "null", "--log-level", "warn")...)
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(os.Interrupt) }
	p.cmd.Stderr = os.Stderr
	if err := p.cmd.Start(); err != nil {
		cancel()
		return nil, Target{}, err
	}
	for range 3000 {
		time.Sleep(10 * time.Millisecond)
		var now struct{ Player string }
		text, err := os.ReadFile(filepath.Join(data, "running.json"))
		token, err2 := os.ReadFile(filepath.Join(data, "owner.token"))
		if err == nil && err2 == nil && json.Unmarshal(text, &now) == nil {
			return p, Target{"http://" + now.Player, "Authorization", "Bearer " + strings.TrimSpace(string(token))}, nil
		}
	}
	p.Stop()
	return nil, Target{}, errors.New("the program did not start within 30 s")
}

// Stop ends the process and waits for it.
func (p *Process) Stop() {
	p.stop()
	_ = p.cmd.Wait() // it was told to end
}

// Memory is what the process holds of it, in MiB.
func (p *Process) Memory() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			var kib float64
			_, err := fmt.Sscan(rest, &kib)
			return kib / 1024, err
		}
	}
	return 0, errors.New("the system does not tell")
}

// Serve listens on a free loopback port for as long as this process lives.
func Serve(h http.Handler) (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() { _ = http.Serve(ln, h) }() // ends with the process
	return "http://" + ln.Addr().String(), nil
}

// The floor runs in a process of its own, like what it is compared with: a request that
// crosses from one process to another costs more than one that does not.
const (
	floorFlag   = "--be-the-floor"
	floorSecret = "BENCH_FLOOR_CREDENTIAL"
)

// StartFloor starts a bare net/http server that checks the credential of like and answers every request with body.
func StartFloor(like Target, body []byte) (Target, func(), error) {
	self, err := os.Executable()
	if err != nil {
		return Target{}, nil, err
	}
	cmd := exec.Command(self, floorFlag, like.Header)
	cmd.Env = append(os.Environ(), floorSecret+"="+like.Credential)
	cmd.Stdin = strings.NewReader(string(body))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return Target{}, nil, err
	}
	if err := cmd.Start(); err != nil {
		return Target{}, nil, err
	}
	stop := func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return Target{}, nil, err
	}
	return Target{strings.TrimSpace(addr), like.Header, like.Credential}, stop, nil
}

// MaybeBeTheFloor turns this process into a floor if it was started as one; a bench calls it first.
func MaybeBeTheFloor() {
	if len(os.Args) != 3 || os.Args[1] != floorFlag {
		return
	}
	header, secret := os.Args[2], os.Getenv(floorSecret)
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	addr, err := Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(header) != secret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // a client that is gone is none of the floor's business
	}))
	if err != nil {
		panic(err)
	}
	fmt.Println(addr)
	select {}
}
