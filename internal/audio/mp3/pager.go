package mp3

import (
	"errors"
	"fmt"
	"io"

	"waxwing/internal/audio"
)

// pageSize is how much one ReadAt asks for: enough to walk a large file quickly, little enough
// to start soon while the file is still on its way.
const pageSize = 32 << 10

// pager reads an input in pages, so that looking at four bytes here and there stays cheap.
type pager struct {
	in    audio.Input
	size  int64
	buf   []byte // capacity pageSize
	start int64  // where in the file buf begins
}

func newPager(in audio.Input) *pager {
	return &pager{in: in, size: in.Size(), buf: make([]byte, 0, pageSize)}
}

// at returns n bytes (at most pageSize/2) from offset on, fewer only at the end of the file. They stay
// valid until the next call.
func (p *pager) at(offset int64, n int) ([]byte, error) {
	if offset < 0 || offset >= p.size {
		return nil, nil
	}
	n = int(min(int64(n), p.size-offset))
	if skip := offset - p.start; skip >= 0 && skip+int64(n) <= int64(len(p.buf)) {
		return p.buf[skip : skip+int64(n)], nil
	}
	want := int(min(pageSize, p.size-offset))
	got, err := p.in.ReadAt(p.buf[:want], offset)
	p.buf, p.start = p.buf[:got], offset
	if err != nil && !errors.Is(err, io.EOF) && got < n {
		return nil, fmt.Errorf("read MP3 at byte %d: %w", offset, err)
	}
	return p.buf[:min(n, got)], nil
}
