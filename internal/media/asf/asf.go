// Package asf reads the header of ASF files, the container of Windows Media Audio.
package asf

import (
	"encoding/binary"
	"errors"
	"strconv"
	"time"

	"waxwing/internal/media/text"
	"waxwing/internal/media/window"
)

const (
	maxObjects    = 4096
	maxAttributes = 4096
	maxName       = 512
)

// Object identifiers as they stand in the file.
const (
	fileGUID     = "\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65"
	streamGUID   = "\x91\x07\xdc\xb7\xb7\xa9\xcf\x11\x8e\xe6\x00\xc0\x0c\x20\x53\x65"
	contentGUID  = "\x33\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"
	extendedGUID = "\x40\xa4\xd0\xd2\x07\xe3\xd2\x11\x97\xf0\x00\xa0\xc9\x5e\xa8\x50"
	headerGUID   = "\xb5\x03\xbf\x5f\x2e\xa9\xcf\x11\x8e\xe3\x00\xc0\x0c\x20\x53\x65" // header extension
	libraryGUID  = "\x94\x1c\x23\x44\x98\x94\xd1\x49\xa1\x41\x1d\x13\x4e\x45\x70\x54"
	audioGUID    = "\x40\x9e\x69\xf8\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b"
)

// Header describes the audio of a file.
type Header struct {
	Size       int64 // of the header; the audio follows
	Duration   time.Duration
	SampleRate int // 0 if there is no audio stream
	Channels   int
	Bitrate    int // kbit/s
}

// Attribute is a named value. The title and author of the content description have the names
// "Title" and "Author".
type Attribute struct {
	Name      string
	Off, Size int64
	w         *window.Reader
	kind      uint16
}

// reader carries the state of one Read.
type reader struct {
	*window.Reader
	header Header
	visit  func(Attribute) error
}

// Read reads the header and calls visit for every attribute.
func Read(w *window.Reader, visit func(Attribute) error) (Header, error) {
	b, err := w.At(0, 30)
	if err != nil {
		return Header{}, err
	}
	r := reader{Reader: w, visit: visit}
	r.header.Size = int64(min(binary.LittleEndian.Uint64(b[16:]), 1<<62))
	if r.header.Size < 30 || r.header.Size > w.Size() {
		return Header{}, window.Damaged("the ASF header reaches past the end of the file")
	}
	err = r.objects(30, r.header.Size, 0)
	if errors.Is(err, window.ErrDamaged) && r.header.SampleRate > 0 {
		err = nil // the damage is behind the description of the audio
	}
	return r.header, err
}

func (r *reader) objects(pos, end int64, depth int) error {
	for range maxObjects {
		if pos+24 > end {
			return nil
		}
		b, err := r.At(pos, 24)
		if err != nil {
			return err
		}
		id, size := string(b[:16]), int64(min(binary.LittleEndian.Uint64(b[16:]), 1<<62))
		if size < 24 || size > end-pos {
			return window.Damaged("an ASF object has an impossible size")
		}
		if err := r.object(id, pos+24, pos+size, depth); err != nil {
			return err
		}
		pos += size
	}
	return nil
}

func (r *reader) object(id string, pos, end int64, depth int) error {
	switch id {
	case fileGUID, streamGUID:
		b, err := r.Peek(pos, int(min(end-pos, 128)))
		if err != nil {
			return err
		}
		r.properties(id, b)
	case contentGUID:
		return r.content(pos, end)
	case extendedGUID:
		return r.attributes(pos, end, false)
	case libraryGUID:
		return r.attributes(pos, end, true)
	case headerGUID:
		if depth == 0 {
			return r.objects(pos+22, end, 1)
		}
	}
	return nil
}

func (r *reader) properties(id string, b []byte) {
	h := &r.header
	if id == fileGUID && len(b) >= 64 {
		length := min(binary.LittleEndian.Uint64(b[40:]), 1<<55) // 100 ns
		preroll := min(binary.LittleEndian.Uint64(b[56:]), 1<<40)
		h.Duration = max(time.Duration(length)*100-time.Duration(preroll)*time.Millisecond, 0)
	}
	if id == streamGUID && len(b) >= 54+12 && string(b[:16]) == audioGUID {
		h.Channels = int(binary.LittleEndian.Uint16(b[56:]))
		h.SampleRate = int(min(binary.LittleEndian.Uint32(b[58:]), 1<<20))
		h.Bitrate = int(binary.LittleEndian.Uint32(b[62:]) / 125)
	}
}

// content reads the title and author, which stand at fixed places.
func (r *reader) content(pos, end int64) error {
	b, err := r.Peek(pos, 10)
	if err != nil || len(b) < 10 {
		return err
	}
	title, author := int64(binary.LittleEndian.Uint16(b)), int64(binary.LittleEndian.Uint16(b[2:]))
	if pos+10+title+author > end {
		return nil
	}
	if err := r.visit(Attribute{Name: "Title", Off: pos + 10, Size: title, w: r.Reader}); err != nil {
		return err
	}
	return r.visit(Attribute{Name: "Author", Off: pos + 10 + title, Size: author, w: r.Reader})
}

// attributes reads a list of named values; that of the metadata library has wider fields.
func (r *reader) attributes(pos, end int64, library bool) error {
	b, err := r.At(pos, 2)
	if err != nil {
		return err
	}
	count := int(binary.LittleEndian.Uint16(b))
	pos += 2
	for range min(count, maxAttributes) {
		if b, err = r.Peek(pos, 12+maxName); err != nil || len(b) < 12 || pos >= end {
			return err
		}
		a := Attribute{w: r.Reader}
		if library {
			nameLen := int(binary.LittleEndian.Uint16(b[4:]))
			if 12+nameLen > len(b) {
				return nil
			}
			a.kind, a.Size = binary.LittleEndian.Uint16(b[6:]), int64(binary.LittleEndian.Uint32(b[8:]))
			a.Name, a.Off = decode(b[12:12+nameLen]), pos+12+int64(nameLen)
		} else {
			nameLen := int(binary.LittleEndian.Uint16(b))
			if 2+nameLen+4 > len(b) {
				return nil
			}
			a.Name = decode(b[2 : 2+nameLen])
			b = b[2+nameLen:]
			a.kind, a.Size = binary.LittleEndian.Uint16(b), int64(binary.LittleEndian.Uint16(b[2:]))
			a.Off = pos + 6 + int64(nameLen)
		}
		if a.Size > end-a.Off {
			return nil
		}
		if err := r.visit(a); err != nil {
			return err
		}
		pos = a.Off + a.Size
	}
	return nil
}

// Text returns the value as text; numbers are written in decimal.
func (a Attribute) Text() (string, error) {
	b, err := a.w.At(a.Off, int(min(a.Size, window.MaxRead)))
	switch {
	case err != nil:
		return "", err
	case a.kind == 0:
		return decode(b), nil
	case len(b) >= 4:
		return strconv.FormatUint(uint64(binary.LittleEndian.Uint32(b)), 10), nil
	case len(b) >= 2:
		return strconv.Itoa(int(binary.LittleEndian.Uint16(b))), nil
	}
	return "", nil
}

// Picture is an image in a WM/Picture attribute.
type Picture struct {
	Kind     byte // as in ID3: 3 is the front cover
	MIME     string
	Off, Len int64
}

// Picture parses a WM/Picture attribute and reports whether it contains an image.
func (a Attribute) Picture() (Picture, bool, error) {
	b, err := a.w.Peek(a.Off, int(min(a.Size, 1024)))
	if err != nil || len(b) < 9 {
		return Picture{}, false, err
	}
	mime := text.Terminated(true, b[5:])
	if mime < 0 {
		return Picture{}, false, nil
	}
	description := text.Terminated(true, b[5+mime:])
	if description < 0 {
		return Picture{}, false, nil
	}
	start := int64(5 + mime + description)
	return Picture{Kind: b[0], MIME: decode(b[5 : 5+mime]), Off: a.Off + start, Len: a.Size - start}, true, nil
}

// decode decodes UTF-16 text and removes its terminator.
func decode(b []byte) string {
	for len(b) >= 2 && b[len(b)-1] == 0 && b[len(b)-2] == 0 {
		b = b[:len(b)-2]
	}
	bigEndian := false
	return text.UTF16(b, &bigEndian)
}
