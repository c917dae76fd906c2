// Package playlist reads and writes playlist files: M3U, M3U8, PLS and XSPF.
//
// Files are untrusted: sizes are bounded, and locations are returned as written, for the caller to
// check.
package playlist

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"
)

const (
	maxBytes   = 64 << 20
	maxEntries = 500_000
	maxLine    = 16 << 10
)

// ErrUnknown is returned for an unknown playlist format.
var ErrUnknown = errors.New("unknown playlist format; use m3u, m3u8, pls or xspf")

// Entry is one song of a playlist. Fields that the file lacks are empty.
type Entry struct {
	Location string // a path or a file URL, as written
	Artist   string
	Title    string
	Duration time.Duration
}

// List is the content of a playlist file.
type List struct {
	Name    string // "" if the file has none
	Entries []Entry
}

// Kind is a format of playlist files.
type Kind string

// The formats.
const (
	M3U  Kind = "m3u"
	PLS  Kind = "pls"
	XSPF Kind = "xspf"
)

// KindOf returns the format of a file by the extension of its name.
func KindOf(name string) (Kind, error) {
	switch strings.ToLower(path.Ext(name)) {
	case ".m3u", ".m3u8":
		return M3U, nil
	case ".pls":
		return PLS, nil
	case ".xspf":
		return XSPF, nil
	}
	return "", ErrUnknown
}

// Parse reads a playlist.
func Parse(kind Kind, r io.Reader) (List, error) {
	b := bufio.NewReaderSize(&limited{r: r, left: maxBytes}, 64<<10)
	if start, err := b.Peek(3); err == nil && string(start) == "\xef\xbb\xbf" {
		_, _ = b.Discard(3) // it is in the buffer
	}
	var l List
	var err error
	switch kind {
	case M3U:
		l, err = parseM3U(b)
	case PLS:
		l, err = parsePLS(b)
	case XSPF:
		l, err = parseXSPF(b)
	default:
		return List{}, ErrUnknown
	}
	if err != nil {
		return List{}, fmt.Errorf("read playlist: %w", err)
	}
	return l, nil
}

// limited fails after left bytes, so that a file is read piece by piece and never whole.
type limited struct {
	r    io.Reader
	left int64
}

var errTooLarge = fmt.Errorf("the file is too large: the limit is %d MiB", maxBytes>>20)

func (l *limited) Read(b []byte) (int, error) {
	n, err := l.r.Read(b)
	if l.left -= int64(n); l.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// Write writes a playlist.
func Write(w io.Writer, kind Kind, l List) error {
	var b bytes.Buffer
	switch kind {
	case M3U:
		writeM3U(&b, l)
	case PLS:
		writePLS(&b, l)
	case XSPF:
		if err := writeXSPF(&b, l); err != nil {
			return err
		}
	default:
		return ErrUnknown
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write playlist: %w", err)
	}
	return nil
}

// eachLine passes the trimmed lines of r to f until it returns false. It skips empty and overlong
// lines.
func eachLine(r *bufio.Reader, f func(string) bool) error {
	line := make([]byte, 0, 1<<10)
	for {
		c, err := r.ReadByte()
		if err == nil && c != '\r' && c != '\n' {
			if len(line) <= maxLine {
				line = append(line, c)
			}
			continue
		}
		if text := bytes.Trim(line, " \t\x00"); len(text) > 0 && len(line) <= maxLine && !f(string(text)) {
			return nil
		}
		line = line[:0]
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// splitName splits "Artist - Title".
func splitName(s string) (artist, title string) {
	artist, title, ok := strings.Cut(s, " - ")
	if !ok {
		return "", strings.TrimSpace(s)
	}
	return strings.TrimSpace(artist), strings.TrimSpace(title)
}

func joinName(e Entry) string {
	if e.Artist == "" {
		return oneLine(e.Title)
	}
	return oneLine(e.Artist) + " - " + oneLine(e.Title)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func seconds(d time.Duration) int { return int((d + time.Second/2) / time.Second) }
