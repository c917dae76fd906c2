package mpd

import (
	"net"
	"strconv"
	"sync"
	"time"
)

const (
	chunkSize    = 64 << 10         // of a long reply
	writeTimeout = 15 * time.Second // at least for each chunk: a client that does not read is disconnected
)

// chunks reuses the buffers of replies, so that an idle connection has none.
var chunks = sync.Pool{New: func() any {
	b := make([]byte, 0, 4096)
	return &b
}}

// output is the reply to a client. It is written in chunks, so that its length costs no memory.
type output struct {
	conn net.Conn
	buf  *[]byte // nil: empty
	err  error   // of the first failed write; nothing is written after it

	deadline time.Time // of writes
}

// bytes returns the buffer for appending; the result is passed to set.
func (o *output) bytes() []byte {
	if o.buf == nil {
		o.buf = chunks.Get().(*[]byte)
	}
	return *o.buf
}

func (o *output) set(b []byte) {
	*o.buf = b
	if len(b) >= chunkSize {
		o.flush()
	}
}

func (o *output) text(s string)           { o.set(append(o.bytes(), s...)) }
func (o *output) raw(b []byte)            { o.set(append(o.bytes(), b...)) }
func (o *output) pair(name, value string) { o.set(appendPair(o.bytes(), name, value)) }
func (o *output) number(name string, n int) {
	b := append(o.bytes(), name...)
	b = append(b, ": "...)
	o.set(append(strconv.AppendInt(b, int64(n), 10), '\n'))
}

// flush writes what is buffered and gives the buffer back.
func (o *output) flush() {
	if o.buf == nil {
		return
	}
	if o.err == nil && len(*o.buf) > 0 {
		if now := time.Now(); o.deadline.Sub(now) < writeTimeout { // seldom: a timer costs more than a short reply
			o.deadline = now.Add(2 * writeTimeout)
			o.err = o.conn.SetWriteDeadline(o.deadline)
		}
		if o.err == nil {
			_, o.err = o.conn.Write(*o.buf)
		}
	}
	if cap(*o.buf) <= 2*chunkSize {
		*o.buf = (*o.buf)[:0]
		chunks.Put(o.buf)
	}
	o.buf = nil
}
