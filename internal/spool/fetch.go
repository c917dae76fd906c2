package spool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Delays between attempts to reopen a connection; they double from the first to the last.
const (
	firstRetry = 200 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// A connection that delivers less than minProgress within stallAfter counts as broken. Nothing else
// detects a host that vanished or a link that drops all packets.
const (
	stallAfter  = 10 * time.Second
	minProgress = 4 << 10
)

// maxFutile is how many connections in a row may be accepted and then break before minProgress.
// A host that is down accepts none.
const maxFutile = 6

// ErrTooSlow is the error of a file that arrives more slowly than any music plays.
var ErrTooSlow = errors.New("the track arrives too slowly")

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

// timedBody is a response body with a timeout that progress resets.
type timedBody struct {
	body    io.ReadCloser
	cancel  context.CancelFunc
	timeout *time.Timer
	got     int // since the last reset
}

func (p *timedBody) Read(b []byte) (int, error) {
	n, err := p.body.Read(b)
	if p.got += n; p.got >= minProgress {
		p.got = 0
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
	at, wait, futile := int64(0), firstRetry, 0
	for {
		if body != nil {
			before := at
			var err error
			at, err = f.copy(body, at)
			_ = body.Close() // it was only read from
			if err != nil && f.ctx.Err() != nil {
				f.fail(context.Cause(f.ctx))
				return
			}
			if err != nil {
				f.opts.Log.Debug("the connection of a track broke; reopening it", "at", at, "err", err)
			}
			if err == nil || at-before >= minProgress {
				wait, futile = firstRetry, 0
			} else if futile++; futile == maxFutile {
				f.fail(ErrTooSlow)
				return
			} else {
				wait = f.pause(wait)
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
		wait = f.pause(wait)
	}
}

// pause waits before a retry and returns how long to wait before the next.
func (f *File) pause(wait time.Duration) time.Duration {
	select {
	case <-f.ctx.Done():
	case <-time.After(wait):
	}
	return min(2*wait, lastRetry)
}

// copy writes body to the buffer from at on, until it ends or breaks, reaches bytes that are
// fetched already or the end of the window, or a reader waits for another offset.
func (f *File) copy(body io.Reader, at int64) (int64, error) {
	buf := make([]byte, block)
	for {
		n, err := body.Read(buf)
		n = int(min(int64(n), f.size-at))
		for rest := buf[:n]; len(rest) > 0; {
			part := rest[:min(int64(len(rest)), block-at%block)]
			rest = rest[len(part):]
			f.makeRoom(at / block)
			if err := f.buf.write(part, at); err != nil {
				err = fmt.Errorf("buffer the track: %w", err)
				f.fail(err)
				return at, err
			}
			at += int64(len(part))
			if !f.received(at-int64(len(part)), at) {
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

// makeRoom drops what is farthest from the reader until a block can be written.
func (f *File) makeRoom(number int64) {
	for f.buf.full(number, f.limit) {
		f.mu.Lock()
		focus := f.focus()
		victim := f.buf.farthest(focus, focus+f.ahead())
		f.have.remove(victim*block, (victim+1)*block)
		f.mu.Unlock()
		f.buf.drop(victim)
	}
}

// ahead is how far ahead of the reader to fetch: half of what can be held, so that the other half
// is behind it.
func (f *File) ahead() int64 {
	if held := f.buf.capacity(f.limit); f.size > held {
		return held / 2
	}
	return f.size
}

// focus is the offset that a reader waits for, or the end of the last read. The caller holds mu.
func (f *File) focus() int64 {
	if f.wanted >= 0 {
		return f.wanted
	}
	return f.pos
}

// received records fetched bytes and reports whether the fetch should continue after them.
func (f *File) received(from, to int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.have.add(from, to)
	f.arrived.Broadcast()
	if f.err != nil || f.have.missing(to) > to || to >= f.focus()+f.ahead() {
		return false
	}
	far := f.wanted >= 0 && (f.wanted < to || f.wanted > to+nearby)
	return !far || f.have.missing(f.wanted) != f.wanted
}

// next returns the offset to fetch from: the first gap at or after the focus, else, if the whole
// file can be held, the first gap. With a full window it waits until the reader has used half of
// what is ahead. more is false when nothing is missing or the spool failed.
func (f *File) next() (at int64, more bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		focus := f.focus()
		at = f.have.missing(focus)
		switch whole := f.size <= f.buf.capacity(f.limit); {
		case f.err != nil:
			return 0, false
		case at < f.size && (whole || at < focus+f.ahead()/2):
			return at, true
		case whole:
			at = f.have.missing(0)
			return at, at < f.size
		}
		f.needed.Wait()
	}
}
