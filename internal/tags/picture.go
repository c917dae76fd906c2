package tags

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"waxwing/internal/media/id3"
	"waxwing/internal/media/text"
	"waxwing/internal/media/window"
)

// MaxPicture is the largest cover in bytes that is read from a file.
const MaxPicture = 24 << 20

// Picture is the location of a cover in a file.
type Picture struct {
	Off, Len int64  // in the file, unless the picture is encoded
	MIME     string // as declared in the file, possibly wrong
	kind     byte   // as in ID3: 3 is the front cover
	coding   coding
	outer    Range // the bytes to decode first; Off is relative to the result
}

// coding is the encoding of the bytes of a picture.
type coding uint8

const (
	codingRaw       coding = iota
	codingUnsync           // an unsynchronised ID3 frame
	codingUnsyncTag        // a frame in an unsynchronised ID3 tag
	codingOgg              // base64 of a FLAC picture block, Off and Len within the second packet of an Ogg stream
	codingBase64           // the same in one piece, in a Vorbis comment of a FLAC file
)

// IsZero reports whether there is no picture.
func (p Picture) IsZero() bool { return p.Len <= 0 }

// Raw reports whether the picture is not encoded, so that its bytes are Len bytes at Off.
func (p Picture) Raw() bool { return p.coding == codingRaw }

// Read returns the bytes of the picture from the file it was found in.
func (p Picture) Read(r io.ReaderAt, size int64) ([]byte, error) {
	if p.IsZero() {
		return nil, window.Damaged("there is no picture")
	}
	if p.Len > MaxPicture*4/3 || p.outer.Len > id3.MaxTag {
		return nil, fmt.Errorf("a picture of %d bytes is too large", p.Len)
	}
	if p.coding == codingOgg {
		return p.readOgg(r, size)
	}
	where := Range{p.Off, p.Len}
	if p.coding == codingUnsyncTag {
		where = p.outer
	}
	if where.Off < 0 || where.Off > size-where.Len {
		return nil, window.Damaged("the picture is truncated")
	}
	b := make([]byte, where.Len)
	if _, err := io.ReadFull(io.NewSectionReader(r, where.Off, where.Len), b); err != nil {
		return nil, fmt.Errorf("read picture: %w", err)
	}
	switch p.coding {
	case codingUnsync:
		b = id3.Synchronise(b)
	case codingUnsyncTag:
		b = id3.Synchronise(b)
		if p.Off < 0 || p.Off > int64(len(b))-p.Len {
			return nil, window.Damaged("the picture is truncated")
		}
		b = b[p.Off : p.Off+p.Len]
	case codingBase64:
		return base64Picture(string(b))
	}
	return b, nil
}

func base64Picture(s string) ([]byte, error) {
	b, err := base64.StdEncoding.WithPadding(base64.NoPadding).DecodeString(strings.TrimRight(s, "=\x00 \n"))
	if err != nil {
		return nil, window.Damaged("the picture is not base64")
	}
	start, n, _, ok := flacPicture(b, int64(len(b)))
	if !ok {
		return nil, window.Damaged("the picture block is truncated")
	}
	return b[start : start+n], nil
}

// flacPicture reads the head of a FLAC picture block of which b holds the first bytes and size is
// the whole length. It returns where in the block the image lies.
func flacPicture(b []byte, size int64) (start, n int64, pic Picture, ok bool) {
	if len(b) < 8 {
		return 0, 0, pic, false
	}
	pic.kind = byte(min(binary.BigEndian.Uint32(b), 255))
	mimeLen := int64(binary.BigEndian.Uint32(b[4:]))
	if mimeLen > 128 || int64(len(b)) < 8+mimeLen+4 {
		return 0, 0, pic, false
	}
	pic.MIME = string(b[8 : 8+mimeLen])
	at := 8 + mimeLen
	at += 4 + int64(binary.BigEndian.Uint32(b[at:])) + 16
	if int64(len(b)) < at+4 {
		return 0, 0, pic, false
	}
	n = int64(binary.BigEndian.Uint32(b[at:]))
	start = at + 4
	return start, n, pic, n > 0 && n <= size-start
}

// offerPicture stores pic if it is the first picture, or the first front cover.
func (p *parser) offerPicture(pic Picture) {
	if p.pictureTaken || pic.Len <= 0 || pic.Len > MaxPicture*4/3 || pic.MIME == "-->" {
		return
	}
	pic.MIME = text.Clean(pic.MIME)
	if pic.coding == codingOgg || pic.coding == codingUnsyncTag {
		pic.outer.Off += p.base
	} else {
		pic.Off += p.base
	}
	if p.tags.Picture.IsZero() || (pic.kind == 3 && p.tags.Picture.kind != 3) {
		p.tags.Picture = pic
	}
}
