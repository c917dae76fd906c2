// Package mp3 decodes MPEG-1, MPEG-2 and MPEG-2.5 Layer III, exact to the sample.
//
// Encoder delay and padding are removed if the file states them. Frames are numbered: a damaged
// frame, or one without a header, keeps its number and is silent, so that every position in the
// audio stays exact.
package mp3

import (
	"errors"
	"fmt"
	"io"

	"waxwing/internal/audio"
	"waxwing/internal/media/mpeg"
)

// warmUpFrames is the number of frames decoded before the target of a seek: its samples depend on
// the overlap and the filter bank's memory of the two granules before it.
const warmUpFrames = 2

var _ audio.Source = (*Decoder)(nil)

// Decoder is the audio.Source of an MP3 file.
type Decoder struct {
	info   audio.Info
	live   bool // never ends
	stream *mpeg.Stream
	frames *frameDecoder
	skip   int64 // samples before the audio: the delays of encoder and decoder

	pos   int64 // the next frame of samples that Read returns
	stale bool  // the decoder must seek to pos before it reads

	next   mpeg.Position
	ahead  mpeg.Frame // the frame at next, once read; its Length is 0 before
	number int64      // of the MPEG frame to decode next
	pcm    []float32
	unread []float32 // the part of pcm that Read returns next
}

func (d *Decoder) Info() audio.Info {
	info := d.info
	if d.live {
		info.Frames = -1
	}
	return info
}

// Close does nothing: the caller of Open closes the input.
func (d *Decoder) Close() error { return nil }

func (d *Decoder) Read(dst []float32) (int, error) {
	if d.pos >= d.info.Frames {
		return 0, io.EOF
	}
	if err := d.prepare(); err != nil {
		return 0, err
	}
	total := 0
	for len(dst) >= d.info.Channels && d.pos < d.info.Frames {
		if len(d.unread) == 0 {
			if err := d.decodeNext(); err != nil {
				if total > 0 {
					break // the next call returns the error again
				}
				return 0, err
			}
		}
		n := copy(dst[:len(dst)-len(dst)%d.info.Channels], d.unread) / d.info.Channels
		n = int(min(int64(n), d.info.Frames-d.pos))
		dst, d.unread = dst[n*d.info.Channels:], d.unread[n*d.info.Channels:]
		d.pos += int64(n)
		total += n
	}
	return total, nil
}

func (d *Decoder) SeekTo(frame int64) error {
	if frame < 0 || frame > d.info.Frames {
		return fmt.Errorf("seek to frame %d of %d in an MP3", frame, d.info.Frames)
	}
	if frame == d.pos && !d.stale {
		return nil
	}
	old := d.pos
	d.pos, d.stale = frame, true
	if frame == d.info.Frames {
		return nil
	}
	if err := d.prepare(); err != nil {
		d.pos = old
		return err
	}
	return nil
}

// prepare moves the decoder to pos after a seek, in the state of a decoder that has read everything
// before it.
func (d *Decoder) prepare() error {
	if !d.stale {
		return nil
	}
	spf := int64(d.stream.First.Samples())
	target := (d.pos + d.skip) / spf
	warmUp := max(target-warmUpFrames, 0)
	from, err := d.preroll(warmUp)
	if err != nil {
		return err
	}
	d.frames.reset()
	d.unread = nil
	d.next, d.ahead, d.number = from, mpeg.Frame{}, from.Number()
	for d.number < warmUp {
		if err := d.skipNext(); err != nil {
			return err
		}
	}
	for d.number <= target {
		if err := d.decodeNext(); err != nil {
			return err
		}
	}
	d.unread = d.pcm[((d.pos+d.skip)%spf)*int64(d.info.Channels):]
	d.stale = false
	return nil
}

// preroll returns a position far enough before MPEG frame n to fill its bit reservoir.
func (d *Decoder) preroll(n int64) (mpeg.Position, error) {
	for back := int64(2 * mpeg.CheckpointEvery); ; back *= 2 {
		start, err := d.stream.Before(max(n-back, 0))
		if err != nil {
			return mpeg.Position{}, err
		}
		if start.Number() == 0 {
			return start, nil
		}
		bytes := 0
		for p := start; p.Number() < n && bytes < maxReservoir; {
			e, err := d.stream.Next(&p)
			if err == io.EOF {
				break
			} else if err != nil {
				return mpeg.Position{}, err
			}
			bytes += max(e.Length-e.Header.MainDataStart(), 0)
		}
		if bytes >= maxReservoir {
			return start, nil
		}
	}
}

// readAhead sets ahead to the next frame in the file and reports whether it has the expected
// number; if not, the expected frame is lost.
func (d *Decoder) readAhead() (bool, error) {
	if d.ahead.Length == 0 {
		e, err := d.stream.Next(&d.next)
		if errors.Is(err, io.EOF) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		d.ahead = e
	}
	return d.ahead.Number == d.number, nil
}

// skipNext adds the next frame's data to the bit reservoir without decoding it.
func (d *Decoder) skipNext() error {
	present, err := d.readAhead()
	if err != nil {
		return err
	}
	if present {
		frame, err := d.stream.Data(d.ahead)
		if err != nil {
			return err
		}
		d.frames.feed(frame, d.ahead.Header)
		d.ahead = mpeg.Frame{}
	} else {
		d.frames.held = 0
	}
	d.number++
	return nil
}

// decodeNext decodes the next frame into pcm and sets unread to its audio.
func (d *Decoder) decodeNext() error {
	present, err := d.readAhead()
	if err != nil {
		return err
	}
	if present {
		frame, err := d.stream.Data(d.ahead)
		if err != nil {
			return err
		}
		d.frames.decode(frame, d.ahead.Header, d.pcm, d.info.Channels)
		d.ahead = mpeg.Frame{}
	} else {
		d.frames.conceal(d.stream.First, d.pcm, d.info.Channels)
	}
	begin := d.number * int64(d.stream.First.Samples())
	d.number++
	skip := min(max(d.skip-begin, 0), int64(d.stream.First.Samples()))
	d.unread = d.pcm[skip*int64(d.info.Channels):]
	return nil
}
