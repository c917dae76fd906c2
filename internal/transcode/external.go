package transcode

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/audio/decode"
	"waxwing/internal/fault"
)

// encoderNames are ffmpeg's names of the encoders.
var encoderNames = map[Format]string{Opus: "libopus", MP3: "libmp3lame"}

// recheckAfter is when a missing ffmpeg is looked for again: somebody may install it meanwhile.
const recheckAfter = 30 * time.Second

// encoders are those of the installed ffmpeg.
type encoders struct {
	off bool // ffmpeg is not used

	mu      sync.Mutex
	checked time.Time
	found   map[Format]bool
}

// has reports whether ffmpeg can write a format.
func (e *encoders) has(f Format) bool {
	if e.off {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.found[f] && time.Since(e.checked) > recheckAfter {
		found, err := installedEncoders()
		if err == nil || errors.Is(err, exec.ErrNotFound) {
			e.checked = time.Now() // otherwise the next request tries again
		}
		e.found = found
	}
	return e.found[f]
}

var encoderLine = regexp.MustCompile(`(?m)^ A\S+ (\S+)`)

// installedEncoders asks ffmpeg for its encoders. A busy machine may need seconds for that.
func installedEncoders() (map[Format]bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "ffmpeg", "-hide_banner", "-nostdin", "-encoders")
	cmd.Env = decode.FFmpegEnvironment()
	cmd.WaitDelay = time.Second
	list, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	found := map[Format]bool{}
	for _, line := range encoderLine.FindAllSubmatch(list, -1) {
		for format, name := range encoderNames {
			if string(line[1]) == name {
				found[format] = true
			}
		}
	}
	return found, nil
}

// open returns what writes a variant of samples to a file.
func (e *encoders) open(ctx context.Context, p *partial, v Variant, info audio.Info) (sink, error) {
	switch v.Format {
	case FLAC:
		return newFLAC(p, v, info)
	case WAV:
		return newWAV(p, v, info)
	}
	return startFFmpeg(ctx, p, v, info)
}

// ffmpegSink writes a lossy format by ffmpeg, which reads samples from its standard input.
type ffmpegSink struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
	stdin  io.WriteCloser
	out    *bufio.Writer
	log    *tail
	waited bool
}

// startFFmpeg starts ffmpeg. It writes the file by its name, because it completes the beginning of
// the file at the end. The process is killed when ctx is done.
func startFFmpeg(ctx context.Context, p *partial, v Variant, info audio.Info) (sink, error) {
	ctx, cancel := context.WithCancel(ctx)
	args := []string{
		"-hide_banner", "-nostats", "-loglevel", "error", "-max_alloc", "268435456", "-threads", "1",
		"-protocol_whitelist", "file,pipe", "-f", "f32le", "-ar", strconv.Itoa(info.Rate),
		"-ac", strconv.Itoa(info.Channels), "-i", "pipe:0",
		"-map_metadata", "-1", "-c:a", encoderNames[v.Format], "-b:a", strconv.Itoa(v.BitRate) + "k", "-threads", "1",
	}
	switch v.Format {
	case Opus:
		args = append(args, "-flags", "+bitexact", "-fflags", "+bitexact", "-vbr", "on", "-f", "opus")
	case MP3:
		args = append(args, "-id3v2_version", "0", "-write_xing", "1", "-f", "mp3")
	}
	args = append(args, "-y", "file:"+p.Name())
	s := &ffmpegSink{cmd: exec.CommandContext(ctx, "ffmpeg", args...), cancel: cancel, log: &tail{}}
	s.cmd.Env = decode.FFmpegEnvironment()
	s.cmd.Stderr = s.log
	s.cmd.WaitDelay = time.Second
	stdin, err := s.cmd.StdinPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		cancel()
		return nil, fault.Wrap(fault.Unavailable, err, "cannot start ffmpeg; check its installation on the server")
	}
	s.stdin, s.out = stdin, bufio.NewWriterSize(stdin, bufferSize)
	return s, nil
}

func (s *ffmpegSink) write(samples []float32) error {
	b := s.out.AvailableBuffer()
	for _, v := range samples {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	if _, err := s.out.Write(b); err != nil {
		return s.failure(err)
	}
	return nil
}

func (s *ffmpegSink) finish() error {
	defer s.cancel()
	if err := errors.Join(s.out.Flush(), s.stdin.Close()); err != nil {
		return s.failure(err)
	}
	s.waited = true
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("ffmpeg: %s: %w", s.log.last(), err)
	}
	return nil
}

// failure ends ffmpeg, which does not read any more, and returns the reason.
func (s *ffmpegSink) failure(err error) error {
	_ = s.stdin.Close() // so that it ends; err has the cause
	s.waited = true
	if ended := s.cmd.Wait(); ended != nil {
		err = errors.Join(err, ended)
	}
	s.cancel()
	return fmt.Errorf("ffmpeg: %s: %w", s.log.last(), err)
}

// close kills ffmpeg, unless it has ended.
func (s *ffmpegSink) close() {
	s.cancel()
	if !s.waited {
		s.waited = true
		_ = s.stdin.Close()
		_ = s.cmd.Wait() // it was killed on purpose
	}
}

// tail stores the end of a log.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-512):]...)
	t.text = t.text[max(0, len(t.text)-512):]
	return len(p), nil
}

func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(t.text), []byte("\n"))
	return strings.TrimSpace(string(lines[len(lines)-1]))
}
