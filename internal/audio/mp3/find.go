package mp3

import (
	"fmt"
	"io"

	"waxwing/internal/audio"
)

const (
	// maxJunk is how far after the tags the first frame may lie.
	maxJunk = 1 << 20
	// wantedFrames is how many headers in a row prove that the first is one.
	wantedFrames = 4
	// maxFreeTries bounds the searches for the length of free-format frames in a file that looks as if it had some.
	maxFreeTries = 4096
)

// finder looks for the first frame of a file.
type finder struct {
	in        *pager
	freeTries int
	otherMPEG bool // Layer I or II was seen
}

// findFirst returns an index that begins at the first frame from offset on.
func findFirst(in *pager, offset int64) (*index, error) {
	f := finder{in: in}
	end := offset + maxJunk
	for at := offset; at < end; at++ {
		var err error
		if at, err = nextSync(in, at); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		x, err := f.try(at, at == offset)
		if x != nil || err != nil {
			return x, err
		}
	}
	if f.otherMPEG {
		return nil, fmt.Errorf("MPEG audio of Layer I or II: %w", audio.ErrUnsupported)
	}
	return nil, fmt.Errorf("no MP3 frame found: %w", audio.ErrUnsupported)
}

// try returns an index that begins at offset if enough frames follow there, else nil. A file
// may end sooner; that counts for a frame where one is expected, and after two anywhere.
func (f *finder) try(offset int64, expected bool) (*index, error) {
	b, err := f.in.at(offset, headerSize)
	if err != nil || len(b) < headerSize {
		return nil, err
	}
	h, ok := parseHeader(b)
	if !ok {
		// FF with eleven bits of sync, and a layer other than III or the reserved one.
		f.otherMPEG = f.otherMPEG || expected && b[1]&0xe0 == 0xe0 && b[1]>>1&3 >= 2
		return nil, nil
	}
	x := &index{in: f.in, first: h, start: offset, barren: f.in.size, known: []place{{offset: offset, last: -1, walked: true}}}
	if h.bitRate == 0 {
		if x.freeLength, err = f.freeLength(offset, h); err != nil || x.freeLength == 0 {
			return nil, err
		}
	}
	at := offset
	for n := range wantedFrames {
		_, length, err := x.frameAt(at)
		if err != nil {
			return nil, err
		}
		if length == 0 {
			tag, err := tagAt(f.in, at)
			ended := at >= f.in.size || tag > 0
			if err == nil && ended && n > 0 && (n > 1 || expected || at == f.in.size) {
				return x, nil
			}
			return nil, err
		}
		at += int64(length)
	}
	return x, nil
}

// freeLength measures the distance from the free-format frame at offset to the next one and returns the
// length without padding that all of the stream's frames share; 0 when there is no next one.
func (f *finder) freeLength(offset int64, h header) (int, error) {
	if f.freeTries++; f.freeTries > maxFreeTries {
		return 0, nil
	}
	b, err := f.in.at(offset, maxFrame)
	if err != nil {
		return 0, err
	}
	for i := h.mainDataStart(); i+headerSize <= len(b); i++ {
		if b[i] != 0xff {
			continue
		}
		g, ok := parseHeader(b[i:])
		if !ok || !h.sameStream(g) {
			continue
		}
		length := i
		if h.padded {
			length--
		}
		// A header may occur in the data by chance; the frame after that one tells.
		after := i + g.length(length)
		if after+headerSize > len(b) {
			return length, nil
		}
		if g, ok = parseHeader(b[after:]); ok && h.sameStream(g) {
			return length, nil
		}
	}
	return 0, nil
}
