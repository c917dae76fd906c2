package id3

import (
	"bytes"
	"compress/zlib"
	"io"
	"strings"

	"waxwing/internal/media/text"
)

const (
	// MaxText is the longest text frame that is read.
	MaxText   = 256 << 10
	maxValues = 64
)

// Content returns the decoded bytes of the frame, nil if it is longer than MaxText or cannot be
// decoded. They are valid until the next read from the file.
func (f Frame) Content() ([]byte, error) {
	if f.encrypted || f.size > MaxText {
		return nil, nil
	}
	b, err := f.tag.w.At(f.off, int(f.size))
	if err != nil {
		return nil, err
	}
	if f.unsync {
		b = Synchronise(bytes.Clone(b))
	}
	b = b[min(f.prefix, len(b)):]
	if !f.compressed {
		return b, nil
	}
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, nil
	}
	out, err := io.ReadAll(io.LimitReader(z, MaxText))
	if err != nil {
		return nil, nil
	}
	return out, nil
}

// Strings decodes the content of a text frame. The first string of a user text frame (TXXX) is its
// description.
func (f Frame) Strings() ([]string, error) {
	b, err := f.Content()
	if err != nil || len(b) < 2 {
		return nil, err
	}
	encoding, b := b[0], b[1:]
	var out []string
	if encoding != 1 && encoding != 2 {
		for len(b) > 0 && len(out) < maxValues {
			var s []byte
			s, b, _ = bytes.Cut(b, []byte{0})
			if encoding == 3 {
				out = append(out, string(s))
			} else {
				out = append(out, text.Latin1(s))
			}
		}
		return out, nil
	}
	bigEndian := encoding == 2
	for len(b) >= 2 && len(out) < maxValues {
		end := 0
		for end+1 < len(b) && (b[end] != 0 || b[end+1] != 0) {
			end += 2
		}
		out = append(out, text.UTF16(b[:end], &bigEndian))
		b = b[min(end+2, len(b)):]
	}
	return out, nil
}

// Picture is an image in a tag. Its bytes are Len bytes at Off in the file unless they are encoded:
// if Unsync is set, they must be passed to Synchronise; if TagLen is not 0, Off is relative to the
// synchronised bytes of the file from TagOff on.
type Picture struct {
	Kind           byte // 3 is the front cover
	MIME           string
	Off, Len       int64
	Unsync         bool
	TagOff, TagLen int64
}

// Picture parses an APIC or PIC frame and reports whether it contains an image.
func (f Frame) Picture() (Picture, bool, error) {
	b, err := f.tag.w.At(f.off, int(min(f.size, 1024)))
	if err != nil || f.compressed || f.encrypted || len(b) < f.prefix+6 {
		return Picture{}, false, err
	}
	head := b[f.prefix:]
	encoding, rest := head[0], head[1:]
	pic := Picture{Unsync: f.unsync, TagOff: f.tag.off, TagLen: f.tag.len}
	if len(f.ID) == 3 {
		pic.MIME, rest = "image/"+strings.ToLower(string(rest[:3])), rest[3:]
	} else {
		mime, after, ok := bytes.Cut(rest, []byte{0})
		if !ok {
			return Picture{}, false, nil
		}
		pic.MIME, rest = string(mime), after
	}
	if len(rest) < 2 {
		return Picture{}, false, nil
	}
	pic.Kind = rest[0]
	description := text.Terminated(encoding == 1 || encoding == 2, rest[1:])
	if description < 0 {
		return Picture{}, false, nil
	}
	start := int64(f.prefix + len(head) - len(rest) + 1 + description)
	pic.Off, pic.Len = f.off+start, f.size-start
	return pic, true, nil
}
