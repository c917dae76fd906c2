package stream

import (
	"context"
	"errors"
	"io"
	"net/url"
	"sync"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/fault"
)

// A radio that breaks off is connected again after pauses that double from the first to the last,
// up to maxAttempts times in a row.
const (
	firstPause  = 500 * time.Millisecond
	lastPause   = 15 * time.Second
	maxAttempts = 10
	// steady is how much must be decoded before a radio counts as connected again.
	steady = 10 * time.Second
)

// live is the sound of a stream without an end.
type live struct {
	client *Client
	ctx    context.Context
	url    *url.URL // of the stream or of its playlist
	again  bool     // connect again when it breaks off
	update func(Info)

	conn     *connection
	tape     *tape
	decoder  audio.Source
	format   audio.Info // of the first connection; others are converted to it
	attempts int        // since it was steady
	frames   int64      // of this connection

	mu   sync.Mutex
	info Info // as reported
}

// receive starts to read the body of a connection.
func (l *live) receive(conn *connection) error {
	interval, err := conn.reply.metaInterval()
	if err != nil {
		conn.close()
		return err
	}
	body := io.Reader(conn.reply.body)
	if interval > 0 {
		body = &icyReader{r: body, interval: interval, left: interval, title: l.setTitle}
	}
	l.conn, l.tape, l.frames = conn, newTape(l.ctx, body, conn.close), 0
	return nil
}

// decode starts to decode what is received.
func (l *live) decode() error {
	head := make([]byte, peeked)
	n, err := l.tape.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		l.disconnect()
		return err
	}
	decoder, err := l.client.Decoders().OpenLive(head[:n], l.tape)
	if err != nil {
		l.disconnect()
		return err
	}
	if l.format.Rate == 0 {
		l.format = decoder.Info()
	} else if decoder.Info().Channels != l.format.Channels {
		l.disconnect()
		return errors.New("the stream has another number of channels than before")
	}
	l.decoder = audio.Resample(decoder, l.format.Rate)
	l.report(func(info *Info) {
		info.Live, info.Station = true, clean(l.conn.reply.Header.Get("Icy-Name"))
	})
	return nil
}

// report changes what is known of the stream.
func (l *live) report(change func(*Info)) {
	l.mu.Lock()
	before := l.info
	change(&l.info)
	info := l.info
	l.mu.Unlock()
	if info != before {
		l.update(info)
	}
}

func (l *live) setTitle(title string) { l.report(func(info *Info) { info.Title = title }) }

func (l *live) Info() audio.Info { return l.format }

// SeekTo does nothing: a live stream continues where it is.
func (l *live) SeekTo(int64) error { return nil }

func (l *live) Read(dst []float32) (int, error) {
	for {
		n, err := l.decoder.Read(dst)
		if n > 0 {
			if l.frames += int64(n); l.frames > int64(steady.Seconds())*int64(l.format.Rate) {
				l.attempts = 0
			}
			return n, nil
		}
		switch {
		case l.ctx.Err() != nil:
			return 0, l.ctx.Err()
		case !l.again && l.tape.ended():
			return 0, io.EOF
		case !l.again:
			return 0, err
		}
		l.client.Log.Info("a stream broke off; connecting again", "host", l.url.Hostname(), "err", err)
		if !l.reconnect() {
			return 0, io.EOF
		}
	}
}

// reconnect connects again. It returns false if that is useless.
func (l *live) reconnect() bool {
	l.disconnect()
	for l.attempts < maxAttempts {
		l.attempts++
		select {
		case <-l.ctx.Done():
			return false
		case <-time.After(min(firstPause<<(l.attempts-1), lastPause)):
		}
		conn, err := l.client.connectFirst(l.ctx, l.url)
		if err == nil {
			if err = l.receive(conn); err == nil {
				err = l.decode()
			}
		}
		if err == nil {
			return true
		}
		l.client.Log.Debug("cannot connect to a stream again", "host", l.url.Hostname(), "err", err)
		if kind, _ := fault.Of(err); kind == fault.Forbidden {
			break // its name leads elsewhere now
		}
	}
	l.client.Log.Warn("a stream is not available any more", "host", l.url.Hostname())
	return false
}

func (l *live) disconnect() {
	if l.decoder != nil {
		_ = l.decoder.Close() // it was only read from
		l.decoder = nil
	}
	if l.tape != nil {
		l.tape.close()
		l.tape = nil
	}
}

func (l *live) Close() error {
	l.disconnect()
	return nil
}
