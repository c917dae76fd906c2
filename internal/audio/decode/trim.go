package decode

import (
	"fmt"
	"io"

	"waxwing/internal/audio"
)

// trimmed is a part of a Source: the container says that the frames before and after it are not to
// be heard.
type trimmed struct {
	audio.Source
	skip, frames int64
	next         int64
	sought       bool // the source is at next
}

// trim returns the given number of frames of src behind the first skip. A source that is shorter
// ends early.
func trim(src audio.Source, skip, frames int64) audio.Source {
	whole := src.Info().Frames
	if whole >= 0 {
		skip = min(skip, whole)
		frames = min(frames, whole-skip)
	}
	if skip == 0 && frames == whole {
		return src
	}
	return &trimmed{Source: src, skip: skip, frames: frames, sought: skip == 0}
}

func (t *trimmed) Info() audio.Info {
	info := t.Source.Info()
	info.Frames = t.frames
	return info
}

func (t *trimmed) Read(dst []float32) (int, error) {
	if t.next >= t.frames {
		return 0, io.EOF
	}
	if !t.sought {
		if err := t.Source.SeekTo(t.skip + t.next); err != nil {
			return 0, err
		}
		t.sought = true
	}
	channels := t.Source.Info().Channels
	want := min(int64(len(dst)/channels), t.frames-t.next)
	n, err := t.Source.Read(dst[:want*int64(channels)])
	t.next += int64(max(n, 0))
	return n, err
}

func (t *trimmed) SeekTo(frame int64) error {
	if frame < 0 || frame > t.frames {
		return fmt.Errorf("seek to frame %d of %d: out of range", frame, t.frames)
	}
	if err := t.Source.SeekTo(t.skip + frame); err != nil {
		return err
	}
	t.next, t.sought = frame, true
	return nil
}
