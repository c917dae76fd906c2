package mp3

import (
	"bytes"
	"encoding/binary"

	"waxwing/internal/audio"
)

const (
	// maxItems bounds the walk through an APE tag.
	maxItems = 256
	// maxItem is the longest item with its key that is looked at.
	maxItem = 256
)

// readAPE returns the loudness in the APE tag at the end of the file, where mp3gain and others put
// it, before an ID3v1 tag if there is one.
func readAPE(in *pager) (l audio.Loudness, err error) {
	for _, after := range []int64{0, id3v1Size} {
		footer := in.size - after - apeFrameSize
		b, err := in.at(footer, apeFrameSize)
		if err != nil {
			return l, err
		}
		if len(b) < apeFrameSize || string(b[:8]) != "APETAGEX" {
			continue
		}
		// The size counts the items and this footer.
		at := footer + apeFrameSize - int64(binary.LittleEndian.Uint32(b[12:]))
		items := min(binary.LittleEndian.Uint32(b[16:]), maxItems)
		for range items {
			if at < 0 || at >= footer {
				break
			}
			b, err := in.at(at, maxItem)
			if err != nil {
				return l, err
			}
			size, ok := apeItem(b, &l)
			if !ok {
				break
			}
			at += size
		}
		return l, nil
	}
	return l, nil
}

// apeItem reads an item (length, flags, key, zero, value) and returns how long it is.
func apeItem(b []byte, l *audio.Loudness) (int64, bool) {
	if len(b) < 8 {
		return 0, false
	}
	length := int64(binary.LittleEndian.Uint32(b))
	zero := bytes.IndexByte(b[8:], 0)
	if zero < 0 {
		return 0, false
	}
	begin := int64(8 + zero + 1)
	if begin+length <= int64(len(b)) {
		setLoudness(l, string(b[8:8+zero]), string(b[begin:begin+length]))
	}
	return begin + length, true
}
