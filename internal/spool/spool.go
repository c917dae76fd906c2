// Package spool makes a remote file readable at any offset while it is being fetched.
//
// Bytes are fetched once, ahead of the reader, into a temporary file, or into memory if the disk
// fails. When the reader seeks, the fetch continues there; gaps are filled afterwards. A connection
// that breaks or stalls is reopened at that offset, so that the reader notices a bad network only
// when the buffer is empty.
package spool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"
)

// Fetch opens the remote file at an offset. size is the length of the whole file. After an
// error for which Final reports true the spool fails; any other is retried.
type Fetch func(ctx context.Context, offset int64) (body io.ReadCloser, size int64, err error)

// Options configure a spool.
type Options struct {
	Dir   string           // folder of the temporary file; "": the system's
	Final func(error) bool // whether retrying is useless; nil: never
	Log   *slog.Logger
}

// nearby is the distance ahead of the current fetch up to which a read waits for it: opening
// another connection takes longer than fetching this many bytes.
const nearby = 256 << 10

// Delays between attempts to reopen a connection; they double from the first to the last.
const (
	firstRetry = 200 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// stallAfter is how long a connection may deliver nothing before it counts as broken. Nothing else
// detects a host that vanished or a link that drops all packets.
const stallAfter = 10 * time.Second

// File is a remote file that is being fetched.
type File struct {
	fetch  Fetch
	opts   Options
	buf    *buffer
	size   int64
	cancel context.CancelFunc
	ctx    context.Context
	done   chan struct{} // closed when the fetching goroutine has ended

	mu      sync.Mutex
	arrived *sync.Cond // have or err has changed
	have    ranges
	wanted  int64 // the offset that a reader waits for; -1: none
	err     error // final error
}

// Open opens the remote file and returns after the first response. When ctx ends, blocked reads
// fail and fetching stops.
func Open(ctx context.Context, fetch Fetch, opts Options) (*File, error) {
	ctx, cancel := context.WithCancel(ctx)
	f := &File{fetch: fetch, opts: opts, ctx: ctx, cancel: cancel, done: make(chan struct{}), wanted: -1}
	f.arrived = sync.NewCond(&f.mu)
	body, size, err := f.connect(0)
	if err != nil {
		cancel()
		return nil, err
	}
	f.size, f.buf = size, newBuffer(opts.Dir, opts.Log)
	go f.run(body)
	return f, nil
}

// Size returns the length of the remote file.
func (f *File) Size() int64 { return f.size }

// ReadAt implements io.ReaderAt. It blocks until the bytes are fetched.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
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
	if err := f.await(off, int64(len(p))); err != nil {
		return 0, err
	}
	n, err := f.buf.ReadAt(p, off)
	if err == nil {
		err = short
	}
	return n, err
}

// await returns when n bytes at off are fetched.
func (f *File) await(off, n int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		missing := f.have.missing(off)
		if missing >= off+n {
			return nil
		}
		if f.err != nil {
			return f.err
		}
		f.wanted = missing
		f.arrived.Wait()
	}
}

// Close stops fetching and removes the buffer. Blocked reads fail.
func (f *File) Close() error {
	f.cancel()
	<-f.done
	return f.buf.close()
}

// connect opens the remote file at an offset. The connection is closed when it stalls.
func (f *File) connect(at int64) (*timedBody, int64, error) {
	ctx, cancel := context.WithCancel(f.ctx)
	p := &timedBody{cancel: cancel, timeout: time.AfterFunc(stallAfter, cancel)}
	body, size, err := f.fetch(ctx, at)
	if err != nil {
		p.timeout.Stop()
		cancel()
		return nil, 0, err
	}
	p.body = body
	return p, size, nil
}

// timedBody is a response body with a timeout that each read resets.
type timedBody struct {
	body    io.ReadCloser
	cancel  context.CancelFunc
	timeout *time.Timer
}

func (p *timedBody) Read(b []byte) (int, error) {
	n, err := p.body.Read(b)
	if n > 0 {
		p.timeout.Reset(stallAfter)
	}
	return n, err
}

func (p *timedBody) Close() error {
	p.timeout.Stop()
	defer p.cancel()
	return p.body.Close()
}

// run fetches until everything is fetched or the file is closed.
func (f *File) run(body *timedBody) {
	defer close(f.done)
	stop := context.AfterFunc(f.ctx, func() { f.fail(context.Cause(f.ctx)) })
	defer stop()
	at, wait := int64(0), firstRetry
	for {
		if body != nil {
			before := at
			var err error
			at, err = f.copy(body, at)
			_ = body.Close() // it was only read from
			if at > before {
				wait = firstRetry
			}
			if err != nil && f.ctx.Err() == nil {
				f.opts.Log.Debug("the connection of a track broke; reopening it", "at", at, "err", err)
			}
		}
		next, more := f.next()
		if !more {
			return
		}
		at = next
		var err error
		var size int64
		body, size, err = f.connect(at)
		switch {
		case err == nil && size != f.size:
			_ = body.Close()
			f.fail(errors.New("the track has changed during playback"))
			return
		case err == nil:
			continue
		case f.ctx.Err() != nil || f.opts.Final != nil && f.opts.Final(err):
			f.fail(err)
			return
		}
		body = nil
		select {
		case <-f.ctx.Done():
		case <-time.After(wait):
		}
		wait = min(2*wait, lastRetry)
	}
}

// copy writes body to the buffer from at on, until it ends or breaks, reaches bytes that are
// fetched already, or a reader waits for another offset.
func (f *File) copy(body io.Reader, at int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for {
		n, err := body.Read(buf)
		n = int(min(int64(n), f.size-at))
		if n > 0 {
			if _, werr := f.buf.WriteAt(buf[:n], at); werr != nil {
				werr = fmt.Errorf("buffer the track: %w", werr)
				f.fail(werr)
				return at, werr
			}
			at += int64(n)
			if !f.received(at-int64(n), at) {
				return at, nil
			}
		}
		switch {
		case at >= f.size:
			return at, nil
		case err == io.EOF:
			return at, io.ErrUnexpectedEOF
		case err != nil:
			return at, err
		}
	}
}

// received records fetched bytes and reports whether the fetch should continue after them.
func (f *File) received(from, to int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.have.add(from, to)
	f.arrived.Broadcast()
	if f.err != nil || f.have.missing(to) > to {
		return false
	}
	far := f.wanted >= 0 && (f.wanted < to || f.wanted > to+nearby)
	return !far || f.have.missing(f.wanted) != f.wanted
}

// next returns the offset to fetch from: the one a reader waits for, else the first gap after the
// last such offset, else the first gap. more is false when nothing is missing or the spool failed.
func (f *File) next() (at int64, more bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return 0, false
	}
	if at = f.have.missing(max(f.wanted, 0)); at < f.size {
		return at, true
	}
	at = f.have.missing(0)
	return at, at < f.size
}

// fail ends the spool: reads of bytes that are not fetched return err.
func (f *File) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
	f.arrived.Broadcast()
}
