package mp3

import (
	"errors"
	"fmt"
	"io"

	"waxwing/internal/audio"
)

// probedFrames is how many frames from the start may be damaged before the file is called so. The first
// ones of a file that was cut out of another lack the data before the cut.
const probedFrames = 64

var errDamaged = errors.New("damaged MP3: no frame can be decoded")

// Open prepares to decode in. Where the file's first frame tells the length, only the beginning is
// read; else every frame header is, for the length is always exact.
func Open(in audio.Input) (*Decoder, error) {
	pages := newPager(in)
	start, loudness, err := readID3(pages)
	if err != nil {
		return nil, err
	}
	x, err := findFirst(pages, start)
	if errors.Is(err, audio.ErrUnsupported) && start > 0 {
		// A tag may lie about its size and hide the beginning.
		if retry, retryErr := findFirst(pages, id3v2HeaderSize); retryErr == nil {
			x, err = retry, nil
		}
	}
	if err != nil {
		return nil, err
	}
	info, err := x.takeInfo()
	if err != nil {
		return nil, err
	}
	d := &Decoder{
		index:  x,
		frames: newFrameDecoder(x.first),
		info:   audio.Info{Codec: "mp3", Rate: x.first.rate(), Channels: x.first.channels()},
		stale:  true,
	}
	d.pcm = make([]float32, x.first.samples()*d.info.Channels)
	if err := d.probe(); err != nil {
		return nil, err
	}
	tail, err := d.measure(info)
	if err != nil {
		return nil, err
	}
	d.info.Loudness = preferred(loudness, preferred(tail, info.loudness))
	return d, nil
}

// takeInfo reads the first frame as an info frame; if it is one, the index begins after it.
func (x *index) takeInfo() (infoFrame, error) {
	_, length, err := x.frameAt(x.start)
	if err != nil {
		return infoFrame{}, err
	}
	frame, err := x.in.at(x.start, length)
	if err != nil {
		return infoFrame{}, err
	}
	info, ok := parseInfo(frame, x.first)
	if !ok {
		return infoFrame{}, nil
	}
	info.end = x.start + info.bytes
	p := place{offset: x.start + int64(length), last: -1, walked: true}
	e, err := x.next(&p)
	if err == io.EOF {
		return infoFrame{}, errDamaged
	} else if err != nil {
		return infoFrame{}, err
	}
	// Frames the walk found lost before the first one were never there.
	x.first, x.start = e.header, e.offset
	x.known = []place{{offset: e.offset, last: -1, walked: true}}
	return info, nil
}

// probe looks for a frame that can be decoded.
func (d *Decoder) probe() error {
	p := d.index.known[0]
	for range probedFrames {
		e, err := d.index.next(&p)
		if err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		frame, err := d.index.in.at(e.offset, e.length)
		if err != nil {
			return err
		}
		if d.frames.decode(frame, e.header, d.pcm, d.info.Channels) {
			return nil
		}
	}
	return errDamaged
}

// measure finds the number of frames, and from it and the info frame where the music begins and ends. If
// that takes a look at the end of the file it returns the loudness told there.
func (d *Decoder) measure(info infoFrame) (tail audio.Loudness, err error) {
	x := d.index
	frames := info.frames
	trusted, err := x.trusts(info)
	if err != nil {
		return tail, err
	}
	if trusted {
		slack := info.end - x.start - x.ideal(frames)
		x.jumps = info.constant && x.first.bitRate > 0 && -2 <= slack && slack <= 2
	} else if frames, err = x.count(); err != nil {
		return tail, fmt.Errorf("count the frames of an MP3: %w", err)
	}
	if !trusted || x.in.size-info.end > id3v1Size {
		if tail, err = readAPE(x.in); err != nil {
			return tail, err
		}
	}
	end := frames * int64(x.first.samples())
	if info.gapless {
		d.skip = int64(info.delay + decoderDelay)
		// A file longer than its info frame says was extended; then the padding is somewhere within.
		if frames <= info.frames {
			told := info.frames*int64(x.first.samples()) - int64(max(info.padding-decoderDelay, 0))
			end = min(end, told)
		}
	}
	d.info.Frames = max(end-d.skip, 0)
	return tail, nil
}

// trusts reports whether the number of frames in info can stand for a walk through the file: it
// was written by an encoder known to count right, and the file still has the size it had then.
func (x *index) trusts(info infoFrame) (bool, error) {
	if !info.gapless || info.frames == 0 || info.bytes == 0 {
		return false, nil
	}
	// Between them the frames must have the bytes they are said to have.
	room := info.end - x.start
	if room < info.frames*int64(headerSize+x.first.sideInfoSize()) || room > info.frames*maxFrame {
		return false, nil
	}
	switch rest := x.in.size - info.end; {
	case rest == 0 || rest == id3v1Size:
		return true, nil
	case rest < 0:
		return false, nil
	}
	// Something follows the music: a tag, or more music.
	_, length, err := x.frameAt(info.end)
	return length == 0, err
}
