package ogg

import (
	"errors"
	"io"
	"sort"
)

// maxParts bounds the pages of a Content: 16 bytes of memory each; a page holds a tenth of a
// second.
const maxParts = 1 << 20

// Content is what the pages of a stream contain, as one file. For FLAC that is an ordinary FLAC
// file, whose frames have checksums of their own.
type Content struct {
	r     io.ReaderAt
	parts []part
	size  int64
}

// part is the content of one page: its offset in the file, and in the content as a whole.
type part struct{ offset, start int64 }

// Content lists the pages of a FLAC stream, without the mapping header in the first.
func (s *Stream) Content(r *Reader) (*Content, error) {
	c := &Content{r: r.w}
	for at := s.begin; len(c.parts) < maxParts; {
		p, err := r.next(at, s.End, r.headerAt)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		at = p.end()
		if p.serial != s.Serial {
			continue
		}
		if len(c.parts) == 0 {
			p.body = min(p.body+flacPrefix, p.end())
		}
		c.parts = append(c.parts, part{p.body, c.size})
		c.size += max(min(p.end(), r.w.Size())-p.body, 0)
	}
	return c, nil
}

// Size returns the length of the content.
func (c *Content) Size() int64 { return c.size }

// ReadAt implements io.ReaderAt.
func (c *Content) ReadAt(b []byte, at int64) (int, error) {
	if at < 0 || at >= c.size {
		return 0, io.EOF
	}
	n := 0
	i := sort.Search(len(c.parts), func(i int) bool { return c.parts[i].start > at }) - 1
	for ; i < len(c.parts) && n < len(b); i++ {
		end := c.size
		if i+1 < len(c.parts) {
			end = c.parts[i+1].start
		}
		from := at + int64(n)
		dst := b[n:min(int64(len(b)), int64(n)+end-from)]
		got, err := c.r.ReadAt(dst, c.parts[i].offset+from-c.parts[i].start)
		n += got
		if got < len(dst) {
			return n, err
		}
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}
