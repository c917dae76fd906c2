package decode

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"waxwing/internal/audio"
)

const (
	maxExternalFile = 2 << 30          // bytes copied for ffmpeg
	maxExternalTime = 24 * 3600        // seconds of sound taken from one file
	stallLimit      = 30 * time.Second // without a byte from ffmpeg, then it is ended
)

var errNoFFmpeg = fmt.Errorf("%w: ffmpeg is not installed", audio.ErrUnsupported)

// external is a file that ffmpeg decodes. ffmpeg may need to jump about in the
// file, so it gets a copy with a name of our choosing, and nothing else.
//
// A seek starts ffmpeg again or reads on, and throws away what lies before the
// target: its own seeking is not exact to the sample for lossy formats.
type external struct {
	program  string
	path     string // of the copy; removed by Close
	patience time.Duration
	info     audio.Info
	run      *ffmpegRun
	next     int64
}

// openFFmpeg opens any file by the external program ffmpeg, if that is installed.
func openFFmpeg(in audio.Input) (audio.Source, error) { return openExternal(in, stallLimit) }

func openExternal(in audio.Input, patience time.Duration) (src audio.Source, err error) {
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		return nil, errNoFFmpeg
	}
	if in.Size() > maxExternalFile {
		return nil, fmt.Errorf("%w: too big a file for ffmpeg", audio.ErrUnsupported)
	}
	e := &external{program: program, patience: patience}
	defer func() {
		if err != nil {
			err = errors.Join(err, e.Close())
		}
	}()
	if err := e.copy(in); err != nil {
		return nil, fmt.Errorf("copy the file for ffmpeg: %w", err)
	}
	if e.run, err = startFFmpeg(e.program, e.path, e.patience); err != nil {
		return nil, err
	}
	e.info = e.run.info
	return e, nil
}

func (e *external) copy(in audio.Input) error {
	f, err := os.CreateTemp("", "waxwing-decode-*")
	if err != nil {
		return err
	}
	e.path = f.Name()
	_, err = io.Copy(f, io.NewSectionReader(in, 0, in.Size()))
	return errors.Join(err, f.Close())
}

func (e *external) Info() audio.Info { return e.info }

func (e *external) Read(dst []float32) (int, error) {
	if e.run == nil { // a seek could not be undone
		if err := e.skipTo(e.next); err != nil {
			return 0, err
		}
	}
	if e.next > maxExternalTime*int64(e.info.Rate) {
		return 0, fmt.Errorf("the file holds more than %d hours of sound", maxExternalTime/3600)
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
	if e.skipTo(before) != nil { // Read tries once more and then tells
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
		run, err := startFFmpeg(e.program, e.path, e.patience)
		if err != nil {
			return err
		}
		if run.info.Rate != e.info.Rate || run.info.Channels != e.info.Channels {
			run.stop()
			return errors.New("ffmpeg changed its mind about the file")
		}
		e.run, e.next = run, 0
	}
	waste := make([]float32, 4096*e.info.Channels)
	for e.next < frame {
		want := min(int64(4096), frame-e.next)
		n, err := e.Read(waste[:want*int64(e.info.Channels)])
		if err == io.EOF {
			return fmt.Errorf("the file has only %d frames: %w", e.next, io.ErrUnexpectedEOF)
		}
		if err != nil && n == 0 {
			return err
		}
	}
	return nil
}

// Close ends ffmpeg and removes the copy.
func (e *external) Close() error {
	if e.run != nil {
		e.run.stop()
		e.run = nil
	}
	if e.path == "" {
		return nil
	}
	path := e.path
	e.path = ""
	return os.Remove(path)
}
