package decode

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"sort"

	"waxwing/internal/audio"
)

const (
	maxOggFLACPages = 1 << 20 // 24 bytes of memory each; a page holds a tenth of a second
	maxOggFLACGap   = 1 << 20 // bytes searched for the next page behind damage

	oggFLACPrefix = 9 // "\x7FFLAC", version and number of headers, before the stream proper
)

// unpaged is what the pages of an Ogg stream contain, as one file. For FLAC in
// Ogg that is an ordinary FLAC file, whose frames have checksums of their own.
type unpaged struct {
	in    audio.Input
	parts []pagePart
	size  int64
}

// pagePart is the content of one page: where it stands in the file, and in the content as a whole.
type pagePart struct {
	offset, start int64
}

func openOggFLAC(in audio.Input) (audio.Source, error) {
	u, err := unpage(in, oggFLACPrefix)
	if err != nil {
		return nil, fmt.Errorf("open FLAC in Ogg: %w", err)
	}
	return openFLAC(u)
}

// unpage lists the pages of the first stream in an Ogg file. It drops the first bytes of the first page.
func unpage(in audio.Input, drop int64) (*unpaged, error) {
	u := &unpaged{in: in}
	var serial uint32
	for at := int64(0); at < in.Size() && len(u.parts) < maxOggFLACPages; {
		head := make([]byte, min(oggHeaderSize+255, in.Size()-at))
		if err := readFull(in, head, at); err != nil {
			return nil, err
		}
		if len(head) < oggHeaderSize || !bytes.HasPrefix(head, []byte("OggS\x00")) || len(head) < oggHeaderSize+int(head[26]) {
			next, err := nextPage(in, at+1)
			if err != nil {
				return nil, err
			}
			at = next
			continue
		}
		body := at + oggHeaderSize + int64(head[26])
		size := int64(0)
		for _, n := range head[oggHeaderSize : oggHeaderSize+int(head[26])] {
			size += int64(n)
		}
		at = body + size
		if s := binary.LittleEndian.Uint32(head[14:]); len(u.parts) == 0 {
			serial = s
			body += min(drop, size)
			size -= min(drop, size)
		} else if s != serial {
			continue
		}
		size = max(min(size, in.Size()-body), 0)
		u.parts = append(u.parts, pagePart{body, u.size})
		u.size += size
	}
	return u, nil
}

// nextPage looks for the start of a page from offset at on; the end of the file when there is none near.
func nextPage(in audio.Input, at int64) (int64, error) {
	window := make([]byte, max(min(maxOggFLACGap, in.Size()-at), 0))
	if err := readFull(in, window, at); err != nil {
		return 0, err
	}
	if i := bytes.Index(window, []byte("OggS\x00")); i >= 0 {
		return at + int64(i), nil
	}
	return in.Size(), nil
}

func (u *unpaged) Size() int64 { return u.size }

func (u *unpaged) ReadAt(b []byte, at int64) (int, error) {
	if at < 0 || at >= u.size {
		return 0, io.EOF
	}
	n := 0
	i := sort.Search(len(u.parts), func(i int) bool { return u.parts[i].start > at }) - 1
	for ; i < len(u.parts) && n < len(b); i++ {
		end := u.size
		if i+1 < len(u.parts) {
			end = u.parts[i+1].start
		}
		from := at + int64(n)
		part := b[n:min(int64(len(b)), int64(n)+end-from)]
		if err := readFull(u.in, part, u.parts[i].offset+from-u.parts[i].start); err != nil {
			return n, err
		}
		n += len(part)
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}
