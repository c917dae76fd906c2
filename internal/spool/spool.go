// Package spool makes a remote file readable at any offset while it is being fetched.
//
// Bytes are fetched ahead of the reader into a temporary file, or into memory if the disk fails.
// When the reader seeks, the fetch continues there; gaps are filled afterwards. Of a file larger
// than the limit the spool holds a window around the reader, and fetches dropped bytes again. A
// connection that breaks or stalls is reopened at that offset, so that the reader notices a bad
// network only when the buffer is empty.
package spool

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
)

// Fetch opens the remote file at an offset. size is the length of the whole file. After an
// error for which Final reports true the spool fails; any other is retried.
type Fetch func(ctx context.Context, offset int64) (body io.ReadCloser, size int64, err error)

// Options configure a spool.
type Options struct {
	Dir   string           // folder of the temporary file; "": the system's
	Limit int64            // bytes of the file to hold at a time, at least MinLimit; 0: all
	Final func(error) bool // whether retrying is useless; nil: never
	Log   *slog.Logger
}

// MinLimit is the smallest limit: a window that plays without a gap.
const MinLimit = 4 << 20

// nearby is the distance ahead of the current fetch up to which a read waits for it: opening
// another connection takes longer than fetching this many bytes.
const nearby = 256 << 10

// File is a remote file that is being fetched.
type File struct {
	fetch  Fetch
	opts   Options
	buf    *buffer
	size   int64
	limit  int64
	cancel context.CancelFunc
	ctx    context.Context
	done   chan struct{} // closed when the fetching goroutine has ended

	mu      sync.Mutex
	arrived *sync.Cond // have or err has changed
	needed  *sync.Cond // pos, wanted or err has changed
	have    ranges
	pos     int64 // the end of the last read
	wanted  int64 // the offset that a reader waits for; -1: none
	err     error // final error
}

// Open opens the remote file and returns after the first response. When ctx ends, blocked reads
// fail and fetching stops.
func Open(ctx context.Context, fetch Fetch, opts Options) (*File, error) {
	ctx, cancel := context.WithCancel(ctx)
	f := &File{fetch: fetch, opts: opts, ctx: ctx, cancel: cancel, done: make(chan struct{}), wanted: -1}
	f.arrived, f.needed = sync.NewCond(&f.mu), sync.NewCond(&f.mu)
	body, size, err := f.connect(0)
	if err != nil {
		cancel()
		return nil, err
	}
	f.size, f.limit, f.buf = size, size+block, newBuffer(opts.Dir, opts.Log)
	if opts.Limit > 0 {
		f.limit = min(f.limit, max(opts.Limit, MinLimit)/block*block)
	}
	go f.run(body)
	return f, nil
}

// Size returns the length of the remote file.
func (f *File) Size() int64 { return f.size }

// ReadAt implements io.ReaderAt. It blocks until the bytes are fetched.
func (f *File) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, errors.New("read a track at a negative offset")
	}
	if off >= f.size {
		return 0, io.EOF
	}
	short := error(nil)
	if rest := f.size - off; int64(len(p)) > rest {
		p, short = p[:rest], io.EOF
	}
	for n < len(p) {
		k, err := f.readSome(p[n:], off+int64(n))
		if n += k; err != nil {
			return n, err
		}
	}
	return n, short
}

// readSome waits for bytes at off and reads those up to the end of their block, or fewer.
func (f *File) readSome(p []byte, off int64) (int, error) {
	f.mu.Lock()
	missing := f.have.missing(off)
	for missing == off && f.err == nil {
		f.wanted = off
		f.needed.Signal()
		f.arrived.Wait()
		missing = f.have.missing(off)
	}
	if missing == off {
		defer f.mu.Unlock()
		return 0, f.err
	}
	if f.wanted == off {
		f.wanted = -1
	}
	f.pos = min(missing, off+int64(len(p)), (off/block+1)*block)
	f.needed.Signal()
	p = p[:f.pos-off]
	f.buf.mu.RLock() // before the block can be dropped
	defer f.buf.mu.RUnlock()
	f.mu.Unlock()
	return f.buf.read(p, off)
}

// Close stops fetching and removes the buffer. Blocked reads fail.
func (f *File) Close() error {
	f.cancel()
	<-f.done
	return f.buf.close()
}

// fail ends the spool: reads of bytes that are not fetched return err.
func (f *File) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
	f.arrived.Broadcast()
	f.needed.Broadcast()
}
