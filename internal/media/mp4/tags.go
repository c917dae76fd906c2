package mp4

import (
	"errors"
	"strconv"
	"strings"

	"waxwing/internal/media/window"
)

const (
	maxItems = 4096    // tags
	maxParts = 64      // values of one tag
	maxValue = 8 << 10 // bytes of a text
	maxName  = 256
)

// Item is one value of an iTunes tag.
type Item struct {
	Kind  string // four-letter code, such as "©nam" in Mac Roman; "----" for tags with a name
	Name  string // of a tag of kind "----"
	Type  byte   // of the value: 1 UTF-8, 13 JPEG, 14 PNG, 27 BMP
	Off   int64  // of the value in the file
	Size  int64
	Value []byte // valid until the next item; nil for long values
}

// gapless is what the tag iTunSMPB says: the frames before the audio, and the number of its frames.
type gapless struct{ delay, frames int64 }

// readTags reads the tags in a "udta" or "meta" box. Damaged tags are treated as absent: the audio
// does not depend on them.
func (f *File) readTags(b box, item func(Item)) error {
	err := f.readList(b, 0, item)
	if errors.Is(err, window.ErrDamaged) {
		return nil
	}
	return err
}

func (f *File) readList(b box, depth int, item func(Item)) error {
	skip := int64(0)
	if b.kind == "meta" {
		// ISO has a version before the first box, QuickTime has none.
		h, err := b.header()
		if err != nil {
			return err
		}
		if len(h.data) < 8 || string(h.data[4:8]) != "hdlr" {
			skip = 4
		}
	}
	n := 0
	for inner, err := range b.boxes(skip) {
		if err != nil {
			return err
		}
		switch {
		case b.kind == "ilst":
			if n++; n > maxItems {
				return nil
			}
			err = f.readItem(inner, item)
		case inner.kind == "meta" && depth == 0, inner.kind == "ilst":
			err = f.readList(inner, depth+1, item)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readItem reads the values of one tag.
func (f *File) readItem(b box, visit func(Item)) error {
	name := ""
	n := 0
	for part, err := range b.boxes(0) {
		if n++; err != nil || n > maxParts {
			return err
		}
		item := Item{Kind: b.kind, Name: name, Off: part.start + 8, Size: part.end - part.start - 8}
		switch {
		case part.kind == "name" && item.Size > -4 && item.Size < maxName:
			h, err := part.header()
			if err != nil {
				return err
			}
			name = string(h.data[4:])
		case part.kind == "data" && item.Size >= 0 && (visit != nil || name != ""):
			h, err := b.w.At(part.start, 8)
			if err != nil {
				return err
			}
			item.Type = h[3]
			if item.Size <= maxValue && b.kind != "covr" {
				if item.Value, err = b.w.At(item.Off, int(item.Size)); err != nil {
					return err
				}
			}
			if strings.EqualFold(name, "iTunSMPB") {
				f.gapless = parseGapless(string(item.Value))
			}
			if visit != nil {
				visit(item)
			}
		}
	}
	return nil
}

// parseGapless parses iTunSMPB: hexadecimal numbers, of which the second is the delay, the third
// the padding and the fourth the number of frames between them.
func parseGapless(text string) gapless {
	numbers := strings.Fields(strings.Trim(text, "\x00"))
	if len(numbers) < 4 {
		return gapless{}
	}
	delay, err1 := strconv.ParseInt(numbers[1], 16, 32)
	frames, err2 := strconv.ParseInt(numbers[3], 16, 64)
	if err1 != nil || err2 != nil || delay < 0 || frames <= 0 {
		return gapless{}
	}
	return gapless{delay, frames}
}
