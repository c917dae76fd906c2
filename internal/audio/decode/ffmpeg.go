package decode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"waxwing/internal/audio"
)

const (
	maxTempLimit    = 2 << 30          // bytes copied for ffmpeg
	maxExternalTime = 24 * 3600        // seconds of audio in one file
	stallLimit      = 30 * time.Second // without a byte from ffmpeg, after which it is killed
)

// ErrNoFFmpeg is wrapped by the error about a file that needs ffmpeg when there is none.
var ErrNoFFmpeg = errors.New("install ffmpeg on the computer that plays (package ffmpeg), then play again")

// errFFmpegRefused is wrapped by the error about a file that ffmpeg cannot decode.
var errFFmpegRefused = fmt.Errorf("%w: ffmpeg", audio.ErrUnsupported)

// external is a file that ffmpeg decodes. ffmpeg may need random access, so it gets a temporary
// copy. Where open files can be removed the copy has no name, so that a killed process leaves none.
//
// A seek restarts ffmpeg or reads on, and discards the samples before the target: the seeks of
// ffmpeg are not exact for lossy formats.
type external struct {
	ctx     context.Context // of Options
	program string
	copied  *os.File
	stall   time.Duration // as in ffmpegRun
	info    audio.Info
	run     *ffmpegRun
	next    int64
}

// openFFmpeg opens any file with the external program ffmpeg, if that is installed.
func (o Options) openFFmpeg(in audio.Input) (audio.Source, error) {
	return o.openExternal(in, stallLimit)
}

func (o Options) openExternal(in audio.Input, stall time.Duration) (src audio.Source, err error) {
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		return nil, ErrNoFFmpeg
	}
	if in.Size() > min(cmp.Or(o.TempLimit, maxTempLimit), maxTempLimit) {
		return nil, fmt.Errorf("%w: the file is too large for ffmpeg", audio.ErrUnsupported)
	}
	e := &external{ctx: o.Context, program: program, stall: stall}
	if e.ctx == nil {
		e.ctx = context.Background()
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Close())
		}
	}()
	if err := e.copy(in, o.TempDir); err != nil {
		return nil, fmt.Errorf("copy the file for ffmpeg: %w", err)
	}
	if e.run, err = startFFmpeg(e.ctx, e.program, e.copied, e.stall); err != nil {
		return nil, err
	}
	e.info = e.run.info
	return e, nil
}

func (e *external) copy(in audio.Input, dir string) error {
	f, err := os.CreateTemp(dir, "waxwing-decode-*")
	if err != nil {
		return err
	}
	e.copied = f
	if inherits {
		if err := os.Remove(f.Name()); err != nil {
			return err
		}
	}
	_, err = io.Copy(f, io.NewSectionReader(in, 0, in.Size()))
	return err
}

func (e *external) Info() audio.Info { return e.info }

func (e *external) Read(dst []float32) (int, error) {
	if e.run == nil { // the position before a seek could not be restored
		if err := e.skipTo(e.next); err != nil {
			return 0, err
		}
	}
	if e.next > maxExternalTime*int64(e.info.Rate) {
		return 0, fmt.Errorf("the file has more than %d hours of audio", maxExternalTime/3600)
	}
	n, err := e.run.read(dst)
	e.next += int64(n)
	if err == io.EOF {
		e.info.Frames = e.next
	}
	return n, err
}

func (e *external) SeekTo(frame int64) error {
	if frame < 0 || e.info.Frames >= 0 && frame > e.info.Frames {
		return fmt.Errorf("seek to frame %d of %d", frame, e.info.Frames)
	}
	before := e.next
	err := e.skipTo(frame)
	if err == nil {
		return nil
	}
	if e.skipTo(before) != nil { // Read tries again and returns the error
		e.run, e.next = nil, before
	}
	return fmt.Errorf("seek to frame %d: %w", frame, err)
}

// skipTo makes frame the next one by decoding up to it.
func (e *external) skipTo(frame int64) error {
	if e.run == nil || frame < e.next {
		if e.run != nil {
			e.run.stop()
			e.run = nil
		}
		run, err := startFFmpeg(e.ctx, e.program, e.copied, e.stall)
		if err != nil {
			return err
		}
		if run.info.Rate != e.info.Rate || run.info.Channels != e.info.Channels {
			run.stop()
			return errors.New("ffmpeg reports another format than before")
		}
		e.run, e.next = run, 0
	}
	discarded := make([]float32, 4096*e.info.Channels)
	for e.next < frame {
		want := min(int64(4096), frame-e.next)
		n, err := e.Read(discarded[:want*int64(e.info.Channels)])
		if err == io.EOF {
			return fmt.Errorf("the file has only %d frames: %w", e.next, io.ErrUnexpectedEOF)
		}
		if err != nil && n == 0 {
			return err
		}
	}
	return nil
}

// Close stops ffmpeg and removes the copy.
func (e *external) Close() error {
	if e.run != nil {
		e.run.stop()
		e.run = nil
	}
	if e.copied == nil {
		return nil
	}
	f := e.copied
	e.copied = nil
	err := f.Close()
	if rerr := os.Remove(f.Name()); !errors.Is(rerr, os.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	return err
}
