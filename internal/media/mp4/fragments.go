package mp4

import (
	"errors"
	"slices"

	"waxwing/internal/media/window"
)

// defaults describe the packets of a fragment unless it says otherwise.
type defaults struct{ duration, size int }

// readFragments appends the packets of movie fragments.
func (f *File) readFragments(s *Samples) error {
	if s.sizes == nil {
		if s.Count > maxTable/4 {
			return window.Damaged("the MP4 track has %d packets", s.Count)
		}
		s.sizes = slices.Repeat([]uint32{uint32(s.size)}, s.Count)
	}
	usual, err := f.fragmentDefaults()
	if err != nil {
		return err
	}
	for moof, err := range wholeFile(f.w).boxes(0) {
		if errors.Is(err, window.ErrDamaged) {
			break // the fragments before it are whole
		}
		if err != nil {
			return err
		}
		if moof.kind != "moof" {
			continue
		}
		for traf, err := range moof.boxes(0) {
			if err == nil && traf.kind == "traf" {
				err = f.readFragment(s, moof, traf, usual)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *File) fragmentDefaults() (d defaults, err error) {
	for mvex, err := range f.moov.boxes(0) {
		if err != nil {
			return d, err
		}
		if mvex.kind != "mvex" {
			continue
		}
		for trex, err := range mvex.boxes(0) {
			if err != nil {
				return d, err
			}
			h, err := trex.header()
			if err != nil {
				return d, err
			}
			h.take(4)
			if trex.kind == "trex" && h.u32() == f.id {
				h.take(4)
				d = defaults{h.u32(), h.u32()}
			}
		}
	}
	return d, nil
}

// readFragment appends the packets of one track fragment if it belongs to the track.
func (f *File) readFragment(s *Samples, moof, traf box, d defaults) error {
	base := moof.at
	next := base // a run without an offset follows the one before
	ours := false
	for b, err := range traf.boxes(0) {
		switch {
		case err != nil:
		case b.kind == "tfhd":
			var h fields
			if h, err = b.header(); err != nil {
				break
			}
			flags := h.u32()
			if ours = h.u32() == f.id; !ours {
				return nil
			}
			if flags&1 != 0 {
				base = h.i64()
			}
			if flags&2 != 0 {
				h.take(4)
			}
			if flags&8 != 0 {
				d.duration = h.u32()
			}
			if flags&16 != 0 {
				d.size = h.u32()
			}
			if next = base; h.short || base < 0 || base > f.w.Size() {
				err = window.Damaged("the header of an MP4 fragment is invalid")
			}
		case b.kind == "trun" && ours:
			next, err = s.readRun(b, base, next, d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readRun appends the packets of one run and returns the offset of their end.
func (s *Samples) readRun(b box, base, next int64, d defaults) (int64, error) {
	f, err := b.content()
	if err != nil {
		return 0, err
	}
	flags := f.u32()
	count := f.u32()
	if flags&1 != 0 {
		next = base + int64(int32(f.u32()))
	}
	if flags&4 != 0 {
		f.take(4)
	}
	perPacket := 0
	for bit := 0x100; bit <= 0x800; bit <<= 1 {
		if flags&bit != 0 {
			perPacket += 4
		}
	}
	if perPacket > 0 {
		count = min(count, len(f.data)/perPacket)
	} else if d.size > 0 {
		count = min(count, int(b.w.Size()/int64(d.size)))
	} else {
		count = 0
	}
	if f.short || next < 0 || len(s.sizes)+count > maxTable/4 {
		return 0, window.Damaged("a run of an MP4 fragment is invalid")
	}
	if count > 0 {
		s.chunks = append(s.chunks, chunk{s.Count, next})
	}
	for range count {
		duration, size := d.duration, d.size
		if flags&0x100 != 0 {
			duration = f.u32()
		}
		if flags&0x200 != 0 {
			size = f.u32()
		}
		for bit := 0x400; bit <= 0x800; bit <<= 1 {
			if flags&bit != 0 {
				f.take(4)
			}
		}
		s.times.add(1, int64(duration))
		s.sizes = append(s.sizes, uint32(size))
		next += int64(size)
	}
	s.Count += count
	return next, nil
}
