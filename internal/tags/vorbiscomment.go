package tags

import (
	"bytes"
	"encoding/binary"
	"strings"
	"waxwing/internal/media/text"
	"waxwing/internal/media/window"
)

const maxComments = 4096

// section is a run of bytes that can be read at any place of it: a piece of a file, or a packet spread over Ogg pages.
type section interface {
	// read returns n bytes from off on, valid until the next call.
	read(off int64, n int) ([]byte, error)
	length() int64
	// locate says how Picture.Read finds again what lies at off.
	locate(off int64) (int64, coding)
}

// fileSection is a section that lies in one piece.
type fileSection struct {
	w          *window.Reader
	start, end int64
}

func (s fileSection) length() int64 { return s.end - s.start }

func (s fileSection) locate(off int64) (int64, coding) { return s.start + off, codingBase64 }

func (s fileSection) read(off int64, n int) ([]byte, error) {
	if off < 0 || off > s.length()-int64(n) {
		return nil, window.Damaged("a block of tags is cut off")
	}
	return s.w.At(s.start+off, n)
}

// vorbisComments reads a list of NAME=value. Long values are passed over unread, pictures noted by their place.
func (p *parser) vorbisComments(s section) error {
	b, err := s.read(0, 4)
	if err != nil {
		return err
	}
	pos := 4 + int64(binary.LittleEndian.Uint32(b))
	if b, err = s.read(pos, 4); err != nil {
		return err
	}
	count := int64(binary.LittleEndian.Uint32(b))
	pos += 4
	for range min(count, maxComments) {
		if b, err = s.read(pos, 4); err != nil {
			return err
		}
		size := int64(binary.LittleEndian.Uint32(b))
		pos += 4
		if size > s.length()-pos {
			return window.Damaged("a comment reaches past the end of the tags")
		}
		b, err := s.read(pos, int(min(size, text.MaxBytes)))
		if err != nil {
			return err
		}
		name, value, ok := bytes.Cut(b, []byte{'='})
		switch {
		case !ok:
		case strings.EqualFold(string(name), "METADATA_BLOCK_PICTURE"):
			p.commentPicture(s, pos+int64(len(name))+1, size-int64(len(name))-1, value)
		default:
			p.fields.addNamed(string(name), string(value))
		}
		pos += size
	}
	return nil
}

// commentPicture notes a picture that is kept as base64 in a comment. head holds the first bytes of it.
func (p *parser) commentPicture(s section, off, size int64, head []byte) {
	block, err := decodeBase64Head(head)
	if err != nil {
		return
	}
	_, _, pic, ok := flacPicture(block, size)
	if !ok {
		return
	}
	pic.Len = size
	pic.Off, pic.coding = s.locate(off)
	p.offerPicture(pic)
}
