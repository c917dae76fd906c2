package mp3

import (
	"encoding/binary"
	"unicode/utf16"

	"waxwing/internal/audio"
)

// maxText is the longest user text frame that is looked at; a gain takes some fifty bytes.
const maxText = 1024

// readID3 reads the tags at the start of the file and returns where they end and what they say
// of the loudness.
func readID3(in *pager) (end int64, l audio.Loudness, err error) {
	for {
		head, err := in.at(end, id3v2HeaderSize)
		if err != nil || !isID3v2(head) {
			return end, l, err
		}
		size := id3v2Size(head)
		r := id3Reader{in: in, version: head[3], at: end + id3v2HeaderSize, unsync: head[5]&0x80 != 0}
		r.end = min(r.at+int64(synchsafe(head[6:])), in.size)
		if err := r.loudness(head[5], &l); err != nil {
			return 0, l, err
		}
		end += size
	}
}

// id3Reader reads one ID3v2 tag, without what it does not need: pictures are stepped over unread.
type id3Reader struct {
	in      *pager
	version byte // 2, 3 or 4
	at, end int64
	// unsync says that the whole tag is written without FF Ex, and must be read byte by byte.
	unsync  bool
	afterFF bool // the byte before was FF, so that a zero here is none
}

// loudness collects the gains of the tag's user text frames.
func (r *id3Reader) loudness(flags byte, l *audio.Loudness) error {
	if r.version < 2 || r.version > 4 {
		return nil
	}
	// From version 4 on each frame is unsynchronised by itself and tells its stored size.
	r.unsync = r.unsync && r.version < 4
	if flags&0x40 != 0 {
		if r.version == 2 {
			return nil // the bit means a compression that was never defined
		}
		if err := r.skipExtendedHeader(); err != nil {
			return err
		}
	}
	for r.at < r.end {
		id, size, format, err := r.frameHeader()
		if err != nil || id == "" {
			return err
		}
		if (id != "TXXX" && id != "TXX") || size > maxText {
			if err := r.skip(int64(size)); err != nil {
				return err
			}
			continue
		}
		body, err := r.read(size)
		if err != nil {
			return err
		}
		if key, value, ok := userText(r.strip(body, format)); ok {
			setLoudness(l, key, value)
		}
	}
	return nil
}

func (r *id3Reader) skipExtendedHeader() error {
	b, err := r.read(4)
	if err != nil || len(b) < 4 {
		r.at = r.end
		return err
	}
	if r.version == 4 {
		return r.skip(int64(synchsafe(b)) - 4)
	}
	return r.skip(int64(binary.BigEndian.Uint32(b)))
}

// frameHeader reads the next frame's; id is "" where the frames end.
func (r *id3Reader) frameHeader() (id string, size int, format byte, err error) {
	idLength, length := 4, 10
	if r.version == 2 {
		idLength, length = 3, 6
	}
	b, err := r.read(length)
	if err != nil || len(b) < length || !isFrameID(b[:idLength]) {
		return "", 0, 0, err
	}
	id = string(b[:idLength])
	switch r.version {
	case 2:
		return id, int(b[3])<<16 | int(b[4])<<8 | int(b[5]), 0, nil
	case 3:
		return id, int(binary.BigEndian.Uint32(b[4:])), b[9], nil
	}
	size, plain, format := synchsafe(b[4:]), int(binary.BigEndian.Uint32(b[4:])), b[9]
	if size != plain {
		// Some writers forgot that sizes are synchsafe in version 4; the frame that follows shows it.
		if follows, err := r.frameFollows(size); err != nil || follows {
			return id, size, format, err
		}
		if follows, err := r.frameFollows(plain); err != nil || follows {
			return id, plain, format, err
		}
	}
	return id, size, format, nil
}

// frameFollows reports whether another frame, padding or the end comes after size bytes.
func (r *id3Reader) frameFollows(size int) (bool, error) {
	at := r.at + int64(size)
	if at >= r.end {
		return at == r.end, nil
	}
	b, err := r.in.at(at, 4)
	return len(b) == 4 && (b[0] == 0 || isFrameID(b)), err
}

func isFrameID(b []byte) bool {
	for _, c := range b {
		if (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// strip undoes what the frame's format flags say was done to its body; nil if that is beyond us.
func (r *id3Reader) strip(body []byte, format byte) []byte {
	switch {
	case r.version == 3 && format&0xc0 != 0, r.version == 4 && format&0x0c != 0:
		return nil // compressed or encrypted
	case r.version == 3 && format&0x20 != 0, r.version == 4 && format&0x40 != 0:
		body = body[min(1, len(body)):] // the group it belongs to
	}
	if r.version == 4 && format&0x01 != 0 {
		body = body[min(4, len(body)):] // its length before unsynchronisation
	}
	if r.version == 4 && format&0x02 != 0 {
		body = resynchronise(body)
	}
	return body
}

// resynchronise removes the zero that was put after every FF.
func resynchronise(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i, c := range b {
		if c != 0 || i == 0 || b[i-1] != 0xff {
			out = append(out, c)
		}
	}
	return out
}

// read returns the next n bytes of the tag (at most a page), fewer at its end. They stay valid until the next call.
func (r *id3Reader) read(n int) ([]byte, error) {
	if !r.unsync {
		b, err := r.in.at(r.at, int(min(int64(n), max(r.end-r.at, 0))))
		r.at += int64(n)
		return b, err
	}
	out := make([]byte, 0, n)
	err := r.resynchronised(int64(n), func(c byte) { out = append(out, c) })
	return out, err
}

func (r *id3Reader) skip(n int64) error {
	if !r.unsync {
		r.at += max(n, 0)
		return nil
	}
	return r.resynchronised(n, func(byte) {})
}

// resynchronised passes the next n bytes of an unsynchronised tag to each, without the zeros put after FF.
func (r *id3Reader) resynchronised(n int64, each func(byte)) error {
	for n > 0 && r.at < r.end {
		b, err := r.in.at(r.at, int(min(pageSize/2, r.end-r.at)))
		if err != nil {
			return err
		}
		if len(b) == 0 {
			r.at = r.end
		}
		for _, c := range b {
			if n == 0 {
				break
			}
			r.at++
			if !r.afterFF || c != 0 {
				each(c)
				n--
			}
			r.afterFF = c == 0xff
		}
	}
	return nil
}

// userText splits the body of a user text frame: the encoding, a description, zero, the value.
func userText(b []byte) (key, value string, ok bool) {
	if len(b) < 2 {
		return "", "", false
	}
	encoding, b := b[0], b[1:]
	if encoding == 0 || encoding == 3 {
		// Keys and numbers are ASCII, where Latin-1 and UTF-8 agree.
		for i, c := range b {
			if c == 0 {
				return string(b[:i]), untilZero(string(b[i+1:])), true
			}
		}
		return "", "", false
	}
	for i := 0; i+1 < len(b); i += 2 {
		if b[i] == 0 && b[i+1] == 0 {
			return fromUTF16(b[:i]), untilZero(fromUTF16(b[i+2:])), true
		}
	}
	return "", "", false
}

// fromUTF16 decodes text that begins with a byte order mark, or is big-endian.
func fromUTF16(b []byte) string {
	var order binary.ByteOrder = binary.BigEndian
	if len(b) >= 2 && (b[0] == 0xff && b[1] == 0xfe || b[0] == 0xfe && b[1] == 0xff) {
		if b[0] == 0xff {
			order = binary.LittleEndian
		}
		b = b[2:]
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

func untilZero(s string) string {
	for i := range len(s) {
		if s[i] == 0 {
			return s[:i]
		}
	}
	return s
}
