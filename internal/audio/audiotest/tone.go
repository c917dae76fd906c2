package audiotest

import (
	"errors"
	"io"

	"waxwing/internal/audio"
)

// Tone is a stereo source whose samples identify the track and the frame: see Sample.
type Tone struct {
	ID      int   // number of the track
	Rate    int   // frames a second
	Frames  int64 // length
	BreakAt int64 // frame at which decoding fails; 0 for never

	at     int64
	closed bool
}

// Sample is the sample of track id at a frame: never 0, different for every track and, within a
// track, for thousands of consecutive frames.
func Sample(id int, frame int64) float32 {
	return float32(id+1)/1024 + float32(frame%8191+1)/(1<<24)
}

// ErrBroken is the error of a Tone at BreakAt.
var ErrBroken = errors.New("broken here")

// Info implements audio.Source.
func (t *Tone) Info() audio.Info {
	return audio.Info{Codec: "tone", Rate: t.Rate, Channels: 2, Frames: t.Frames}
}

// Read implements audio.Source.
func (t *Tone) Read(dst []float32) (int, error) {
	n := int(min(int64(len(dst)/2), t.Frames-t.at))
	if t.BreakAt > 0 {
		n = int(min(int64(n), t.BreakAt-t.at))
		if n <= 0 {
			return 0, ErrBroken
		}
	}
	if n <= 0 {
		return 0, io.EOF
	}
	for i := range n {
		v := Sample(t.ID, t.at+int64(i))
		dst[2*i], dst[2*i+1] = v, v
	}
	t.at += int64(n)
	return n, nil
}

// SeekTo implements audio.Source.
func (t *Tone) SeekTo(frame int64) error {
	if frame < 0 || frame > t.Frames {
		return errors.New("seek outside of the track")
	}
	t.at = frame
	return nil
}

// Close implements audio.Source. Closing twice is a bug in the caller.
func (t *Tone) Close() error {
	if t.closed {
		panic("closed twice")
	}
	t.closed = true
	return nil
}
