// Package mediatest builds tags and containers for tests of their readers.
package mediatest

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// SizeBytes encodes a size as the given version of ID3v2 does.
func SizeBytes(version byte, n int) []byte {
	if version == 3 {
		return binary.BigEndian.AppendUint32(nil, uint32(n))
	}
	return []byte{byte(n >> 21 & 0x7f), byte(n >> 14 & 0x7f), byte(n >> 7 & 0x7f), byte(n & 0x7f)}
}

// ID3Tag builds an ID3v2 tag from its frames, with 40 bytes of padding.
func ID3Tag(version, flags byte, frames ...[]byte) []byte {
	body := append(bytes.Join(frames, nil), make([]byte, 40)...)
	if flags&0x80 != 0 && version < 4 {
		body = bytes.ReplaceAll(body, []byte{0xff}, []byte{0xff, 0})
	}
	tag := append([]byte{'I', 'D', '3', version, 0, flags}, SizeBytes(4, len(body))...)
	tag = append(tag, body...)
	if flags&0x10 != 0 {
		footer := bytes.Clone(tag[:10])
		copy(footer, "3DI")
		tag = append(tag, footer...)
	}
	return tag
}

// APETag builds an APE tag with a large picture before the gain.
func APETag() []byte {
	item := func(key string, value []byte) []byte {
		b := binary.LittleEndian.AppendUint32(nil, uint32(len(value)))
		b = append(append(append(b, 0, 0, 0, 0), key...), 0)
		return append(b, value...)
	}
	items := bytes.Join([][]byte{
		item("Cover Art (Front)", make([]byte, 70000)),
		item("replaygain_track_gain", []byte("-4.25 dB")),
		item("REPLAYGAIN_TRACK_PEAK", []byte("0.75")),
	}, nil)
	frame := func(flags uint32) []byte {
		b := append([]byte("APETAGEX"), 0xd0, 7, 0, 0)
		b = binary.LittleEndian.AppendUint32(b, uint32(len(items)+32))
		b = binary.LittleEndian.AppendUint32(b, 3)
		b = binary.LittleEndian.AppendUint32(b, flags)
		return append(b, make([]byte, 8)...)
	}
	return bytes.Join([][]byte{frame(0xa0000000), items, frame(0x80000000)}, nil)
}

// Box builds an MP4 box from the parts of its content.
func Box(kind string, parts ...[]byte) []byte {
	content := slices.Concat(parts...)
	return slices.Concat(Uint32s(len(content)+8), []byte(kind), content)
}

// Uint32s encodes numbers as in MP4.
func Uint32s(values ...int) []byte {
	var out []byte
	for _, v := range values {
		out = binary.BigEndian.AppendUint32(out, uint32(v))
	}
	return out
}
