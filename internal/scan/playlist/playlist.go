// Package playlist reads and writes playlist files: M3U, M3U8, PLS and XSPF.
//
// Files are untrusted: sizes are bounded, and locations are returned as written, for the caller to
// check.
package playlist

import (
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
	b, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return List{}, fmt.Errorf("read playlist: %w", err)
	}
	if len(b) > maxBytes {
		return List{}, fmt.Errorf("the playlist is too large: the limit is %d MiB", maxBytes>>20)
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	switch kind {
	case M3U:
		return parseM3U(b), nil
	case PLS:
		return parsePLS(b), nil
	case XSPF:
		return parseXSPF(b)
	}
	return List{}, ErrUnknown
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

// lines yields the trimmed lines of b. It skips empty and overlong ones.
func lines(b []byte, yield func(string) bool) {
	for len(b) > 0 {
		end := bytes.IndexAny(b, "\r\n")
		line := b
		if end < 0 {
			b = nil
		} else {
			line, b = b[:end], b[end+1:]
		}
		if line = bytes.Trim(line, " \t\x00"); len(line) > 0 && len(line) <= maxLine && !yield(string(line)) {
			return
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
