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

// Pulse is a real PulseAudio server without a sound card. It ends with the test.
//
// Its default sink, "null0", plays in real time to its monitor and never takes back what it has
// rendered, so a recording of it is what a listener hears, to the sample. Its
// other sink, "rewind0", takes samples back on a pause or a seek as most cards do. What a monitor
// has sent cannot be taken back, though: a recording of that one shows up to 8 ms more at a pause and as much
// less after it than a card would play.
type Pulse struct {
	Server string // for PULSE_SERVER

	daemon
	dir string
}

// StartPulse starts a server of the test's own and waits until it answers.
func StartPulse(t testing.TB) *Pulse {
	t.Helper()
	NeedsTool(t, "pulseaudio", "parec", "pactl")
	p := &Pulse{daemon: daemon{t: t, name: "PulseAudio"}, dir: socketDir(t)}
	p.Server = "unix:" + filepath.Join(p.dir, "native")
	t.Cleanup(p.Kill)
	p.Restart()
	return p
}

// socketDir is an own folder with a name short enough for a socket in it.
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

// Env is the environment that leads any program to this server, and to no other.
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
	cmd.Env = append(os.Environ(), "HOME="+p.dir, "XDG_CONFIG_HOME="+p.dir, "XDG_RUNTIME_DIR="+p.dir, "PULSE_RUNTIME_PATH="+p.dir)
	p.run(cmd, socket)
}

// Control runs pactl with the given words and returns what it prints.
func (p *Pulse) Control(words ...string) string {
	p.t.Helper()
	cmd := p.program("pactl", words...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("pactl %s: %v\n%s", strings.Join(words, " "), err, complaint.String())
	}
	return strings.TrimSpace(string(out))
}

func (p *Pulse) program(name string, words ...string) *exec.Cmd {
	cmd := exec.Command(name, words...)
	cmd.Env = append(os.Environ(), p.Env()...)
	KillWithParent(cmd)
	return cmd
}

// Recorder hears what a sink plays, as interleaved stereo float32.
type Recorder struct {
	Rate int

	t    testing.TB
	cmd  *exec.Cmd
	done chan struct{}
	mu   sync.Mutex
	raw  []byte
}

// Record hears the null sink at 44100 frames a second from now on.
func (p *Pulse) Record() *Recorder {
	p.t.Helper()
	return p.RecordSink("null0", 44100)
}

// RecordSink hears the named sink. It returns when the sink runs and the first frames have come.
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

// Len is the number of frames heard so far.
func (r *Recorder) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.raw) / 8
}

// Wait waits until at least so many frames have been heard.
func (r *Recorder) Wait(frames int) {
	r.t.Helper()
	start := time.Now()
	limit := 20*time.Second + 2*time.Duration(frames)*time.Second/time.Duration(r.Rate)
	for r.Len() < frames {
		select {
		case <-r.done:
			r.t.Fatalf("the recorder ended after %d frames", r.Len())
		case <-time.After(5 * time.Millisecond):
		}
		if time.Since(start) > limit {
			r.t.Fatalf("%d frames recorded, %d wanted", r.Len(), frames)
		}
	}
}

// Heard is all that was heard so far.
func (r *Recorder) Heard() []float32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Float32s(r.raw[:len(r.raw)/8*8])
}

// Last returns the newest frames, or fewer where so many have not been heard yet.
func (r *Recorder) Last(frames int) []float32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	whole := r.raw[:len(r.raw)/8*8]
	return Float32s(whole[max(0, len(whole)-8*frames):])
}

// Stop ends the recording and returns all that was heard.
func (r *Recorder) Stop() []float32 {
	r.end()
	return r.Heard()
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
