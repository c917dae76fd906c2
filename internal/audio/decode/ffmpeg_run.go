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
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/media/riff"
	"waxwing/internal/media/window"
)

// ffmpegFormats are the only containers that ffmpeg may open. Otherwise a text file could be read
// as a playlist that names other files.
const ffmpegFormats = "aac,ac3,adx,aiff,amr,amrnb,amrwb,ape,asf,au,avi,caf,dsf,dts,dtshd,eac3,flac,flv,gsm,iff," +
	"matroska,webm,mov,mp4,m4a,3gp,3g2,mj2,mp3,mpc,mpc8,mpegts,mpeg,ogg,oma,rm,shn,sox,tak,truehd,tta,voc,w64,wav,wv,xwma"

// ffmpegBefore and ffmpegAfter are the arguments before and after the name of the file: write the
// first audio stream in 32-bit floating point to standard output.
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

// losslessDepth returns a depth that is enough for every sample of a lossless codec; 0 for others.
func losslessDepth(codec string) int {
	for _, lossless := range []string{
		"als", "ape", "dsd_", "flac", "alac", "mlp", "pcm_", "shorten", "tak", "truehd", "tta", "wavpack", "wmalossless",
	} {
		if strings.HasPrefix(codec, lossless) {
			return 24
		}
	}
	return 0
}

// ffmpegRun is one run of ffmpeg over a file, from its start.
type ffmpegRun struct {
	info   audio.Info
	cmd    *exec.Cmd
	cancel context.CancelFunc
	pipe   io.Closer
	stall  time.Duration // without a byte, after which ffmpeg is killed
	out    *bufio.Reader
	log    *ffmpegLog
	raw    []byte
	ended  error // final result of read, once set
}

// inherits reports whether ffmpeg opens the copy as an inherited descriptor, 3. Elsewhere it opens
// it by its name.
const inherits = runtime.GOOS != "windows"

// startFFmpeg runs the program from the start of a file until it has described the file. It is
// killed when ctx is done.
func startFFmpeg(ctx context.Context, program string, copied *os.File, stall time.Duration) (*ffmpegRun, error) {
	if inherits {
		if _, err := copied.Seek(0, io.SeekStart); err != nil { // some systems share the offset
			return nil, fmt.Errorf("rewind the copy for ffmpeg: %w", err)
		}
	}
	return runFFmpeg(ctx, program, copied, stall)
}

// runFFmpeg runs the program on a file or a pipe until it has described it. options are for the
// input.
func runFFmpeg(
	ctx context.Context, program string, in *os.File, stall time.Duration, options ...string,
) (*ffmpegRun, error) {
	ctx, cancel := context.WithCancel(ctx)
	r := &ffmpegRun{cancel: cancel, stall: stall, log: &ffmpegLog{ready: make(chan struct{})}}
	path := in.Name()
	if inherits {
		path = "/dev/fd/3"
	}
	args := slices.Concat(options, ffmpegBefore, []string{"file:" + path}, ffmpegAfter)
	r.cmd = exec.CommandContext(ctx, program, args...)
	if inherits {
		r.cmd.ExtraFiles = []*os.File{in}
	}
	// A program that parses untrusted files gets no secrets.
	r.cmd.Env = FFmpegEnvironment()
	r.cmd.Dir = os.TempDir()
	r.cmd.WaitDelay = time.Second
	r.cmd.Stderr = r.log
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

// FFmpegEnvironment returns the environment in which ffmpeg runs: what it needs to start.
func FFmpegEnvironment() []string {
	env := []string{}
	for _, name := range []string{"PATH", "LD_LIBRARY_PATH", "SystemRoot"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// watch kills ffmpeg and unblocks its reader, unless the timer is stopped in time.
func (r *ffmpegRun) watch() *time.Timer {
	return time.AfterFunc(r.stall, func() {
		r.cancel()
		_ = r.pipe.Close() // unblocks the reader even if a child of ffmpeg has the other end open
	})
}

func (r *ffmpegRun) stalled() error {
	return fmt.Errorf("ffmpeg produced no audio within %s", r.stall)
}

// head reads the WAV header before the samples.
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
		return fmt.Errorf("%w: %s", errFFmpegRefused, r.log.last())
	}
	if file.Format != riff.Float || file.SampleSize != 4 {
		return fmt.Errorf("ffmpeg wrote samples of format %#04x with %d bits", file.Format, file.Bits)
	}
	if file.Channels > 8 {
		return fmt.Errorf("%w: %d channels", audio.ErrUnsupported, file.Channels)
	}
	codec := r.log.codec()
	r.info = audio.Info{
		Codec: codec, Rate: file.Rate, Channels: file.Channels, Frames: -1, Depth: losslessDepth(codec),
	}
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

// finish waits for ffmpeg, whose output has ended, and returns io.EOF on success.
func (r *ffmpegRun) finish() error {
	defer r.cancel()
	if err := r.cmd.Wait(); err != nil {
		return fmt.Errorf("ffmpeg: %s: %w", r.log.last(), err)
	}
	return io.EOF
}

// stop kills ffmpeg and waits for it. It may be called after finish.
func (r *ffmpegRun) stop() {
	r.cancel()
	if r.cmd.ProcessState == nil {
		_ = r.cmd.Wait() // it was killed on purpose: ignore its status
	}
	r.ended = io.ErrClosedPipe
}

// ffmpegLog stores the beginning of the log of ffmpeg, and its last line.
type ffmpegLog struct {
	ready chan struct{} // closed when the input has been described

	mu   sync.Mutex
	head []byte
	tail []byte
	seen bool
}

func (t *ffmpegLog) Write(p []byte) (int, error) {
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

// codec returns ffmpeg's name of the codec. ffmpeg writes the description before the first sample,
// but to another pipe.
func (t *ffmpegLog) codec() string {
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

// last returns the last line of the log.
func (t *ffmpegLog) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.tail)), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
