package gauge

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Target is a server and the credential for it.
type Target struct {
	Base       string
	Header     string // Authorization or X-Api-Key; empty if the path holds the credential
	Credential string
}

// Conn is a persistent connection with a minimal client, so that the server dominates the figures.
type Conn struct {
	conn net.Conn
	in   *bufio.Reader
	head []byte // header of every request, after its first line
	out  []byte
}

// Dial opens a connection to the target.
func (t Target) Dial() (*Conn, error) {
	host := strings.TrimPrefix(t.Base, "http://")
	conn, err := net.Dial("tcp", host)
	if err != nil {
		return nil, err
	}
	head := " HTTP/1.1\r\nHost: " + host + "\r\n"
	if t.Header != "" {
		head += t.Header + ": " + t.Credential + "\r\n"
	}
	return &Conn{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), head: []byte(head)}, nil
}

// Close closes the connection.
func (c *Conn) Close() { _ = c.conn.Close() }

// Send sends a request. The body, if there is one, is JSON.
func (c *Conn) Send(method, path, body string) error {
	c.out = append(c.out[:0], method...)
	c.out = append(c.out, ' ')
	c.out = append(c.out, path...)
	c.out = append(c.out, c.head...)
	if body != "" {
		c.out = append(c.out, "Content-Type: application/json\r\n"...)
	}
	if body != "" || method != "GET" {
		c.out = append(c.out, "Content-Length: "...)
		c.out = strconv.AppendInt(c.out, int64(len(body)), 10)
		c.out = append(c.out, "\r\n"...)
	}
	c.out = append(append(c.out, "\r\n"...), body...)
	_, err := c.conn.Write(c.out)
	return err
}

// Line reads one line of a stream.
func (c *Conn) Line() ([]byte, error) { return c.in.ReadSlice('\n') }

// readHead reads the status and the length of the body; -1 means chunked.
func (c *Conn) readHead() (status, length int, err error) {
	line, err := c.Line()
	if err != nil {
		return 0, 0, err
	}
	if len(line) < 12 {
		return 0, 0, fmt.Errorf("not an HTTP status line: %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, 0, err
	}
	for {
		line, err := c.Line()
		if err != nil || len(line) == 2 {
			return status, length, err
		}
		name, value, _ := bytes.Cut(line, []byte(": "))
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, 0, err
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			length = -1
		}
	}
}

// Receive reads a whole reply and stores its body in keep, if that is not nil.
func (c *Conn) Receive(keep *[]byte) error {
	status, length, err := c.readHead()
	if err != nil {
		return err
	}
	var sink io.Writer = io.Discard
	var kept bytes.Buffer
	if keep != nil || status != 200 {
		sink = &kept
	}
	if length >= 0 && sink == io.Discard {
		_, err = c.in.Discard(length)
	} else if length >= 0 {
		_, err = io.CopyN(sink, c.in, int64(length))
	} else {
		err = c.chunks(sink)
	}
	if err == nil && status != 200 {
		return fmt.Errorf("status %d: %s", status, kept.Bytes())
	}
	if keep != nil {
		*keep = kept.Bytes()
	}
	return err
}

func (c *Conn) chunks(sink io.Writer) error {
	for {
		line, err := c.Line()
		if err != nil {
			return err
		}
		size, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 64)
		if err != nil {
			return err
		}
		if _, err := io.CopyN(sink, c.in, size); err != nil {
			return err
		}
		if _, err := c.in.Discard(2); err != nil || size == 0 {
			return err
		}
	}
}

// Time sends one request and returns the time until the 200 reply was read.
func (c *Conn) Time(method, path, body string) (time.Duration, error) {
	began := time.Now()
	if err := c.Send(method, path, body); err != nil {
		return 0, err
	}
	if err := c.Receive(nil); err != nil {
		return 0, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return time.Since(began), nil
}

// TimeFirstByte sends a GET request and returns the times until the first byte of the reply and
// until all of it was read.
func (c *Conn) TimeFirstByte(path string) (first, total time.Duration, err error) {
	began := time.Now()
	if err := c.Send("GET", path, ""); err != nil {
		return 0, 0, err
	}
	if _, err := c.in.Peek(1); err != nil {
		return 0, 0, err
	}
	first = time.Since(began)
	if err := c.Receive(nil); err != nil {
		return 0, 0, fmt.Errorf("GET %s: %w", path, err)
	}
	return first, time.Since(began), nil
}

// Request sends one request over a new connection and decodes the JSON reply, if into is not nil.
func (t Target) Request(method, path, body string, into any) error {
	raw, err := t.Raw(method, path, body)
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(raw, into)
}

// Raw returns the body of the reply to one request.
func (t Target) Raw(method, path, body string) (raw []byte, err error) {
	c, err := t.Dial()
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if err := c.Send(method, path, body); err != nil {
		return nil, err
	}
	if err := c.Receive(&raw); err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return raw, nil
}

// connections is the concurrency of a throughput figure: enough to keep two cores busy.
const connections = 4

// Throughput returns the GET requests per second over the given time. path returns the next path;
// several goroutines call it at once.
func (t Target) Throughput(during time.Duration, path func() string) (perSecond float64, err error) {
	var conns [connections]*Conn
	for i := range conns {
		if conns[i], err = t.Dial(); err != nil {
			return 0, err
		}
		defer conns[i].Close()
	}
	var wait sync.WaitGroup
	var counts [connections]int
	var errs [connections]error
	began := time.Now()
	for i, c := range conns {
		wait.Go(func() {
			for time.Since(began) < during && errs[i] == nil {
				_, errs[i] = c.Time("GET", path(), "")
				counts[i]++
			}
		})
	}
	wait.Wait()
	took := time.Since(began)
	total := 0
	for _, n := range counts {
		total += n
	}
	return float64(total) / took.Seconds(), errors.Join(errs[:]...)
}
