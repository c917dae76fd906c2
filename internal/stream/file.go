package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"waxwing/internal/audio"
	"waxwing/internal/spool"
)

// maxDiscarded is how much of a file is fetched again to reach an offset if the server cannot begin
// there.
const maxDiscarded = 64 << 20

var errChanged = errors.New("the file has changed during playback")

// openFile plays a file whose length is known, of which conn is the first reply.
func (c *Client) openFile(ctx context.Context, conn *connection, update func(Info)) (audio.Source, error) {
	target := conn.reply.Request.URL // behind the redirects
	etag := conn.reply.Header.Get("ETag")
	fetch := func(ctx context.Context, offset int64) (io.ReadCloser, int64, error) {
		if first := conn; first != nil && offset == 0 {
			conn = nil
			return &connBody{first, context.AfterFunc(ctx, first.close)}, first.reply.ContentLength, nil
		}
		return c.fetch(ctx, target, offset, etag)
	}
	file, err := spool.Open(ctx, fetch, spool.Options{
		Dir: c.SpoolDir, Limit: c.SpoolLimit(), Log: c.Log,
		Final: func(err error) bool {
			var status statusError
			return errors.Is(err, errChanged) || errors.As(err, &status) && status/100 == 4
		},
	})
	if err != nil {
		return nil, err
	}
	src, err := c.Decoders().Open(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	update(Info{Length: length(src)})
	return &spooled{src, file}, nil
}

// fetch requests a file again from an offset on.
func (c *Client) fetch(ctx context.Context, u *url.URL, offset int64, etag string) (io.ReadCloser, int64, error) {
	r, err := c.get(ctx, u, offset)
	if err != nil {
		return nil, 0, err
	}
	body := struct {
		io.Reader
		io.Closer
	}{r.body, r.Body}
	if r.Header.Get("ETag") != etag {
		return nil, 0, errors.Join(errChanged, body.Close())
	}
	if r.StatusCode == http.StatusPartialContent {
		var from, to, size int64
		_, err := fmt.Sscanf(r.Header.Get("Content-Range"), "bytes %d-%d/%d", &from, &to, &size)
		if err != nil || from != offset {
			return nil, 0, errors.Join(errChanged, body.Close())
		}
		return body, size, nil
	}
	if offset > maxDiscarded || r.ContentLength <= 0 {
		return nil, 0, errors.Join(errChanged, body.Close())
	}
	if _, err := io.CopyN(io.Discard, body, offset); err != nil {
		return nil, 0, errors.Join(err, body.Close())
	}
	return body, r.ContentLength, nil
}

// connBody is the body of a connection, which ends with a context.
type connBody struct {
	conn   *connection
	detach func() bool
}

func (b *connBody) Read(p []byte) (int, error) { return b.conn.reply.body.Read(p) }

func (b *connBody) Close() error {
	b.detach()
	b.conn.close()
	return nil
}

// spooled is a source that closes its buffer too.
type spooled struct {
	audio.Source
	file *spool.File
}

func (s *spooled) Close() error { return errors.Join(s.Source.Close(), s.file.Close()) }
