package mp4

import (
	"errors"

	"waxwing/internal/media/window"
)

// Track is the description of the first audio track.
type Track struct {
	Entry     string // four-letter code of the sample entry
	Codec     Codec
	Protected bool   // encrypted
	Bits      int    // per sample, of ALAC and FLAC
	Config    []byte // of the decoder
	Rate      int    // Hz, never 0
	Channels  int    // never 0
	Bitrate   int    // kbit/s as declared; 0 when unknown
	// PacketFrames is the number of samples per channel in each packet but the last; 0 when unknown.
	PacketFrames int

	delay      int64 // frames before the first to be heard, if no edit says so
	id         int
	timescale  int64 // ticks per second of the media
	movieScale int64 // ticks per second of edits
	packets    int64
	times      times
	edit       edit
	boxes      map[string]box
}

// edit is the part of the media that is to be heard.
type edit struct {
	start    int64 // in ticks of the media
	duration int64 // in ticks of the movie; 0: to the end
}

// read reads a "trak" box; it leaves Entry empty when that is not an audio track.
func (t *Track) read(trak box) error {
	boxes := map[string]box{}
	if err := trak.collect(boxes, 0); err != nil && !errors.Is(err, window.ErrDamaged) {
		return err
	}
	handler, err := boxes["hdlr"].header()
	if err != nil || len(handler.data) < 12 || string(handler.data[8:12]) != "soun" {
		return err
	}
	t.boxes = boxes
	header, err := boxes["tkhd"].header()
	if err != nil {
		return err
	}
	skipTimes(&header)
	t.id = header.u32()
	if t.timescale, err = readTimescale(boxes["mdhd"]); err != nil {
		return err
	}
	if t.timescale == 0 {
		return window.Damaged("the MP4 track has no timescale")
	}
	entry, err := boxes["stsd"].header()
	if err != nil {
		return err
	}
	if err := t.readEntry(entry); err != nil {
		return err
	}
	if t.packets, err = t.countPackets(); err != nil {
		return err
	}
	if err := t.readDurations(); err != nil {
		return err
	}
	t.edit.start = rescale(t.delay, t.timescale, int64(t.Rate))
	return t.readEdits()
}

// skipTimes passes over the version and the times at the start of a movie, track or media header.
func skipTimes(f *fields) {
	if f.u8() == 1 {
		f.take(3 + 8 + 8)
	} else {
		f.take(3 + 4 + 4)
	}
}

// readTimescale reads the ticks per second from a movie or media header; 0 when it is too short.
func readTimescale(b box) (int64, error) {
	f, err := b.header()
	skipTimes(&f)
	return int64(f.u32()), err
}

// countPackets returns the number of packets that the sample table declares, and has room for.
func (t *Track) countPackets() (int64, error) {
	sizes, wide := t.boxes["stsz"]
	if !wide {
		sizes = t.boxes["stz2"]
	}
	f, err := sizes.header()
	if err != nil {
		return 0, err
	}
	f.take(4)
	size, count := int64(f.u32()), int64(f.u32())
	room := (sizes.end - sizes.start - 12) * 8
	switch {
	case wide && size > 0:
		return min(count, sizes.w.Size()/size), nil
	case wide:
		return min(count, max(room/32, 0)), nil
	case size&0xff > 0: // the number of bits per size
		return min(count, max(room/(size&0xff), 0)), nil
	}
	return 0, nil
}

// readDurations reads the durations of the packets.
func (t *Track) readDurations() error {
	f, err := t.boxes["stts"].content()
	if err != nil {
		return err
	}
	f.take(4)
	left := min(t.packets, maxTable)
	for range min(f.u32(), len(f.data)/8) {
		n, each := min(int64(f.u32()), left), int64(f.u32())
		left -= n
		t.times.add(int(n), each)
	}
	return nil
}

// readEdits reads the first edit that is not empty. If more follow, only its start is used.
func (t *Track) readEdits() error {
	f, err := t.boxes["elst"].header()
	if err != nil {
		return err
	}
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
		t.edit, found = edit{start, duration}, true
	}
	return nil
}
