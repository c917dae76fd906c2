package decode

import (
	"fmt"

	"waxwing/internal/audio"
)

// readEntry reads the first sample description: which codec, and how it is set up.
func (t *mp4Track) readEntry(table mp4Box) error {
	description, found, err := table.find("stsd")
	if err != nil {
		return err
	}
	var entry mp4Box
	if found {
		err = description.each(8, func(box mp4Box) bool {
			entry = box
			return false
		})
	}
	if err != nil {
		return err
	}
	if entry.kind == "" {
		return fmt.Errorf("no sample description: %w", errSampleTable)
	}
	t.entry = entry.kind
	if entry.kind != "mp4a" && entry.kind != "alac" {
		return fmt.Errorf("%w: %q in MP4", audio.ErrUnsupported, entry.kind)
	}

	// Versions 1 and 2 are QuickTime's, which also hides the set-up in a box of its own.
	head := make([]byte, 28)
	if _, err := readUpTo(entry.in, head[:min(28, entry.end-entry.start)], entry.start); err != nil {
		return err
	}
	skip := int64(28)
	switch head[9] {
	case 1:
		skip += 16
	case 2:
		skip += 36
	}
	wanted := map[string]string{"mp4a": "esds", "alac": "alac"}[entry.kind]
	err = entry.each(skip, func(box mp4Box) bool {
		if box.kind == "wave" {
			t.config, err = box.contentOf(wanted)
		} else if box.kind == wanted {
			t.config, err = box.content()
		}
		return err == nil && t.config == nil
	})
	if err != nil {
		return err
	}
	if len(t.config) < 4 {
		return fmt.Errorf("%w: %q in MP4 without a description", audio.ErrUnsupported, entry.kind)
	}
	t.config = t.config[4:]
	if entry.kind == "mp4a" {
		t.object, t.config = readDescriptors(t.config)
	}
	return nil
}

// readDescriptors reads the MPEG-4 descriptors of an elementary stream: what kind of
// object it is, and the decoder's own set-up.
func readDescriptors(data []byte) (object int, config []byte) {
	f := fields{data: data}
	for !f.short && len(f.data) > 0 {
		tag := f.u8()
		size := 0
		for range 4 {
			b := f.u8()
			size = size<<7 | b&127
			if b < 128 {
				break
			}
		}
		switch tag {
		case 3: // the elementary stream; what it consists of follows
			f.take(2)
			flags := f.u8()
			if flags&0x80 != 0 {
				f.take(2)
			}
			if flags&0x40 != 0 {
				f.take(f.u8())
			}
			if flags&0x20 != 0 {
				f.take(2)
			}
		case 4: // the decoder's configuration; its own set-up follows
			object = f.u8()
			f.take(12)
		case 5:
			return object, f.take(min(size, len(f.data)))
		default:
			f.take(size)
		}
	}
	return object, nil
}
