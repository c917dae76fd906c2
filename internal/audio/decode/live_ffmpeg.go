package decode

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"waxwing/internal/audio"
)

// liveOptions make ffmpeg describe a stream after its first second.
var liveOptions = []string{"-probesize", "131072", "-analyzeduration", "1000000"}

// liveFFmpeg is a live stream that ffmpeg decodes, from a pipe.
type liveFFmpeg struct {
	run  *ffmpegRun
	feed *os.File
}

func openLiveFFmpeg(in audio.Input) (audio.Source, error) {
	program, err := exec.LookPath("ffmpeg")
	if err != nil {
		return nil, ErrNoFFmpeg
	}
	if !inherits {
		return nil, fmt.Errorf("%w: ffmpeg reads no pipe on this system", errFFmpegRefused)
	}
	out, feed, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("create a pipe for ffmpeg: %w", err)
	}
	go func() {
		defer func() { _ = feed.Close() }()
		feedLive(feed, in)
	}()
	run, err := runFFmpeg(context.Background(), program, out, stallLimit, liveOptions...)
	if err = errors.Join(err, out.Close()); err != nil { // ffmpeg has a copy
		_ = feed.Close() // ends the goroutine
		return nil, err
	}
	return &liveFFmpeg{run, feed}, nil
}

// feedLive copies in small pieces, so that ffmpeg gets them as they arrive. It ends with in, and
// when the pipe is closed.
func feedLive(feed *os.File, in audio.Input) {
	piece := make([]byte, 1<<10)
	for at := int64(0); ; {
		n, err := in.ReadAt(piece, at)
		if at += int64(n); n > 0 {
			if _, err := feed.Write(piece[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (l *liveFFmpeg) Info() audio.Info { return l.run.info }

func (l *liveFFmpeg) Read(dst []float32) (int, error) { return l.run.read(dst) }

func (l *liveFFmpeg) SeekTo(int64) error { return errors.New("a live stream cannot seek") }

func (l *liveFFmpeg) Close() error {
	l.run.stop()
	_ = l.feed.Close() // the goroutine may have closed it
	return nil
}
