package mp3

import (
	"bytes"
	"io"
	"sort"
)

const (
	// checkpointEvery is how many frames apart the index remembers places.
	checkpointEvery = 16
	// maxLost is the most frames a hole in the file is taken to have held. A wider one is
	// something foreign between two pieces of music rather than damage to one.
	maxLost = 16
	// worthJumping is how many frames ahead of the index arithmetic pays.
	worthJumping = 256
)

// entry is one frame in the file. Numbers that the walk leaves out are frames whose headers are destroyed.
type entry struct {
	number int64
	offset int64
	length int // what the file has of it
	header header
}

// place is a point of the walk from frame to frame.
type place struct {
	number int64 // of the next frame if nothing is lost before it
	offset int64 // where it should begin
	last   int64 // where the frame before it begins, -1 if that is not known
	walked bool  // reached from the start frame by frame
}

// index finds frames: it walks from header to header and remembers places on the way.
type index struct {
	in         *pager
	first      header // what every frame's header must go with
	freeLength int
	start      int64
	known      []place // in order, the first at the start
	// jumps says that every frame has first's bit rate, so that a frame's place can be computed.
	jumps bool
	// barren is the lowest offset from which a search found no further frame, so that it is made once.
	barren int64
}

// next returns the frame at p and moves p behind it; io.EOF when there is none.
func (x *index) next(p *place) (entry, error) {
	if p.offset >= x.in.size {
		return entry{}, io.EOF
	}
	h, length, err := x.frameAt(p.offset)
	if err != nil {
		return entry{}, err
	}
	e := entry{number: p.number, offset: p.offset, length: length, header: h}
	if length == 0 {
		if e, err = x.resync(*p); err != nil {
			return entry{}, err
		}
	}
	p.number, p.offset, p.last = e.number+1, e.offset+int64(e.length), e.offset
	if p.walked && p.number >= x.known[len(x.known)-1].number+checkpointEvery {
		x.known = append(x.known, *p)
	}
	e.length = int(min(int64(e.length), x.in.size-e.offset))
	return e, nil
}

// count walks to the end and returns the number of frames.
func (x *index) count() (int64, error) {
	p := x.known[len(x.known)-1]
	for {
		if _, err := x.next(&p); err == io.EOF {
			return p.number, nil
		} else if err != nil {
			return 0, err
		}
	}
}

// before returns a place from which walking comes to frame n, at most checkpointEvery frames
// and what is lost before it, or the end of the file if that comes first.
func (x *index) before(n int64) (place, error) {
	p := x.known[len(x.known)-1]
	if x.jumps && n-p.number > worthJumping {
		if to, ok, err := x.jump(n); err != nil || ok {
			return to, err
		}
	}
	for p.number < n {
		if _, err := x.next(&p); err == io.EOF {
			break
		} else if err != nil {
			return place{}, err
		}
	}
	after := sort.Search(len(x.known), func(i int) bool { return x.known[i].number > n })
	return x.known[max(after-1, 0)], nil
}

// jump computes where frame n is in a file of constant bit rate. Padding keeps every frame
// within a byte or so of its ideal place and the next is hundreds of bytes away, so that finding two
// headers there proves the number; ok is false when they are not there.
func (x *index) jump(n int64) (p place, ok bool, err error) {
	ideal := x.start + x.ideal(n)
	for _, off := range [...]int64{0, 1, -1, 2, -2} {
		h, length, err := x.frameAt(ideal + off)
		if err != nil {
			return place{}, false, err
		}
		if length == 0 || h.bitRate != x.first.bitRate {
			continue
		}
		if _, following, err := x.frameAt(ideal + off + int64(length)); err != nil || following > 0 {
			return place{number: n, offset: ideal + off, last: -1}, err == nil, err
		}
	}
	return place{}, false, nil
}

// ideal is how many bytes n frames of the first one's bit rate take.
func (x *index) ideal(n int64) int64 {
	return n * int64(x.first.samples()/8) * int64(x.first.bitRate) / int64(x.first.rate())
}

// frameAt reads the header at offset; length is 0 when there is none of this stream.
func (x *index) frameAt(offset int64) (h header, length int, err error) {
	b, err := x.in.at(offset, headerSize)
	if err != nil {
		return header{}, 0, err
	}
	h, ok := parseHeader(b)
	if !ok || !x.first.sameStream(h) {
		return header{}, 0, nil
	}
	return h, h.length(x.freeLength), nil
}

// resync finds the next frame when there is none where p expects it. The header before may be the wrong
// one, so the search begins within that frame; it wants two frames in a row, or one that ends the file.
func (x *index) resync(p place) (entry, error) {
	from := p.offset
	if p.last >= 0 {
		from = min(from, p.last+headerSize)
	}
	foreign := int64(0) // bytes of tags among the music
	for {
		size, err := tagAt(x.in, p.offset+foreign)
		if err != nil {
			return entry{}, err
		}
		if size == 0 {
			break
		}
		foreign += size
		from = p.offset + foreign
	}
	begin := from
	for {
		if from >= x.barren {
			return entry{}, io.EOF
		}
		offset, err := nextSync(x.in, from)
		if err == io.EOF {
			x.barren = begin
		}
		if err != nil {
			return entry{}, err
		}
		h, length, err := x.frameAt(offset)
		if err != nil {
			return entry{}, err
		}
		if length > 0 {
			after := offset + int64(length)
			if _, following, err := x.frameAt(after); err != nil {
				return entry{}, err
			} else if following > 0 || after == x.in.size {
				return entry{p.number + lost(p, offset-foreign, length), offset, length, h}, nil
			}
		}
		from = offset + 1
	}
}

// lost estimates how many frames lay between the last good one and the next, at offset, from its length.
func lost(p place, offset int64, length int) int64 {
	begin, whole := p.last, int64(1)
	if begin < 0 {
		begin, whole = p.offset, 0
	}
	n := (offset-begin+int64(length)/2)/int64(length) - whole
	if n < 0 || n > maxLost {
		return 0
	}
	return n
}

// nextSync returns the offset of the next byte from offset on that could begin a header; io.EOF if there is none.
func nextSync(in *pager, offset int64) (int64, error) {
	for {
		b, err := in.at(offset, pageSize/2)
		if err != nil {
			return 0, err
		}
		if len(b) < headerSize {
			return 0, io.EOF
		}
		if i := bytes.IndexByte(b, 0xff); i >= 0 {
			return offset + int64(i), nil
		}
		offset += int64(len(b))
	}
}
