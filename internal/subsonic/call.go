package subsonic

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/httpkit"
)

// call is a request to an endpoint with an envelope.
type call struct {
	*http.Request
	params
	format
	key    catalog.Key
	viewer catalog.Viewer

	w     http.ResponseWriter
	out   *encoder
	total int64 // of the whole list, for X-Total-Count; −1: unknown
	reads bool  // the endpoint changes nothing, so that it may run twice
	begun bool  // part of the reply is sent
}

// endpoint writes the objects of a reply.
type endpoint func(ctx context.Context, c *call) error

// databaseTimeout is how long a request may wait for the database.
const databaseTimeout = 5 * time.Second

// bodies reuses the bodies of replies.
var bodies = sync.Pool{New: func() any { return new([]byte) }}

// envelope adapts an endpoint whose reply is not cached.
func (s *server) envelope(f endpoint) httpkit.Handler { return s.uncached(f, false) }

// reading is envelope for an endpoint that changes nothing.
func (s *server) reading(f endpoint) httpkit.Handler { return s.uncached(f, true) }

func (s *server) uncached(f endpoint, reads bool) httpkit.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := parse(w, r); err != nil {
			return err
		}
		c := newCall(w, r)
		c.reads = reads
		return s.serve(c, f, nil)
	}
}

func newCall(w http.ResponseWriter, r *http.Request) *call {
	c := &call{Request: r, params: paramsOf(r), key: keyOf(r), w: w, total: -1}
	c.format, c.viewer = formatOf(c.params), c.key.Viewer()
	return c
}

// serve runs an endpoint and sends its reply. keep, if not nil, may store the body.
func (s *server) serve(c *call, f endpoint, keep func(body []byte)) error {
	buf := bodies.Get().(*[]byte)
	defer func() {
		if cap(c.out.b) <= 4<<20 {
			*buf = c.out.b[:0]
		}
		bodies.Put(buf)
	}()
	ctx, cancel := context.WithTimeout(c.Context(), databaseTimeout)
	defer cancel()
	write := func(ctx context.Context) error {
		c.out, c.total = s.begin(c.format, "ok", (*buf)[:0]), -1
		err := f(ctx, c)
		if err != nil && c.begun {
			panic(http.ErrAbortHandler) // the client must see that the reply is incomplete
		}
		return err
	}
	err := error(nil)
	if c.reads {
		err = s.store.Read(ctx, write)
	} else {
		err = write(ctx)
	}
	if err != nil {
		return err
	}
	c.finish(c.out)
	if c.begun {
		_, err := c.w.Write(c.out.b)
		return err
	}
	if keep != nil {
		keep(c.out.b)
	}
	return c.send(c.out.b)
}

// send replies with a whole body.
func (c *call) send(body []byte) error {
	c.setTotal(c.total)
	return writeBody(c.w, c.Request, c.contentType(), body)
}

func (c *call) setTotal(total int64) {
	if total >= 0 {
		c.w.Header()["X-Total-Count"] = []string{strconv.FormatInt(total, 10)}
	}
}

const (
	// chunk is the number of rows that are read at once.
	chunk = 500
	// longReply is the number of rows from which a reply is sent while it is written.
	longReply = 2 * chunk
)

// flush sends what is written so far, if the reply is a long one. A long reply has no time limit as
// a whole; each part has.
func (c *call) flush() error {
	const enough = 128 << 10
	if len(c.out.b) < enough {
		return nil
	}
	if !c.begun {
		c.begun = true
		c.w.Header()["Content-Type"] = []string{c.contentType()}
		c.w.Header()["Cache-Control"] = []string{"no-store"}
	}
	_, err := c.w.Write(c.out.b)
	c.out.b = c.out.b[:0]
	return err
}

// eachChunk calls f for the parts of a list of n rows from an offset on. The parts of a long list
// have a time limit each.
func (c *call) eachChunk(
	ctx context.Context, offset, n int64, f func(ctx context.Context, offset, n int64) (rows int, err error),
) error {
	long := n > longReply
	for n > 0 {
		part, cancel := ctx, func() {}
		if long {
			part, cancel = context.WithTimeout(c.Context(), databaseTimeout)
		}
		wanted := min(n, chunk)
		rows, err := f(part, offset, wanted)
		cancel()
		if err != nil {
			return err
		}
		offset, n = offset+int64(rows), n-int64(rows)
		if int64(rows) < wanted {
			return nil
		}
		if long {
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}
