package decode

import (
	"fmt"

	"waxwing/internal/audio"
)

// mp4Track is what the header of a file says about its first sound track.
type mp4Track struct {
	id        int
	timescale int64 // of the media
	movie     int64 // timescale of edits
	entry     string
	config    []byte // of the decoder
	object    int    // what the MPEG-4 descriptors call the codec
	packets   *packetTable
	duration  int64 // of all packets, in timescale
	edit      mp4Edit
}

// mp4Edit is the part of the media that is to be heard.
type mp4Edit struct {
	start    int64 // in the media's timescale
	duration int64 // in the movie's timescale; 0: up to the end
}

// readMP4Track finds the first sound track.
func readMP4Track(moov mp4Box) (*mp4Track, error) {
	movie, err := readTimescale(moov, "mvhd")
	if err != nil {
		return nil, err
	}
	var track *mp4Track
	var problem error
	err = moov.each(0, func(box mp4Box) bool {
		if box.kind != "trak" {
			return true
		}
		var handler []byte
		if handler, problem = box.contentOf("mdia", "hdlr"); problem != nil {
			return false
		}
		if len(handler) < 12 || string(handler[8:12]) != "soun" {
			return true
		}
		track = &mp4Track{movie: movie}
		problem = track.read(box)
		return false
	})
	switch {
	case err != nil:
		return nil, err
	case problem != nil:
		return nil, problem
	case track == nil:
		return nil, fmt.Errorf("%w: no sound track", audio.ErrUnsupported)
	}
	return track, nil
}

func (t *mp4Track) read(trak mp4Box) error {
	header, err := trak.contentOf("tkhd")
	if err != nil {
		return err
	}
	f := fields{data: header}
	if f.u8() == 1 {
		f.take(3 + 8 + 8)
	} else {
		f.take(3 + 4 + 4)
	}
	t.id = f.u32()
	media, _, err := trak.find("mdia")
	if err != nil {
		return err
	}
	if t.timescale, err = readTimescale(media, "mdhd"); err != nil {
		return err
	}
	table, found, err := media.find("minf", "stbl")
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("no sample table: %w", errSampleTable)
	}
	if err := t.readEntry(table); err != nil {
		return err
	}
	if t.packets, err = readPacketTable(table); err != nil {
		return err
	}
	if err := t.readDurations(table); err != nil {
		return err
	}
	return t.readEdits(trak)
}

// readTimescale reads the ticks a second from a movie or media header.
func readTimescale(parent mp4Box, kind string) (int64, error) {
	data, err := parent.contentOf(kind)
	if err != nil {
		return 0, err
	}
	f := fields{data: data}
	if f.u8() == 1 {
		f.take(3 + 8 + 8)
	} else {
		f.take(3 + 4 + 4)
	}
	scale := f.u32()
	if f.short || scale == 0 {
		return 0, fmt.Errorf("box %q tells no timescale", kind)
	}
	return int64(scale), nil
}

// readDurations adds up how long the packets last.
func (t *mp4Track) readDurations(table mp4Box) error {
	data, err := table.contentOf("stts")
	if err != nil {
		return err
	}
	f := fields{data: data}
	f.take(4)
	left := int64(t.packets.count)
	for range min(f.u32(), len(f.data)/8) {
		n, each := min(int64(f.u32()), left), int64(f.u32())
		left -= n
		t.duration += n * each
	}
	return nil
}

// readEdits reads the first edit that plays something. When more follow, only its start is taken.
func (t *mp4Track) readEdits(trak mp4Box) error {
	data, err := trak.contentOf("edts", "elst")
	if err != nil {
		return err
	}
	f := fields{data: data}
	width := 4
	if f.u8() == 1 {
		width = 8
	}
	f.take(3)
	found := false
	for range min(f.u32(), len(f.data)/(2*width+4)) {
		duration, start := int64(f.number(width)), int64(f.number(width))
		if width == 4 {
			start = int64(int32(start))
		}
		f.take(4)
		if start < 0 || duration < 0 {
			continue // an empty edit shifts the track against others
		}
		if found {
			t.edit.duration = 0
			return nil
		}
		t.edit, found = mp4Edit{start, duration}, true
	}
	return nil
}
