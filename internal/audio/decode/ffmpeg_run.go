package decode

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/media/riff"
	"waxwing/internal/media/window"
)

// ffmpegFormats are the only containers that ffmpeg may take a file for.
// Without the list a text file could be read as a play list that names other files.
const ffmpegFormats = "aac,ac3,adx,aiff,amr,amrnb,amrwb,ape,asf,au,avi,caf,dsf,dts,dtshd,eac3,flac,flv,gsm,iff," +
	"matroska,webm,mov,mp4,m4a,3gp,3g2,mj2,mp3,mpc,mpc8,mpegts,mpeg,ogg,oma,rm,shn,sox,tak,truehd,tta,voc,w64,wav,wv,xwma"

// ffmpegBefore and ffmpegAfter are the whole command line, around the name of the
// file: the first sound stream, as it is, in 32-bit floating point to standard output.
var (
	ffmpegBefore = []string{
		"-hide_banner", "-nostdin", "-nostats", "-loglevel", "info", "-max_alloc", "268435456", "-threads", "1",
		"-protocol_whitelist", "file,pipe", "-format_whitelist", ffmpegFormats, "-i",
	}
	ffmpegAfter = []string{
		"-map", "0:a:0", "-map_metadata", "-1", "-flags", "+bitexact", "-fflags", "+bitexact",
		"-c:a", "pcm_f32le", "-f", "wav", "pipe:1",
	}
)

// ffmpegRun is one run of ffmpeg over a file, from its start.
type ffmpegRun struct {
	info     audio.Info
	cmd      *exec.Cmd
	cancel   context.CancelFunc
	pipe     io.Closer
	patience time.Duration // without a byte, then ffmpeg is ended
	out      *bufio.Reader
	said     *transcript
	raw      []byte
	ended    error // what read gives for ever, once set
}

// startFFmpeg runs the program until it has told what the file contains.
func startFFmpeg(program, path string, patience time.Duration) (*ffmpegRun, error) {
	ctx, cancel := context.WithCancel(context.Background())
	r := &ffmpegRun{cancel: cancel, patience: patience, said: &transcript{ready: make(chan struct{})}}
	args := append(append(append([]string{}, ffmpegBefore...), "file:"+path), ffmpegAfter...)
	r.cmd = exec.CommandContext(ctx, program, args...)
	r.cmd.Env = environment("PATH", "LD_LIBRARY_PATH", "SystemRoot") // no secrets for a program that parses strangers' files
	r.cmd.Dir = os.TempDir()
	r.cmd.WaitDelay = time.Second
	r.cmd.Stderr = r.said
	pipe, err := r.cmd.StdoutPipe()
	if err == nil {
		err = r.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("start ffmpeg: %w", err)
	}
	r.pipe = pipe
	r.out = bufio.NewReaderSize(pipe, 64<<10)
	if err := r.head(); err != nil {
		r.stop()
		return nil, err
	}
	return r, nil
}

// environment returns those of the named variables that are set.
func environment(names ...string) []string {
	env := []string{}
	for _, name := range names {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// watch ends ffmpeg and whatever waits for it, unless the timer is stopped in time.
func (r *ffmpegRun) watch() *time.Timer {
	return time.AfterFunc(r.patience, func() {
		r.cancel()
		_ = r.pipe.Close() // wakes the reader even if a child of ffmpeg's still holds the other end
	})
}

func (r *ffmpegRun) stalled() error {
	return fmt.Errorf("ffmpeg gave no sound within %s", r.patience)
}

// head reads the WAV header that ffmpeg puts before the samples.
func (r *ffmpegRun) head() error {
	watch := r.watch()
	head, err := r.out.Peek(1 << 10) // shorter, with io.EOF, when there are only a few samples
	if !watch.Stop() {
		return r.stalled()
	}
	if err != nil && err != io.EOF {
		return fmt.Errorf("read from ffmpeg: %w", err)
	}
	file, err := riff.ReadWAVE(window.New(bytes.NewReader(head), int64(len(head))), nil)
	if err != nil {
		_ = r.finish() // the last line of its log has the reason
		return fmt.Errorf("%w: ffmpeg says: %s", audio.ErrUnsupported, r.said.last())
	}
	if file.Format != riff.Float || file.SampleSize != 4 {
		return fmt.Errorf("ffmpeg gave samples of format %#04x with %d bits", file.Format, file.Bits)
	}
	if file.Channels > 8 {
		return fmt.Errorf("%w: %d channels", audio.ErrUnsupported, file.Channels)
	}
	r.info = audio.Info{Codec: r.said.codec(), Rate: file.Rate, Channels: file.Channels, Frames: -1}
	_, err = r.out.Discard(int(file.Off))
	return err
}

func (r *ffmpegRun) read(dst []float32) (int, error) {
	if r.ended != nil {
		return 0, r.ended
	}
	width := 4 * r.info.Channels
	want := min(len(dst)/r.info.Channels*width, 16<<10/width*width)
	if len(r.raw) < want {
		r.raw = make([]byte, want)
	}
	watch := r.watch()
	got, err := io.ReadFull(r.out, r.raw[:want])
	if err != nil {
		r.ended = r.finish()
	}
	if !watch.Stop() {
		r.ended = r.stalled()
	}
	n := got / width
	for i := range n * r.info.Channels {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(r.raw[4*i:]))
	}
	if n > 0 {
		return n, nil
	}
	return 0, r.ended
}

// finish waits for ffmpeg, whose output has ended, and returns io.EOF when all went well.
func (r *ffmpegRun) finish() error {
	defer r.cancel()
	if err := r.cmd.Wait(); err != nil {
		return fmt.Errorf("ffmpeg: %s: %w", r.said.last(), err)
	}
	return io.EOF
}

// stop ends ffmpeg wherever it is, and waits for it. It may be called after finish.
func (r *ffmpegRun) stop() {
	r.cancel()
	if r.cmd.ProcessState == nil {
		_ = r.cmd.Wait() // it was killed on purpose; how it ended says nothing
	}
	r.ended = io.ErrClosedPipe
}

// transcript keeps the beginning of what ffmpeg says, and its last line.
type transcript struct {
	ready chan struct{} // closed when the input has been described

	mu   sync.Mutex
	head []byte
	tail []byte
	seen bool
}

func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.head = append(t.head, p[:min(len(p), max(16<<10-len(t.head), 0))]...)
	t.tail = append(t.tail, p...)
	t.tail = t.tail[max(len(t.tail)-512, 0):]
	if !t.seen && bytes.Contains(t.head, []byte("Output #0")) {
		t.seen = true
		close(t.ready)
	}
	return len(p), nil
}

var codecName = regexp.MustCompile(`Audio: ([a-zA-Z0-9_]+)`)

// codec returns ffmpeg's name of the decoder. The description leaves ffmpeg
// before the first sample does, but through another pipe.
func (t *transcript) codec() string {
	select {
	case <-t.ready:
	case <-time.After(time.Second):
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if m := codecName.FindSubmatch(t.head); m != nil {
		return string(m[1])
	}
	return "ffmpeg"
}

// last returns the last line that ffmpeg said.
func (t *transcript) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.tail)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
