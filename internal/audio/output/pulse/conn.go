package pulse

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

// A message is a header and a body; the header's second word distinguishes commands from samples.
const (
	headerSize     = 20
	commandChannel = 0xFFFFFFFF
	// maxMessage limits the memory of one message. The longest real one, the list of a studio's sinks,
	// has about 100 kB.
	maxMessage = 4 << 20
)

// message is a command or reply of the server.
type message struct {
	op, tag uint32
	at      time.Time // when it was read
	body    body
}

// conn is a connection to a sound server. Commands and samples are collected in out and written at
// once, in order, so that the server executes them without waiting for us in between. One goroutine
// writes, one reads.
type conn struct {
	nc      net.Conn
	in      *bufio.Reader
	out     []byte
	nextTag uint32
}

// dial connects to the first reachable server and authenticates.
func dial(ctx context.Context, server string) (*conn, error) {
	list := addresses(server)
	if len(list) == 0 {
		return nil, errors.New("connect to the sound server: no usable address in PULSE_SERVER")
	}
	var failures []error
	for _, a := range list {
		var d net.Dialer
		nc, err := d.DialContext(ctx, a.network, a.addr)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		c := &conn{nc: nc, in: bufio.NewReader(nc)}
		if err := c.introduce(ctx); err != nil {
			_ = nc.Close()
			failures = append(failures, fmt.Errorf("authenticate with %s: %w", a.addr, err))
			continue
		}
		return c, nil
	}
	return nil, fmt.Errorf("connect to the sound server: %w", errors.Join(failures...))
}

func (c *conn) introduce(ctx context.Context) error {
	reply, err := c.call(ctx, opAuth, args{}.u32(protocolVersion).bytes(cookie()))
	if err != nil {
		return err
	}
	const flagBits = 0xFFFF0000
	if v := reply.u32() &^ flagBits; reply.err != nil || v < oldestVersion {
		return fmt.Errorf("the server has protocol version %d, at least %d is required: %w", v, oldestVersion,
			errors.ErrUnsupported)
	}
	_, err = c.call(ctx, opSetClientName, args{}.props(map[string]string{
		"application.name":      "Waxwing",
		"application.id":        "waxwing",
		"application.icon_name": "audio-x-generic",
	}))
	return err
}

// command appends a command to out and returns the tag of its reply.
func (c *conn) command(op uint32, a args) uint32 {
	tag := c.nextTag
	c.nextTag++
	c.header(commandChannel, 10+len(a))
	c.out = args(c.out).u32(op).u32(tag)
	c.out = append(c.out, a...)
	return tag
}

// header begins a message of n bytes.
func (c *conn) header(channel uint32, n int) {
	c.out = binary.BigEndian.AppendUint32(c.out, uint32(n))
	c.out = binary.BigEndian.AppendUint32(c.out, channel)
	c.out = append(c.out, make([]byte, headerSize-8)...) // no seek, no flags
}

// send writes everything collected. It fails if that takes longer than the given time.
func (c *conn) send(within time.Duration) error {
	if len(c.out) == 0 {
		return nil
	}
	_ = c.nc.SetWriteDeadline(time.Now().Add(within))
	_, err := c.nc.Write(c.out)
	c.out = c.out[:0]
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("write to the sound server: %w", errTimeout)
	case err != nil:
		return fmt.Errorf("%w: %w", errClosed, err)
	}
	return nil
}

// receive reads the next command or reply.
func (c *conn) receive() (message, error) {
	for {
		var h [headerSize]byte
		if _, err := io.ReadFull(c.in, h[:]); err != nil {
			return message{}, err
		}
		n, channel := binary.BigEndian.Uint32(h[:]), binary.BigEndian.Uint32(h[4:])
		if n > maxMessage {
			return message{}, fmt.Errorf("%w: %d bytes", errMalformed, n)
		}
		if channel != commandChannel || n == 0 {
			if _, err := c.in.Discard(int(n)); err != nil {
				return message{}, err
			}
			continue
		}
		b := make([]byte, n)
		if _, err := io.ReadFull(c.in, b); err != nil {
			return message{}, err
		}
		m := message{at: time.Now(), body: body{b: b}}
		m.op, m.tag = m.body.u32(), m.body.u32()
		return m, m.body.err
	}
}

// call sends one command and waits for its reply. It is used before the stream has its own reader,
// and ignores other messages.
func (c *conn) call(ctx context.Context, op uint32, a args) (*body, error) {
	stop := context.AfterFunc(ctx, func() { _ = c.nc.SetDeadline(time.Unix(1, 0)) })
	reply, err := c.exchange(op, a)
	if !stop() { // the deadline has passed or ctx has ended
		return nil, context.Cause(ctx)
	}
	return reply, err
}

func (c *conn) exchange(op uint32, a args) (*body, error) {
	tag := c.command(op, a)
	_, err := c.nc.Write(c.out)
	c.out = c.out[:0]
	for err == nil {
		var m message
		if m, err = c.receive(); err == nil && m.tag == tag {
			switch m.op {
			case opReply:
				return &m.body, nil
			case opError:
				return nil, ServerError(m.body.u32())
			}
		}
	}
	return nil, err
}
