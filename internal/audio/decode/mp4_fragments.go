package decode

import (
	"fmt"

	"waxwing/internal/audio"
)

// trackDefaults are what a fragment's packets are like unless it says otherwise.
type trackDefaults struct{ duration, size int }

// readFragments appends the packets of movie fragments to the track.
func (t *mp4Track) readFragments(in audio.Input, moov mp4Box) error {
	extends, found, err := moov.find("mvex")
	if err != nil || !found {
		return err
	}
	var defaults trackDefaults
	var problem error
	err = extends.each(0, func(box mp4Box) bool {
		if box.kind != "trex" {
			return true
		}
		var data []byte
		data, problem = box.content()
		f := fields{data: data}
		f.take(4)
		if f.u32() == t.id {
			f.take(4)
			defaults = trackDefaults{f.u32(), f.u32()}
		}
		return problem == nil
	})
	if err != nil || problem != nil {
		return firstError(err, problem)
	}
	if t.packets.sizes == nil {
		if t.packets.count > 0 {
			return fmt.Errorf("%w: fragments behind packets of one size", audio.ErrUnsupported)
		}
		t.packets.sizes = []uint32{}
	}
	err = mp4File(in).each(0, func(moof mp4Box) bool {
		if moof.kind != "moof" {
			return true
		}
		innerErr := moof.each(0, func(traf mp4Box) bool {
			if traf.kind == "traf" {
				problem = t.readFragment(moof, traf, defaults)
			}
			return problem == nil
		})
		problem = firstError(problem, innerErr)
		return problem == nil
	})
	return firstError(err, problem)
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// readFragment appends the packets of one track fragment, if it is this track's.
func (t *mp4Track) readFragment(moof, traf mp4Box, defaults trackDefaults) error {
	header, err := traf.contentOf("tfhd")
	if err != nil {
		return err
	}
	f := fields{data: header}
	flags := f.u32()
	if f.u32() != t.id {
		return nil
	}
	base := moof.at
	if flags&1 != 0 {
		base = f.i64()
	}
	if flags&2 != 0 {
		f.take(4)
	}
	if flags&8 != 0 {
		defaults.duration = f.u32()
	}
	if flags&16 != 0 {
		defaults.size = f.u32()
	}
	if f.short || base < 0 || base > moof.in.Size() {
		return fmt.Errorf("fragment header: %w", errSampleTable)
	}
	next := base // a run without an offset follows the one before
	var problem error
	err = traf.each(0, func(box mp4Box) bool {
		if box.kind == "trun" {
			next, problem = t.readRun(box, base, next, defaults)
		}
		return problem == nil
	})
	return firstError(err, problem)
}

// readRun appends the packets of one run and returns where they end.
func (t *mp4Track) readRun(box mp4Box, base, next int64, defaults trackDefaults) (int64, error) {
	data, err := box.content()
	if err != nil {
		return 0, err
	}
	f := fields{data: data}
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
	} else if defaults.size > 0 {
		count = min(count, int(box.in.Size()/int64(defaults.size)))
	} else {
		count = 0
	}
	if f.short || next < 0 || len(t.packets.sizes)+count > maxMP4Table/4 {
		return 0, fmt.Errorf("fragment run: %w", errSampleTable)
	}
	if count > 0 {
		t.packets.chunks = append(t.packets.chunks, packetChunk{t.packets.count, next})
	}
	for range count {
		duration, size := defaults.duration, defaults.size
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
		t.duration += int64(duration)
		t.packets.sizes = append(t.packets.sizes, uint32(size))
		next += int64(size)
	}
	t.packets.count += count
	return next, nil
}
