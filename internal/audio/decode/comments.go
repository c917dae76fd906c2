package decode

import (
	"encoding/binary"
	"strings"
)

// vorbisComments indexes a Vorbis comment block (vendor, count, NAME=value …; no
// framing bit) and returns a lookup by upper-case name; the first value of
// a name wins. A block that lies about its lengths gives what came before the lie.
func vorbisComments(block []byte) func(name string) string {
	field := func() ([]byte, bool) {
		if len(block) < 4 {
			return nil, false
		}
		n := uint64(binary.LittleEndian.Uint32(block))
		if n > uint64(len(block)-4) {
			return nil, false
		}
		f := block[4 : 4+n]
		block = block[4+n:]
		return f, true
	}
	values := map[string]string{}
	get := func(name string) string { return values[name] }
	if _, ok := field(); !ok || len(block) < 4 {
		return get
	}
	count := binary.LittleEndian.Uint32(block)
	block = block[4:]
	for range count {
		f, ok := field()
		if !ok {
			break
		}
		if len(f) > maxComment {
			continue // an embedded picture; nothing here needs it
		}
		name, value, ok := strings.Cut(string(f), "=")
		name = strings.ToUpper(name)
		if _, known := values[name]; ok && !known {
			values[name] = value
		}
	}
	return get
}

// maxComment is the longest comment worth keeping: those that are read hold a number.
const maxComment = 1 << 10
