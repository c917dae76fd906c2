// Package media identifies audio files by their content and interprets what several containers
// have in common. Each container and tag format has a subpackage that reads it; internal/tags and
// internal/audio/decode both use them, so that a file is catalogued exactly as it plays.
package media

import (
	"bytes"
	"encoding/binary"
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

// sniffFrames recognises MPEG and ADTS by a row of frames. If there is none right behind the tags,
// it searches behind junk, and in the tag, which may declare a wrong size, for a container and for
// a row.
func sniffFrames(w *window.Reader, f File) (File, error) {
	kind, err := rowAt(w, f.Start, true)
	if err != nil {
		return File{}, err
	}
	if f.Kind = kind; kind != Unknown {
		return f, nil
	}
	inTag := f.Start
	if len(f.ID3) > 0 {
		inTag = f.ID3[0] + id3.HeaderSize
	}
	searches := []func() (Kind, int64, error){
		func() (Kind, int64, error) { return findContainer(w, f.Start, f.Start+maxJunk) },
		func() (Kind, int64, error) { return findContainer(w, inTag, min(f.Start, inTag+maxJunk)) },
		func() (Kind, int64, error) { return findRow(w, f.Start) },
		func() (Kind, int64, error) { return findRow(w, inTag) },
	}
	head, err := w.Peek(0, 12)
	if err != nil {
		return File{}, err
	}
	if len(head) == 12 && string(head[:4]) == "RIFF" && string(head[8:]) == "AVI " {
		return f, nil // a video; its audio is in pieces
	}
	for _, search := range searches {
		kind, at, err := search()
		if err != nil {
			return File{}, err
		}
		if kind != Unknown {
			f.Kind, f.Start = kind, at
			break
		}
	}
	return f, nil
}

// containerMarks are the first bytes of containers that are searched for behind junk, and the
// offset of the mark in the container.
var containerMarks = []struct {
	mark string
	at   int64
}{
	{"fLaC\x00\x00\x00\x22", 0}, {"OggS\x00\x02", 0}, {"WAVEfmt ", 8}, {"WAVEbext", 8}, {"WAVEJUNK", 8},
	{"AIFFCOMM", 8}, {"AIFCFVER", 8}, {"ftypM4A ", 4}, {"ftypmp42", 4}, {"ftypisom", 4}, {"\x1a\x45\xdf\xa3", 0},
}

// wholeRIFF reports whether the file has room for what a WAVE or AIFF header declares. OptimFROG
// and TAK contain the header of the file that they compress, and not its audio.
func wholeRIFF(head []byte, room int64) bool {
	size := binary.LittleEndian.Uint32(head[4:])
	if head[0] == 'F' || string(head[:4]) == "RIFX" {
		size = binary.BigEndian.Uint32(head[4:])
	}
	return int64(size) <= room-8
}

// findContainer returns the kind and offset of the first container that begins in [off, limit).
func findContainer(w *window.Reader, off, limit int64) (Kind, int64, error) {
	const overlap = 16
	for limit = min(limit, w.Size()); off < limit; off += window.PageSize - overlap {
		b, err := w.Peek(off, window.PageSize)
		if err != nil {
			return Unknown, 0, err
		}
		kind, first := Unknown, limit
		for _, c := range containerMarks {
			i := bytes.Index(b, []byte(c.mark))
			at := off + int64(i) - c.at
			if i < 0 || at < 0 || at >= first {
				continue
			}
			head, err := w.Peek(at, 16)
			if err != nil {
				return Unknown, 0, err
			}
			if k := magic(head); k != Unknown && (c.at != 8 || wholeRIFF(head, w.Size()-at)) {
				kind, first = k, at
			}
			if b, err = w.Peek(off, window.PageSize); err != nil {
				return Unknown, 0, err
			}
		}
		if kind != Unknown {
			return kind, first, nil
		}
	}
	return Unknown, 0, nil
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
