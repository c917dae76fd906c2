package testenv

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Pulse is a PulseAudio server without a sound card. It ends with the test.
//
// The default sink, "null0", plays in real time to its monitor and never rewinds, so a recording
// of it is exactly what a listener hears. The sink "rewind0" rewinds on a pause or a seek, as most
// cards do. Its monitor cannot rewind: a recording has up to 8 ms more at a pause and as much less
// after it.
type Pulse struct {
	Server string // for PULSE_SERVER

	daemon
	dir string
}

// StartPulse starts a server and waits until it accepts connections.
func StartPulse(t testing.TB) *Pulse {
	t.Helper()
	SkipIfShort(t)
	NeedsTool(t, "pulseaudio", "parec", "pactl")
	p := &Pulse{daemon: daemon{t: t, name: "PulseAudio"}, dir: socketDir(t)}
	p.Server = "unix:" + filepath.Join(p.dir, "native")
	t.Cleanup(p.Kill)
	p.Restart()
	return p
}

// socketDir returns a temporary directory with a name short enough for a socket in it.
func socketDir(t testing.TB) string {
	dir := t.TempDir()
	if len(dir) < 80 {
		return dir
	}
	dir, err := os.MkdirTemp("/tmp", "wx")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Env returns the environment that makes a program use this server.
func (p *Pulse) Env() []string {
	return []string{"PULSE_SERVER=" + p.Server, "XDG_RUNTIME_DIR=" + p.dir, "PULSE_RUNTIME_PATH=" + p.dir}
}

// Restart starts the server again after Kill, with its null sink and no streams.
func (p *Pulse) Restart() {
	p.t.Helper()
	socket := strings.TrimPrefix(p.Server, "unix:")
	cmd := exec.Command("pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1",
		"--realtime=no", "--high-priority=no", "--disable-shm=yes",
		"-L", "module-native-protocol-unix socket="+socket+" auth-anonymous=1",
		"-L", "module-null-sink sink_name=null0 format=float32le rate=44100 channels=2 norewinds=1",
		"-L", "module-null-sink sink_name=rewind0 format=float32le rate=44100 channels=2")
	cmd.Env = append(os.Environ(), "HOME="+p.dir, "XDG_CONFIG_HOME="+p.dir,
		"XDG_RUNTIME_DIR="+p.dir, "PULSE_RUNTIME_PATH="+p.dir)
	p.run(cmd, socket)
}

// Control runs pactl and returns its output.
func (p *Pulse) Control(args ...string) string {
	p.t.Helper()
	cmd := p.program("pactl", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("pactl %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

func (p *Pulse) program(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), p.Env()...)
	KillWithParent(cmd)
	return cmd
}

// Recorder records what a sink plays, as interleaved stereo float32.
type Recorder struct {
	Rate int

	t    testing.TB
	cmd  *exec.Cmd
	done chan struct{}
	mu   sync.Mutex
	raw  []byte
}

// Record records the null sink at 44100 frames a second from now on.
func (p *Pulse) Record() *Recorder {
	p.t.Helper()
	return p.RecordSink("null0", 44100)
}

// RecordSink records the named sink. It returns when the first frames have arrived.
func (p *Pulse) RecordSink(sink string, rate int) *Recorder {
	p.t.Helper()
	r := &Recorder{Rate: rate, t: p.t, done: make(chan struct{})}
	r.cmd = p.program("parec", "-d", sink+".monitor", "--raw", "--format=float32le",
		fmt.Sprintf("--rate=%d", rate), "--channels=2", "--latency-msec=20")
	out, err := r.cmd.StdoutPipe()
	if err == nil {
		err = r.cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	go func() {
		defer close(r.done)
		buf := make([]byte, 1<<16)
		for {
			n, err := out.Read(buf)
			r.mu.Lock()
			r.raw = append(r.raw, buf[:n]...)
			r.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	p.t.Cleanup(r.end)
	r.Wait(1)
	return r
}

// Len returns the number of frames recorded so far.
func (r *Recorder) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.raw) / 8
}

// Wait waits until that many frames have been recorded.
func (r *Recorder) Wait(frames int) {
	r.t.Helper()
	start := time.Now()
	limit := 20*time.Second + 2*time.Duration(frames)*time.Second/time.Duration(r.Rate)
	for r.Len() < frames {
		select {
		case <-r.done:
			r.t.Fatalf("the recorder ended after %d frames, want %d", r.Len(), frames)
		case <-time.After(5 * time.Millisecond):
		}
		if time.Since(start) > limit {
			r.t.Fatalf("got %d frames, want %d", r.Len(), frames)
		}
	}
}

// Samples returns everything recorded so far.
func (r *Recorder) Samples() []float32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Float32s(r.raw[:len(r.raw)/8*8])
}

// Last returns the newest frames, or fewer if fewer were recorded.
func (r *Recorder) Last(frames int) []float32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	whole := r.raw[:len(r.raw)/8*8]
	return Float32s(whole[max(0, len(whole)-8*frames):])
}

// Stop ends the recording and returns all of it.
func (r *Recorder) Stop() []float32 {
	r.end()
	return r.Samples()
}

func (r *Recorder) end() {
	select {
	case <-r.done:
	default:
		_ = r.cmd.Process.Kill()
		<-r.done
	}
	_ = r.cmd.Wait()
}
