// Package trailer finds the tags at the end of a file: ID3v1, Lyrics3 and APEv2.
package trailer

import (
	"bytes"
	"strconv"

	"waxwing/internal/media/ape"
	"waxwing/internal/media/id3"
	"waxwing/internal/media/window"
)

const lyricsFooterSize = 15

// Tags is the result of Find.
type Tags struct {
	End    int64 // of the audio
	ID3v1  []byte
	APE    ape.Tag
	HasAPE bool
}

// Find returns the tags at the end of w.
func Find(w *window.Reader) (Tags, error) {
	t := Tags{End: w.Size()}
	b, err := w.Peek(max(0, t.End-id3.V1Size-ape.FooterSize), id3.V1Size+ape.FooterSize)
	if err != nil {
		return Tags{}, err
	}
	if v1 := b[max(0, len(b)-id3.V1Size):]; len(v1) == id3.V1Size && string(v1[:3]) == "TAG" {
		t.ID3v1 = bytes.Clone(v1)
		t.End -= id3.V1Size
	}
	if t.End, err = skipLyrics3(w, t.End); err != nil {
		return Tags{}, err
	}
	if t.APE, t.HasAPE, err = ape.Find(w, t.End); err != nil {
		return Tags{}, err
	}
	if t.HasAPE {
		t.End = t.APE.Start
	}
	return t, nil
}

// skipLyrics3 returns the start of the Lyrics3v2 block that ends at end, or end if there is none.
func skipLyrics3(w *window.Reader, end int64) (int64, error) {
	b, err := w.Peek(end-lyricsFooterSize, lyricsFooterSize)
	if err != nil || len(b) < lyricsFooterSize || string(b[6:]) != "LYRICS200" {
		return end, err
	}
	n, err := strconv.ParseUint(string(b[:6]), 10, 32)
	if err != nil || int64(n)+lyricsFooterSize > end {
		return end, nil // not Lyrics3 after all
	}
	return end - lyricsFooterSize - int64(n), nil
}
