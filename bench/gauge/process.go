package gauge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Process is a running program, ours or a peer's.
type Process struct {
	cmd  *exec.Cmd
	log  bytes.Buffer
	done chan struct{}
}

// Launch starts a program with env added to the environment. It ends with Stop, or with this
// process.
func Launch(env []string, name string, args ...string) (*Process, error) {
	p := &Process{cmd: exec.Command(name, args...), done: make(chan struct{})}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait() // Stop ends it; errors are in its log
	}()
	return p, nil
}

// Stop interrupts the process, waits, and kills it after 10 s.
func (p *Process) Stop() {
	_ = p.cmd.Process.Signal(os.Interrupt) // it may have exited already
	select {
	case <-p.done:
	case <-time.After(10 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

// Until waits until cond is true and returns the time that took. It fails when the process ends.
func (p *Process) Until(what string, within time.Duration, cond func() bool) (time.Duration, error) {
	began := time.Now()
	for !cond() {
		select {
		case <-p.done:
			return 0, fmt.Errorf("%s ended before %s: %s", filepath.Base(p.cmd.Path), what, tail(p.log.Bytes()))
		case <-time.After(time.Millisecond):
		}
		if time.Since(began) > within {
			return 0, fmt.Errorf("%s: waited %v for %s", filepath.Base(p.cmd.Path), within, what)
		}
	}
	return time.Since(began), nil
}

// Memory returns the resident memory in MB (10^6 bytes).
func (p *Process) Memory() (float64, error) { return p.status("VmRSS:") }

// PeakMemory returns the peak resident memory in MB.
func (p *Process) PeakMemory() (float64, error) { return p.status("VmHWM:") }

// ResetPeak lets PeakMemory begin anew.
func (p *Process) ResetPeak() error {
	const peak = "5"
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte(peak), 0)
}

func (p *Process) status(field string) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, field); ok {
			var kib float64
			_, err := fmt.Sscan(rest, &kib)
			return kib * 1024 / 1e6, err
		}
	}
	return 0, errors.New("no " + field + " in /proc")
}

// CPU returns the processor time of all threads, ended ones included.
func (p *Process) CPU() (time.Duration, error) {
	const scheduled = 2                               // CPUCLOCK_SCHED
	clock := int32(^p.cmd.Process.Pid)<<3 | scheduled // like clock_getcpuclockid
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		return 0, fmt.Errorf("read the processor time of %s: %w", filepath.Base(p.cmd.Path), err)
	}
	return time.Duration(t.Nano()), nil
}

// Idle waits until the process uses no processor: a server with many songs prepares its lists in
// the background for some seconds after the start.
func (p *Process) Idle(within time.Duration) error {
	var failed error
	_, err := p.Until("it was idle", within, func() bool {
		before, err := p.CPU()
		time.Sleep(500 * time.Millisecond)
		after, afterErr := p.CPU()
		failed = errors.Join(err, afterErr)
		return failed != nil || after-before < 5*time.Millisecond
	})
	return errors.Join(err, failed)
}

// Waxwing is our running program with its servers.
type Waxwing struct {
	*Process
	Player, Catalog Target
}

// Role is a command that starts servers: up, catalog or player.
type Role struct {
	Command string
	Data    string
	Env     []string
	Args    []string
}

// StartWaxwing starts a role on free ports and returns when /ready succeeds.
func (r *Run) StartWaxwing(ctx context.Context, role Role) (*Waxwing, time.Duration, error) {
	w := &Waxwing{}
	args := append([]string{role.Command, "--data-dir", role.Data, "--log-level", "warn"}, role.Args...)
	front := &w.Catalog
	if role.Command != "player" {
		addr, err := FreeAddr()
		if err != nil {
			return nil, 0, err
		}
		key, err := r.catalogKey(ctx, role.Data)
		if err != nil {
			return nil, 0, err
		}
		w.Catalog = Target{"http://" + addr, "X-Api-Key", key}
		args = append(args, "--catalog-addr", addr, "--rate-limit", "0")
	}
	if role.Command != "catalog" {
		addr, err := FreeAddr()
		if err != nil {
			return nil, 0, err
		}
		w.Player = Target{Base: "http://" + addr, Header: "Authorization"}
		front = &w.Player
		args = append(args, "--player-addr", addr, "--no-mpris")
	}
	began := time.Now()
	var err error
	if w.Process, err = Launch(role.Env, r.Program, args...); err != nil {
		return nil, 0, err
	}
	_, err = w.Until("it was ready", 60*time.Second, func() bool {
		if role.Command != "catalog" {
			token, err := os.ReadFile(filepath.Join(role.Data, "owner.token"))
			if err != nil {
				return false
			}
			w.Player.Credential = "Bearer " + strings.TrimSpace(string(token))
		}
		return front.Request("GET", "/ready", "", nil) == nil
	})
	took := time.Since(began)
	if err != nil {
		w.Stop()
		return nil, 0, err
	}
	return w, took, nil
}

// catalogKey returns an API key of the catalog in a data folder, creating it on first use.
func (r *Run) catalogKey(ctx context.Context, data string) (string, error) {
	file := filepath.Join(data, "bench.key")
	if kept, err := os.ReadFile(file); err == nil {
		return string(kept), nil
	}
	out, err := exec.CommandContext(ctx, r.Program, "key", "create", "--name", "bench",
		"--permission", "read", "--permission", "write", "--data-dir", data).Output()
	if err != nil {
		return "", fmt.Errorf("create an API key: %w", err)
	}
	key := strings.TrimSpace(string(out))
	return key, os.WriteFile(file, []byte(key), 0o600)
}
