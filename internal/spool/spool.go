// Package spool makes a remote file readable at any offset while it is still arriving.
//
// Bytes are fetched once, ahead of the reader, into a temporary file, or into memory where the disk refuses. A
// reader that jumps makes the fetch jump with it; holes are filled afterwards. A connection that
// breaks or falls silent is taken up again where it broke, for as long as the file is wanted,
// so a player hears of a network that comes and goes only when the buffer runs dry.
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

// Fetch opens the remote file at an offset. size is the length of the whole file. An error for which
// Final reports true ends the spool; any other is tried again.
type Fetch func(ctx context.Context, offset int64) (body io.ReadCloser, size int64, err error)

// Options are what a spool may be told.
type Options struct {
	Dir   string           // where the temporary file goes; "" for the system's folder
	Final func(error) bool // whether trying again is of no use; nil for never
	Log   *slog.Logger
}

// nearby is how far ahead of the running fetch a read may lie and still wait
// for it: opening another connection costs more than this many bytes take.
const nearby = 256 << 10

// A connection that broke is taken up again soon, then ever less often.
const (
	firstRetry = 200 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// stallAfter is how long a connection may bring nothing before it counts as broken. A host that went away
// without a word, or a link that swallows everything, is noticed by nothing else.
const stallAfter = 10 * time.Second

// File is a remote file on its way.
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
	wanted  int64 // where a reader waits; -1 for nowhere
	err     error // final
}

// Open asks for the file and returns when the first answer is there. ctx governs the whole life of the File:
// when it ends, reads that wait fail.
func Open(ctx context.Context, fetch Fetch, opts Options) (*File, error) {
	ctx, cancel := context.WithCancel(ctx)
	f := &File{fetch: fetch, opts: opts, ctx: ctx, cancel: cancel, done: make(chan struct{}), wanted: -1}
	f.arrived = sync.NewCond(&f.mu)
	body, size, err := f.ask(0)
	if err != nil {
		cancel()
		return nil, err
	}
	f.size, f.buf = size, newBuffer(opts.Dir, opts.Log)
	go f.run(body)
	return f, nil
}

// Size is the length of the remote file.
func (f *File) Size() int64 { return f.size }

// ReadAt implements io.ReaderAt. It waits for bytes that have not arrived.
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

// await returns when n bytes at off are there.
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

// Close ends fetching and removes the buffer. Reads that wait fail.
func (f *File) Close() error {
	f.cancel()
	<-f.done
	return f.buf.close()
}

// ask opens the remote file at an offset, on a connection that ends when it brings nothing for too long.
func (f *File) ask(at int64) (*patient, int64, error) {
	ctx, cancel := context.WithCancel(f.ctx)
	p := &patient{cancel: cancel, alarm: time.AfterFunc(stallAfter, cancel)}
	body, size, err := f.fetch(ctx, at)
	if err != nil {
		p.alarm.Stop()
		cancel()
		return nil, 0, err
	}
	p.body = body
	return p, size, nil
}

// patient is a body whose patience is renewed by each byte.
type patient struct {
	body   io.ReadCloser
	cancel context.CancelFunc
	alarm  *time.Timer
}

func (p *patient) Read(b []byte) (int, error) {
	n, err := p.body.Read(b)
	if n > 0 {
		p.alarm.Reset(stallAfter)
	}
	return n, err
}

func (p *patient) Close() error {
	p.alarm.Stop()
	defer p.cancel()
	return p.body.Close()
}

// run fetches until all is there or nobody wants it any more.
func (f *File) run(body *patient) {
	defer close(f.done)
	stop := context.AfterFunc(f.ctx, func() { f.fail(context.Cause(f.ctx)) })
	defer stop()
	at, wait := int64(0), firstRetry
	for {
		if body != nil {
			before := at
			var err error
			at, err = f.copy(body, at)
			_ = body.Close() // read to where it was wanted: nothing to learn from its close
			if at > before {
				wait = firstRetry
			}
			if err != nil && f.ctx.Err() == nil {
				f.opts.Log.Debug("a track's connection broke; taking it up again", "at", at, "err", err)
			}
		}
		next, more := f.next()
		if !more {
			return
		}
		at = next
		var err error
		var size int64
		body, size, err = f.ask(at)
		switch {
		case err == nil && size != f.size:
			_ = body.Close()
			f.fail(errors.New("the track changed while it was fetched"))
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

// copy writes body to the buffer from at on, until it ends, breaks, runs into
// bytes that are there already, or a reader wants to be elsewhere.
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
			if !f.got(at-int64(n), at) {
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

// got notes bytes that have arrived and reports whether the fetch should go on from there.
func (f *File) got(from, to int64) bool {
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

// next is where to fetch from: where a reader waits, else the first hole behind the last place wanted, else the
// first of all. more is false when nothing is missing or the spool has failed.
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

// fail ends the spool: every read of what has not arrived gets err.
func (f *File) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
	f.arrived.Broadcast()
}
