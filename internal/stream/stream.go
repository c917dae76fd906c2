// Package stream plays audio from the web: files, and radio that never ends.
//
// A server can be anybody's. It learns the address of this machine and the name and version of this
// program, nothing else; it cannot lead the player to machines that the [Policy] does not permit;
// what it sends is bounded in memory and time. Titles of ICY servers are reported as they arrive,
// and a radio that breaks off is connected again.
package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/audio/decode"
	"waxwing/internal/fault"
)

// Config configures a Client.
type Config struct {
	Policy   Policy
	Decoders func() decode.Options
	// SpoolDir and SpoolLimit are for files: the folder of the buffer ("": the system's) and its size
	// in bytes.
	SpoolDir   string
	SpoolLimit func() int64
	Version    string // of this program, for servers
	Log        *slog.Logger
}

// Client opens URLs.
type Client struct {
	Config
	http  *http.Client
	agent string
}

// New returns a client.
func New(cfg Config) *Client {
	return &Client{Config: cfg, http: newHTTP(cfg.Policy, net.DefaultResolver), agent: "Waxwing/" + cfg.Version}
}

// Info is what is known of a stream.
type Info struct {
	Live    bool          // it has no end and cannot seek
	Station string        // name of the radio
	Title   string        // what it plays now
	Length  time.Duration // of a file; 0: unknown
}

// Open connects to a URL and returns its sound. update is called with what is known of it before
// Open returns, and after each change until the source is closed or ctx is done. Errors are faults
// whose sentences say no more of the URL than its host.
func (c *Client) Open(ctx context.Context, rawURL string, update func(Info)) (audio.Source, error) {
	u, err := c.Policy.Parse(rawURL)
	if err != nil {
		return nil, err
	}
	src, err := c.open(ctx, u, update)
	if err != nil {
		return nil, describe(err, u.Hostname())
	}
	return src, nil
}

// describe gives an error a sentence.
func describe(err error, host string) error {
	var known *fault.Error
	var status statusError
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &status):
		return fault.Wrap(fault.Invalid, err, "%s replied with status %d", host, int(status))
	case errors.Is(err, decode.ErrNoFFmpeg):
		return fault.Wrap(fault.Invalid, err, "this format cannot be played without ffmpeg; "+
			"install ffmpeg on the computer that plays (package ffmpeg), then play it again")
	case errors.Is(err, audio.ErrUnsupported):
		return fault.Wrap(fault.Invalid, err, "%s sends a format that cannot be played", host)
	case errors.Is(err, context.Canceled):
		return err
	}
	return fault.Wrap(fault.Invalid, err, "%s cannot be reached, or sends nothing that can be played", host)
}

// open plays a URL or, if it is a playlist, the first of its entries that is reachable.
func (c *Client) open(ctx context.Context, u *url.URL, update func(Info)) (audio.Source, error) {
	conn, err := c.connectFirst(ctx, u)
	if err != nil {
		return nil, err
	}
	if !conn.icy && conn.reply.ContentLength > 0 {
		return c.openFile(ctx, conn, update)
	}
	l := &live{client: c, ctx: ctx, url: u, again: conn.icy, update: update}
	if err := l.receive(conn); err != nil {
		return nil, err
	}
	if !conn.icy {
		if whole, ended := l.tape.await(wholeWithin); ended {
			l.disconnect()
			return c.openWhole(whole, update)
		}
	}
	if err := l.decode(); err != nil {
		return nil, err
	}
	return l, nil
}

// wholeWithin is how long a server may take to send a short file whose length it does not say.
const wholeWithin = 2 * time.Second

// openWhole plays a file in memory.
func (c *Client) openWhole(content []byte, update func(Info)) (audio.Source, error) {
	src, err := c.Decoders().Open(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	update(Info{Length: length(src)})
	return src, nil
}

// connectFirst connects to a URL or, if it is a playlist, to the first of its entries that is
// reachable.
func (c *Client) connectFirst(ctx context.Context, u *url.URL) (*connection, error) {
	found, err := c.connect(ctx, u)
	if err != nil || found.list == nil {
		return found, err
	}
	for _, entry := range found.list {
		var one *connection
		one, err = c.connect(ctx, entry)
		if err == nil && one.list == nil {
			return one, nil
		}
		if err == nil {
			err = fault.New(fault.Invalid, "the playlist leads to another playlist")
		}
	}
	return nil, err
}

// connection is an open reply of a server, or the playlist that it was.
type connection struct {
	list  []*url.URL
	reply *reply
	icy   bool
	stop  context.CancelFunc
}

func (c *connection) close() {
	c.stop()
	_ = c.reply.Body.Close() // it was only read from
}

// connect requests a URL and reads the beginning of the reply.
func (c *Client) connect(ctx context.Context, u *url.URL) (*connection, error) {
	ctx, stop := context.WithCancel(ctx)
	stalled := time.AfterFunc(connectTime+replyTime, stop)
	defer stalled.Stop()
	r, err := c.get(ctx, u, 0)
	if err != nil {
		stop()
		return nil, err
	}
	found := &connection{reply: r, icy: r.isICY(), stop: stop}
	if err := r.peek(); err != nil {
		found.close()
		return nil, err
	}
	if !isPlaylist(r.Header.Get("Content-Type"), r.Request.URL.Path, r.head) {
		return found, nil
	}
	defer found.close()
	body, err := io.ReadAll(io.LimitReader(r.body, maxPlaylist))
	if err != nil {
		return nil, fmt.Errorf("read a playlist: %w", err)
	}
	found.list, err = entries(r.Request.URL, body)
	return found, err
}

// length is the duration of a source; 0: unknown.
func length(src audio.Source) time.Duration {
	info := src.Info()
	if info.Frames < 0 {
		return 0
	}
	return time.Duration(float64(info.Frames) / float64(info.Rate) * float64(time.Second))
}
