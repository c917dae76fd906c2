package peer

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"waxwing/bench/gauge"
)

// Pulse is a PulseAudio server with a null sink. The sink never rewinds, so a recording of its
// monitor is what a listener would hear.
type Pulse struct {
	*gauge.Process
	Server string // for PULSE_SERVER
	dir    string
}

// StartPulse starts a sound server with its socket in dir.
func StartPulse(dir string) (*Pulse, error) {
	program, err := installed("pulseaudio")
	if err != nil {
		return nil, err
	}
	if _, err := installed("parec"); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	socket := filepath.Join(dir, "native")
	p := &Pulse{Server: "unix:" + socket, dir: dir}
	env := []string{"HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "PULSE_RUNTIME_PATH=" + dir}
	p.Process, err = gauge.Launch(env, program, "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1",
		"--realtime=no", "--high-priority=no", "--disable-shm=yes",
		"-L", "module-native-protocol-unix socket="+socket+" auth-anonymous=1",
		"-L", "module-null-sink sink_name=null0 format=float32le rate=44100 channels=2 norewinds=1")
	if err != nil {
		return nil, err
	}
	_, err = p.Until("its socket accepted a connection", 15*time.Second, func() bool {
		c, err := net.Dial("unix", socket)
		if err != nil {
			return false
		}
		_ = c.Close() // only the connection counts
		return true
	})
	if err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

// Env returns variables that make a program use this server only.
func (p *Pulse) Env() []string {
	return []string{"PULSE_SERVER=" + p.Server, "XDG_RUNTIME_DIR=" + p.dir, "PULSE_RUNTIME_PATH=" + p.dir}
}

// Recorder records the sink and notes when each kind of signal started.
type Recorder struct {
	cmd  *exec.Cmd
	done chan struct{}

	mu     sync.Mutex
	signal Signal
	since  [kinds]time.Time // start of the latest stretch of each kind
}

// Signal classifies samples. The benchmark plays audio that stays above zero, and audio below it.
type Signal int

// The kinds of signal.
const (
	Silence Signal = iota
	Above
	Below
	kinds
)

// Record starts recording the sink in blocks as small as the server allows.
func (p *Pulse) Record() (*Recorder, error) {
	r := &Recorder{done: make(chan struct{})}
	r.cmd = exec.Command("parec", "-d", "null0.monitor", "--raw", "--format=float32le", "--rate=44100", "--channels=2",
		"--latency-msec=1", "--process-time-msec=1")
	r.cmd.Env = append(os.Environ(), p.Env()...)
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(r.done)
		r.follow(out)
	}()
	return r, nil
}

// follow classifies samples. A change within a block counts from the arrival of the block.
func (r *Recorder) follow(in io.Reader) {
	block := make([]byte, 1<<16)
	have := 0
	for {
		n, err := in.Read(block[have:])
		now := time.Now()
		have += n
		r.mu.Lock()
		for i := 0; i+8 <= have; i += 8 {
			kind := kindOf(math.Float32frombits(binary.LittleEndian.Uint32(block[i:])))
			if kind != r.signal {
				r.signal, r.since[kind] = kind, now
			}
		}
		r.mu.Unlock()
		have = copy(block, block[have/8*8:have])
		if err != nil {
			return
		}
	}
}

func kindOf(v float32) Signal {
	switch {
	case v > 0.05:
		return Above
	case v < -0.05:
		return Below
	}
	return Silence
}

// Now returns the current signal and its start.
func (r *Recorder) Now() (Signal, time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.signal, r.since[r.signal]
}

// Await waits for a signal and returns its start.
func (r *Recorder) Await(kind Signal) (time.Time, error) {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if now, since := r.Now(); now == kind {
			return since, nil
		}
	}
	now, _ := r.Now()
	return time.Time{}, fmt.Errorf("waited 10 s for signal %v, got %v", kind, now)
}

// Close stops the recording.
func (r *Recorder) Close() {
	_ = r.cmd.Process.Kill()
	<-r.done
	_ = r.cmd.Wait() // it was killed
}
