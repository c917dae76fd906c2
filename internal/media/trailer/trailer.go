// Package trailer finds the tags at the end of a file: ID3v1, Lyrics3, APEv2 and ID3v2.4.
package trailer

import (
	"bytes"
	"strconv"

	"waxwing/internal/media/ape"
	"waxwing/internal/media/id3"
	"waxwing/internal/media/window"
)

const (
	lyricsFooterSize = 15
	lyricsBegin      = "LYRICSBEGIN"
	lyricsEnd        = "LYRICSEND"
	maxLyrics        = 5100 + len(lyricsBegin) + len(lyricsEnd) // of version 1, which declares no size
	maxTags          = 8
)

// Tags is the result of Find.
type Tags struct {
	End    int64 // of the audio
	ID3v1  []byte
	APE    ape.Tag
	HasAPE bool
	ID3v2  int64 // offset of a tag, −1 if there is none
}

// Find returns the tags at the end of w, which may follow each other in any order.
func Find(w *window.Reader) (Tags, error) {
	t := Tags{End: w.Size(), ID3v2: -1}
	// One read gets the tags of most files, and the audio before them.
	if _, err := w.Peek(max(0, t.End-window.PageSize), window.PageSize); err != nil {
		return Tags{}, err
	}
	for range maxTags {
		size, err := t.last(w)
		if err != nil {
			return Tags{}, err
		}
		if size <= 0 || size > t.End {
			break
		}
		t.End -= size
	}
	return t, nil
}

// last returns the size of the tag that ends at End, 0 if there is none.
func (t *Tags) last(w *window.Reader) (int64, error) {
	b, err := w.Peek(max(0, t.End-id3.V1Size), int(min(t.End, id3.V1Size)))
	if err != nil {
		return 0, err
	}
	switch {
	case len(b) == id3.V1Size && string(b[:3]) == "TAG":
		if t.ID3v1 == nil {
			t.ID3v1 = bytes.Clone(b)
		}
		return id3.V1Size, nil
	case len(b) >= lyricsFooterSize && string(b[len(b)-9:]) == "LYRICS200":
		n, err := strconv.ParseUint(string(b[len(b)-lyricsFooterSize:len(b)-9]), 10, 32)
		if err != nil {
			return 0, nil // not Lyrics3 after all
		}
		return int64(n) + lyricsFooterSize, nil
	case bytes.HasSuffix(b, []byte(lyricsEnd)):
		return t.oldLyrics(w)
	case len(b) >= id3.HeaderSize:
		if size := id3.FooterTagSize(b[len(b)-id3.HeaderSize:]); size > 0 && size <= t.End {
			t.ID3v2 = t.End - size
			return size, nil
		}
	}
	tag, found, err := ape.Find(w, t.End)
	if err != nil || !found {
		return 0, err
	}
	if !t.HasAPE {
		t.APE, t.HasAPE = tag, true
	}
	return t.End - tag.Start, nil
}

// oldLyrics returns the size of the Lyrics3 block of version 1 that ends at End.
func (t *Tags) oldLyrics(w *window.Reader) (int64, error) {
	from := max(0, t.End-int64(maxLyrics))
	b, err := w.Peek(from, int(t.End-from))
	if err != nil {
		return 0, err
	}
	if i := bytes.LastIndex(b, []byte(lyricsBegin)); i >= 0 {
		return int64(len(b) - i), nil
	}
	return 0, nil
}
