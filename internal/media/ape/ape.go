// Package ape reads APEv2 tags, which stand at the end of a file.
package ape

import (
	"bytes"
	"encoding/binary"

	"waxwing/internal/media/window"
)

const (
	// FooterSize is the length of a footer and of the optional header.
	FooterSize = 32
	maxItems   = 512
	maxKey     = 256
)

// Tag is the location of a tag.
type Tag struct {
	Start int64 // of the header, or of the items if there is no header
	items int64
	end   int64 // of the items
	count int
}

// Item is one entry of a tag.
type Item struct {
	Key       string
	Binary    bool // not text
	Off, Size int64
}

// Find returns the tag that ends at end and whether there is one.
func Find(w *window.Reader, end int64) (Tag, bool, error) {
	b, err := w.Peek(end-FooterSize, FooterSize)
	if err != nil || len(b) < FooterSize || string(b[:8]) != "APETAGEX" {
		return Tag{}, false, err
	}
	size, flags := int64(binary.LittleEndian.Uint32(b[12:])), binary.LittleEndian.Uint32(b[20:])
	t := Tag{
		Start: end - size,
		items: end - size,
		end:   end - FooterSize,
		count: int(min(binary.LittleEndian.Uint32(b[16:]), maxItems)),
	}
	if size < FooterSize || t.Start < 0 {
		return Tag{}, false, nil
	}
	if hasHeader := flags&(1<<31) != 0; hasHeader && t.Start >= FooterSize {
		t.Start -= FooterSize
	}
	return t, true, nil
}

// HeaderTagSize returns the length of the tag whose header begins b; 0 if b does not begin with
// one.
func HeaderTagSize(b []byte) int64 {
	if len(b) < FooterSize || string(b[:8]) != "APETAGEX" {
		return 0
	}
	// The size counts the items and the footer, not the header.
	return FooterSize + int64(binary.LittleEndian.Uint32(b[12:]))
}

// Each calls visit for every item until the tag ends or is damaged.
func (t Tag) Each(w *window.Reader, visit func(Item) error) error {
	pos := t.items
	for range t.count {
		b, err := w.Peek(pos, 8+maxKey)
		if err != nil || len(b) < 11 || pos >= t.end {
			return err
		}
		nul := bytes.IndexByte(b[8:], 0)
		if nul < 0 {
			return nil
		}
		kind := binary.LittleEndian.Uint32(b[4:]) >> 1 & 3 // 0 text, 1 binary, 2 a link
		item := Item{
			Key:    string(b[8 : 8+nul]),
			Binary: kind == 1,
			Off:    pos + 8 + int64(nul) + 1,
			Size:   int64(binary.LittleEndian.Uint32(b)),
		}
		if item.Size > t.end-item.Off {
			return nil
		}
		if kind <= 1 {
			if err := visit(item); err != nil {
				return err
			}
		}
		pos = item.Off + item.Size
	}
	return nil
}
