// Package media identifies audio files by their content and interprets what several containers
// have in common. Each container and tag format has a subpackage that reads it; internal/tags and
// internal/audio/decode both use them, so that a file is catalogued exactly as it plays.
package media

import (
	"bytes"
	"errors"

	"waxwing/internal/media/id3"
	"waxwing/internal/media/mpeg"
	"waxwing/internal/media/window"
)

// ErrUnknownFormat is wrapped by errors about content of no supported format.
var ErrUnknownFormat = errors.New("not a known audio format")

// Kind is a container format, or a codec whose stream needs no container.
type Kind uint8

// The kinds of file that Sniff recognises.
const (
	Unknown Kind = iota
	MPEG         // MPEG audio frames, Layers I to III
	ADTS         // AAC frames
	FLAC
	Ogg
	MP4
	Matroska // or WebM
	WAV      // RIFF, RIFX, RF64 or BW64
	AIFF     // or AIFF-C
	ASF
	DSF
	MonkeysAudio
	Musepack
	WavPack
)

const (
	maxTags = 8         // ID3v2 tags in a row
	maxJunk = 256 << 10 // bytes before the first MPEG or ADTS frame
	// rowLength is the number of consecutive frames that identify MPEG audio and ADTS: the sync
	// bits of a single header occur by chance in every picture.
	rowLength = 3
)

// File is the result of Sniff.
type File struct {
	Kind  Kind
	Start int64   // offset of the container or first frame
	ID3   []int64 // offsets of the ID3v2 tags before Start
}

// Sniff identifies a file by its content. The error is one of reading only: content that is not
// recognised has the kind Unknown.
func Sniff(w *window.Reader) (File, error) {
	var f File
	padded := false
	for len(f.ID3) < maxTags {
		head, err := w.Peek(f.Start, 16)
		if err != nil {
			return File{}, err
		}
		if size := id3.TagSize(head); size > 0 {
			f.ID3 = append(f.ID3, f.Start)
			f.Start = min(f.Start+size, w.Size())
			padded = false
			continue
		}
		if f.Kind = magic(head); f.Kind != Unknown {
			return f, nil
		}
		if padded || len(f.ID3) == 0 || len(head) == 0 || head[0] != 0 {
			break
		}
		// Some writers add zeros behind a tag.
		padding, err := w.Peek(f.Start, window.PageSize)
		if err != nil {
			return File{}, err
		}
		f.Start += int64(len(padding) - len(bytes.TrimLeft(padding, "\x00")))
		padded = true
	}
	return sniffFrames(w, f)
}

// magic recognises files by the fixed bytes at their start.
func magic(head []byte) Kind {
	at := func(offset int, mark string) bool {
		return len(head) >= offset+len(mark) && string(head[offset:offset+len(mark)]) == mark
	}
	switch {
	case at(0, "fLaC"):
		return FLAC
	case at(0, "OggS"):
		return Ogg
	case at(4, "ftyp"), at(4, "moov"), at(4, "mdat"), at(4, "free"), at(4, "skip"), at(4, "wide"):
		return MP4
	case at(0, "\x1a\x45\xdf\xa3"):
		return Matroska
	case at(8, "WAVE") && (at(0, "RIFF") || at(0, "RIFX") || at(0, "RF64") || at(0, "BW64")):
		return WAV
	case at(0, "FORM") && (at(8, "AIFF") || at(8, "AIFC")):
		return AIFF
	case at(0, "MAC "):
		return MonkeysAudio
	case at(0, "wvpk"):
		return WavPack
	case at(0, "MPCK"), at(0, "MP+"):
		return Musepack
	case at(0, "DSD "):
		return DSF
	case at(0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"):
		return ASF
	}
	return Unknown
}

// sniffFrames searches for a row of MPEG or ADTS frames behind the tags. If there is none, the tag
// may declare a wrong size, so the search is repeated from the end of its header.
func sniffFrames(w *window.Reader, f File) (File, error) {
	kind, at, err := findRow(w, f.Start)
	if err == nil && kind == Unknown && len(f.ID3) > 0 {
		kind, at, err = findRow(w, f.ID3[0]+id3.HeaderSize)
	}
	if err != nil {
		return File{}, err
	}
	if kind != Unknown {
		f.Start = at
	}
	f.Kind = kind
	return f, nil
}

// findRow returns the kind and offset of the first row of frames from off on.
func findRow(w *window.Reader, off int64) (Kind, int64, error) {
	limit := min(w.Size(), off+maxJunk)
	for at := off; at < limit; {
		b, err := w.Peek(at, window.PageSize)
		if err != nil {
			return Unknown, 0, err
		}
		i := bytes.IndexByte(b, 0xff)
		if i < 0 {
			at += int64(len(b))
			continue
		}
		at += int64(i)
		kind, err := rowAt(w, at, at == off)
		if err != nil || kind != Unknown {
			return kind, at, err
		}
		at++
	}
	return Unknown, 0, nil
}

// rowAt returns the kind of the row of frames at off. A row may be shorter than rowLength if it
// runs to the end of the file or to a tag; a single frame counts only where one is expected.
func rowAt(w *window.Reader, off int64, expected bool) (Kind, error) {
	first := Unknown
	for n := range rowLength {
		b, err := w.Peek(off, 16)
		if err != nil {
			return Unknown, err
		}
		kind, length := frameAt(b)
		if kind == MPEG && length == 0 && n == 0 && expected {
			return MPEG, nil // free format: the length of frames is known only to the stream reader
		}
		if kind == Unknown || length == 0 {
			if ended := len(b) < mpeg.ADTSHeaderSize || isTag(b); ended && (n > 1 || n == 1 && expected) {
				return first, nil
			}
			return Unknown, nil
		}
		if n > 0 && kind != first {
			return Unknown, nil
		}
		first = kind
		off += int64(length)
	}
	return first, nil
}

func frameAt(b []byte) (Kind, int) {
	if h, ok := mpeg.ParseADTS(b); ok {
		return ADTS, h.Length
	}
	if h, ok := mpeg.ParseHeader(b); ok {
		if h.BitRate == 0 {
			return MPEG, 0
		}
		return MPEG, h.Length(0)
	}
	return Unknown, 0
}

// isTag reports whether b begins with a tag that stands at the end of MPEG audio.
func isTag(b []byte) bool {
	return bytes.HasPrefix(b, []byte("TAG")) || bytes.HasPrefix(b, []byte("APETAGEX")) ||
		bytes.HasPrefix(b, []byte("LYRICSBEGIN")) || id3.TagSize(b) > 0
}
