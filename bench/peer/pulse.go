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

// Pulse is a real PulseAudio server without a card. Its sink plays in real time to its monitor and never takes back
// what it has rendered, so a recording of it is what a listener hears.
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
	p.Process, err = gauge.Launch([]string{"HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "PULSE_RUNTIME_PATH=" + dir},
		program, "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--realtime=no", "--high-priority=no", "--disable-shm=yes",
		"-L", "module-native-protocol-unix socket="+socket+" auth-anonymous=1",
		"-L", "module-null-sink sink_name=null0 format=float32le rate=44100 channels=2 norewinds=1")
	if err != nil {
		return nil, err
	}
	_, err = p.Until("its socket answered", 15*time.Second, func() bool {
		c, err := net.Dial("unix", socket)
		if err != nil {
			return false
		}
		_ = c.Close() // only the answer counted
		return true
	})
	if err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

// Env leads any program to this server, and to no other.
func (p *Pulse) Env() []string {
	return []string{"PULSE_SERVER=" + p.Server, "XDG_RUNTIME_DIR=" + p.dir, "PULSE_RUNTIME_PATH=" + p.dir}
}

// Ear hears the sink and knows when each kind of sample was last heard, and first.
type Ear struct {
	cmd  *exec.Cmd
	done chan struct{}

	mu    sync.Mutex
	heard Heard
	since [kinds]time.Time // when the stretch of this kind that was heard last began
}

// Heard is a kind of sample. The bench plays sound that stays above zero, and sound that stays below.
type Heard int

// The kinds of sample.
const (
	Silence Heard = iota
	Above
	Below
	kinds
)

// Listen begins to hear the sink, in blocks as small as the server gives.
func (p *Pulse) Listen() (*Ear, error) {
	e := &Ear{done: make(chan struct{})}
	e.cmd = exec.Command("parec", "-d", "null0.monitor", "--raw", "--format=float32le", "--rate=44100", "--channels=2", "--latency-msec=1", "--process-time-msec=1")
	e.cmd.Env = append(os.Environ(), p.Env()...)
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := e.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(e.done)
		e.follow(out)
	}()
	return e, nil
}

// follow notes when samples come. A change of kind inside of a block counts from the time the block came.
func (e *Ear) follow(in io.Reader) {
	block := make([]byte, 1<<16)
	have := 0
	for {
		n, err := in.Read(block[have:])
		now := time.Now()
		have += n
		e.mu.Lock()
		for i := 0; i+8 <= have; i += 8 {
			kind := kindOf(math.Float32frombits(binary.LittleEndian.Uint32(block[i:])))
			if kind != e.heard {
				e.heard, e.since[kind] = kind, now
			}
		}
		e.mu.Unlock()
		have = copy(block, block[have/8*8:have])
		if err != nil {
			return
		}
	}
}

func kindOf(v float32) Heard {
	switch {
	case v > 0.05:
		return Above
	case v < -0.05:
		return Below
	}
	return Silence
}

// Now is what is heard, and since when.
func (e *Ear) Now() (Heard, time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.heard, e.since[e.heard]
}

// Await waits until a kind is heard and returns since when.
func (e *Ear) Await(kind Heard) (time.Time, error) {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		if now, since := e.Now(); now == kind {
			return since, nil
		}
	}
	now, _ := e.Now()
	return time.Time{}, fmt.Errorf("waited 10 s to hear %v, heard %v", kind, now)
}

// Close ends the recording.
func (e *Ear) Close() {
	_ = e.cmd.Process.Kill()
	<-e.done
	_ = e.cmd.Wait() // it was killed
}
