// Package mp4 reads MP4 and QuickTime files: the first audio track, the location of its packets and
// the iTunes tags. Sample tables and fragments are read only on request.
package mp4

import (
	"errors"
	"fmt"
	"math/bits"

	"waxwing/internal/media/window"
)

// ErrNoAudio is wrapped by the error of Read when the file has no audio track.
var ErrNoAudio = errors.New("no audio track")

// File is an MP4 file with an audio track.
type File struct {
	Track
	w          *window.Reader
	moov       box
	fragmented bool
	gapless    gapless
}

// Read reads the description of a file, and nothing behind it. It calls item, which may be nil, for
// each iTunes tag.
func Read(w *window.Reader, item func(Item)) (*File, error) {
	f := &File{w: w}
	for b, err := range wholeFile(w).boxes(0) {
		if err != nil {
			return nil, err
		}
		if b.kind == "moov" {
			f.moov = b
			break
		}
	}
	if f.moov.kind == "" {
		return nil, window.Damaged("the MP4 header is missing")
	}
	for b, err := range f.moov.boxes(0) {
		if errors.Is(err, window.ErrDamaged) {
			break // what was read before may suffice
		}
		if err != nil {
			return nil, err
		}
		switch {
		case b.kind == "mvhd":
			f.movieScale, err = readTimescale(b)
		case b.kind == "trak" && f.Entry == "":
			err = f.Track.read(b)
		case b.kind == "mvex":
			f.fragmented = true
		case b.kind == "udta", b.kind == "meta":
			err = f.readTags(b, item)
		}
		if err != nil {
			return nil, err
		}
	}
	if f.Entry == "" {
		return nil, fmt.Errorf("%w in an MP4 file", ErrNoAudio)
	}
	return f, nil
}

// Data is the location of the encoded audio.
type Data struct {
	Off, Size int64 // of the largest box of media data
	Total     int64 // size of all of them
	Complete  bool  // the file is as long as it claims
}

// Data reads the header of every box in the file.
func (f *File) Data() (Data, error) {
	d := Data{Complete: true}
	for b, err := range wholeFile(f.w).boxes(0) {
		if errors.Is(err, window.ErrDamaged) {
			break // everything that matters was found before
		}
		if err != nil {
			return d, err
		}
		if b.kind != "mdat" {
			continue
		}
		size := b.end - b.start
		d.Total += size
		d.Complete = d.Complete && !b.cut
		if size > d.Size {
			d.Off, d.Size = b.start, size
		}
	}
	return d, nil
}

// Heard returns how many frames of the decoded track to skip and how many to play after them: the
// encoder's delay and padding are left out. samples may be nil; then the sample tables are read
// only where the length depends on them.
func (f *File) Heard(samples *Samples) (skip, frames int64, err error) {
	if samples == nil && (f.fragmented || f.lastMayBeShort()) {
		if samples, err = f.Samples(); err != nil {
			return 0, 0, err
		}
	}
	count, duration := f.packets, f.times.end()
	if samples != nil {
		count, duration = int64(samples.Count), samples.times.before(samples.Count)
	}
	rate := int64(f.Rate)
	end := rescale(duration, rate, f.timescale)
	if f.PacketFrames > 0 {
		whole := count * int64(f.PacketFrames)
		if samples != nil {
			if whole, err = f.exactEnd(samples, whole); err != nil {
				return 0, 0, err
			}
		}
		if end <= 0 || end > whole {
			end = whole
		}
		if g := f.gapless; f.Codec == AAC && g.frames > 0 {
			if g.frames <= whole-g.delay {
				return g.delay, g.frames, nil
			}
			if cut := count < f.packets; cut && whole > g.delay {
				return g.delay, whole - g.delay, nil
			}
		}
	}
	skip, end = f.edited(rate, end)
	return skip, end - skip, nil
}

// edited applies the edit list. The durations of packets are exact; an edit is when the movie's
// timescale is fine enough, and otherwise counts only when it differs by more than a tick. An edit
// of the packets in the header does not cut off the fragments behind them.
func (f *File) edited(rate, end int64) (start, stop int64) {
	start = min(rescale(f.edit.start, rate, f.timescale), end)
	if f.edit.duration > 0 && f.movieScale > 0 {
		edited := start + rescale(f.edit.duration, rate, f.movieScale)
		header := rescale(f.times.end(), rate, f.timescale)
		tick := rate/f.movieScale + 1
		if 0 < header && header < end && edited <= header+tick {
			return start, end
		}
		if edited < end-tick || (f.movieScale >= rate && edited < end) {
			end = edited
		}
	}
	return start, end
}

// lastMayBeShort reports whether an ALAC track claims that its last packet is full. Some writers
// claim that of every packet; only the packet itself has the right length.
func (f *File) lastMayBeShort() bool {
	return f.Codec == ALAC && rescale(f.times.end(), int64(f.Rate), f.timescale) >= f.packets*int64(f.PacketFrames)
}

// exactEnd returns the end of the last packet. ALAC packets declare their length.
func (f *File) exactEnd(samples *Samples, whole int64) (int64, error) {
	if f.Codec != ALAC || samples.Count == 0 {
		return whole, nil
	}
	head, err := f.w.Peek(samples.locate(samples.Count-1), 7)
	if err != nil {
		return 0, err
	}
	return whole - int64(f.PacketFrames) + ALACFrames(head, int64(f.PacketFrames)), nil
}

// ALACFrames returns the number of frames in an ALAC packet that begins with head; full is the
// usual number. The packet begins with an audio element: 3 bits for its kind, 16 for other uses, a
// bit that says that a number of frames is stored, 3 other bits and that number.
func ALACFrames(head []byte, full int64) int64 {
	const data, stored = 4, 0x10
	if len(head) < 7 || head[0]>>5 >= data || head[2]&stored == 0 {
		return full
	}
	f := fields{data: head[2:7]}
	if n := int64(f.number(5) >> 1 & 0xffffffff); n > 0 && n < full {
		return n
	}
	return full
}

// rescale is n·to/from, rounded, without overflow; the result is at most 1<<62.
func rescale(n, to, from int64) int64 {
	if n <= 0 || from <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(n), uint64(to))
	low, carry := bits.Add64(low, uint64(from)/2, 0)
	high += carry
	if high >= uint64(from) {
		return 1 << 62
	}
	quotient, _ := bits.Div64(high, low, uint64(from))
	return int64(min(quotient, 1<<62))
}
