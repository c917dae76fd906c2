package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"

	"waxwing/internal/library"
)

// The sizes of the parts of an object that are requested. Tags are at both ends of a file; a
// request costs more than some bytes too many.
const (
	wholeSize  = 512 << 10 // objects up to this size are read with one request
	headSize   = 128 << 10 // unless the tags of the object before it in the folder were longer
	maxHead    = 512 << 10
	tailSize   = 96 << 10 // the last pages of an Ogg stream can have 64 KiB
	tailLead   = 56 << 10 // of the audio before tags at the end: parts of it identify a recording
	maxTail    = 1 << 20  // of tags at the end
	blockSize  = 64 << 10
	maxGap     = 128 << 10 // that is requested rather than left out: the rest of a cover
	maxAhead   = 1 << 20   // of one request while an object is read in order
	maxBlocks  = 3
	fetchLimit = time.Minute // for one request with its body
)

// object is a file whose parts are requested when they are read. Parts are kept, so that readers
// may go back and forth. It is used by one goroutine at a time.
type object struct {
	bucket  *Bucket
	ctx     context.Context
	key     string
	version library.Version
	pos     int64
	hint    *atomic.Int64 // size of the head, of the objects in one folder; nil if unknown
	blocks  []block       // the head first
	end     int64         // of the last part that was requested
	ahead   int64         // size of the next one, if it follows
}

// block is a part of the object.
type block struct {
	off int64
	buf []byte
}

func (b block) end() int64 { return b.off + int64(len(b.buf)) }

// Stat implements library.File.
func (o *object) Stat() (fs.FileInfo, error) { return o, nil }

// Name, Size and the rest implement fs.FileInfo.
func (o *object) Name() string       { return path.Base(o.key) }
func (o *object) Size() int64        { return o.version.Size }
func (o *object) Mode() fs.FileMode  { return 0o444 }
func (o *object) ModTime() time.Time { return o.version.ModTime }
func (o *object) IsDir() bool        { return false }
func (o *object) Sys() any           { return nil }

// Close implements library.File.
func (o *object) Close() error {
	o.blocks = nil
	return nil
}

// Read implements library.File.
func (o *object) Read(p []byte) (int, error) {
	n, err := o.ReadAt(p, o.pos)
	o.pos += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// Seek implements library.File.
func (o *object) Seek(offset int64, from int) (int64, error) {
	pos, err := seek(o.pos, o.version.Size, offset, from)
	if err == nil {
		o.pos = pos
	}
	return pos, err
}

func seek(pos, size, offset int64, from int) (int64, error) {
	switch from {
	case io.SeekCurrent:
		offset += pos
	case io.SeekEnd:
		offset += size
	}
	if offset < 0 {
		return pos, fmt.Errorf("seek to %d: %w", offset, fs.ErrInvalid)
	}
	return offset, nil
}

// Buffered returns the bytes from off that can be read without a request.
func (o *object) Buffered(off int64) []byte {
	for _, b := range o.blocks {
		if off >= b.off && off < b.end() {
			return b.buf[off-b.off:]
		}
	}
	return nil
}

// ReadAt implements library.File.
func (o *object) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, fmt.Errorf("read at %d: %w", off, fs.ErrInvalid)
	}
	for n < len(p) && off < o.version.Size {
		if got := o.Buffered(off); got != nil {
			copied := copy(p[n:], got)
			n, off = n+copied, off+int64(copied)
			continue
		}
		if err := o.fetch(off, int64(len(p)-n)); err != nil {
			return n, err
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// fetch requests the part with the byte at off, and what is probably read next: everything of a
// small object, the head, the rest of the tags after it, or the tail.
func (o *object) fetch(off, n int64) error {
	size := o.version.Size
	if size <= wholeSize {
		return o.request(0, size)
	}
	if off >= o.end && off-o.end <= blockSize && o.end > 0 { // frames reach over the end of a part
		o.ahead = min(4*o.ahead, maxAhead)
	} else {
		o.ahead = blockSize
	}
	if len(o.blocks) == 0 && off < headSize {
		return o.request(0, min(max(o.headSize(), off+n), size))
	}
	head := o.head()
	switch {
	case size-off <= tailSize || len(o.blocks) == 1 && size-off <= maxTail:
		o.learn(off)
		return o.request(max(min(off-tailLead, size-tailSize), head), size)
	case head > 0:
		o.learn(off)
	}
	from := off
	if head > 0 && off-head <= maxGap {
		from = head
	}
	return o.request(from, min(off+max(n, o.ahead), size))
}

// head returns the end of the head, 0 if there is none.
func (o *object) head() int64 {
	if len(o.blocks) > 0 && o.blocks[0].off == 0 {
		return o.blocks[0].end()
	}
	return 0
}

// headSize returns how much of the beginning is requested first.
func (o *object) headSize() int64 {
	if o.hint == nil {
		return headSize
	}
	return max(o.hint.Load(), headSize)
}

// learn notes that the tags of this object reach to off. The songs of an album mostly have the same
// cover in them, so that for the next one, one request suffices.
func (o *object) learn(off int64) {
	if size := off + blockSize; o.hint != nil && off < maxHead && size > o.hint.Load() {
		o.hint.Store(size)
	}
}

// request gets the bytes from off to end and adds them to the blocks.
func (o *object) request(off, end int64) error {
	ctx, cancel := context.WithTimeout(o.ctx, fetchLimit)
	defer cancel()
	o.end = end
	opts := minio.GetObjectOptions{}
	if err := opts.SetRange(off, end-1); err != nil {
		return fmt.Errorf("request bytes %d to %d: %w", off, end, err)
	}
	var last error
	for range tries { // for bodies that end early; the client repeats requests without a reply
		body, info, header, err := o.bucket.client.GetObject(ctx, o.bucket.bucket, o.key, opts)
		if err != nil {
			return o.bucket.explain(o.ctx, err)
		}
		if start, _, total, ok := contentRange(header.Get("Content-Range")); ok {
			info.Size = total
			if start != off {
				last = errors.New("the storage sent another range")
				_ = body.Close() // nothing of it is used
				continue
			}
		} else if off != 0 {
			_ = body.Close()          // nothing of it is used
			return library.ErrChanged // it is shorter now
		}
		if !versionOf(info).Equal(o.version) {
			_ = body.Close() // nothing of it is used
			return library.ErrChanged
		}
		buf := make([]byte, end-off)
		_, last = io.ReadFull(body, buf)
		_ = body.Close() // all of it has been read
		if last == nil {
			o.keep(block{off, buf})
			return nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return o.bucket.explain(o.ctx, last)
}

// keep adds a block. One that follows the head extends it.
func (o *object) keep(b block) {
	switch {
	case o.head() == b.off && b.off > 0 && b.end() <= maxHead+maxAhead:
		o.blocks[0].buf = append(o.blocks[0].buf, b.buf...)
	case b.off == 0:
		o.blocks = append([]block{b}, o.blocks...)
	default:
		o.blocks = append(o.blocks, b)
	}
	if len(o.blocks) > maxBlocks {
		o.blocks = append(o.blocks[:1], o.blocks[2:]...)
	}
}

// contentRange parses the header of a partial reply.
func contentRange(h string) (start, end, total int64, ok bool) {
	h, ok = strings.CutPrefix(h, "bytes ")
	span, all, found := strings.Cut(h, "/")
	first, last, dash := strings.Cut(span, "-")
	if !ok || !found || !dash {
		return 0, 0, 0, false
	}
	var errs [3]error
	start, errs[0] = strconv.ParseInt(first, 10, 64)
	end, errs[1] = strconv.ParseInt(last, 10, 64)
	total, errs[2] = strconv.ParseInt(all, 10, 64)
	return start, end, total, errors.Join(errs[:]...) == nil && start >= 0 && end >= start && total > end
}
