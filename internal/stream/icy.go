package stream

import (
	"bytes"
	"io"

	"waxwing/internal/media/text"
)

// maxMetaInterval is the longest distance between two titles in a stream, in bytes.
const maxMetaInterval = 1 << 20

// icyReader removes the titles that an ICY server inserts into the audio: after every interval
// bytes, a byte with a sixteenth of the length of a block, and the block.
type icyReader struct {
	r        io.Reader
	interval int
	left     int // bytes up to the next block
	title    func(string)
}

func (i *icyReader) Read(p []byte) (int, error) {
	if i.left == 0 {
		var size [1]byte
		if _, err := io.ReadFull(i.r, size[:]); err != nil {
			return 0, err
		}
		block := make([]byte, 16*int(size[0]))
		if _, err := io.ReadFull(i.r, block); err != nil {
			return 0, err
		}
		if title, ok := streamTitle(block); ok {
			i.title(title)
		}
		i.left = i.interval
	}
	n, err := i.r.Read(p[:min(len(p), i.left)])
	i.left -= n
	return n, err
}

// streamTitle returns the title in a block such as StreamTitle='It's late';StreamUrl=”;
func streamTitle(block []byte) (string, bool) {
	_, rest, ok := bytes.Cut(bytes.TrimRight(block, "\x00"), []byte("StreamTitle='"))
	if !ok {
		return "", false
	}
	if title, _, ok := bytes.Cut(rest, []byte("';")); ok {
		rest = title
	} else {
		rest = bytes.TrimSuffix(rest, []byte("'"))
	}
	return clean(string(rest)), true
}

// clean makes text of a server one line of limited length.
func clean(s string) string { return text.Clean(text.Decode([]byte(s))) }
