// Package decode opens sound files of every kind as [audio.Source]s. It looks
// at what is in a file, never at its name.
//
// FLAC, MP3, Vorbis, Opus, AAC, ALAC, WAV and AIFF are decoded in the process. Anything
// else goes to an external ffmpeg when one is installed.
package decode

import (
	"errors"
	"fmt"
	"net/http"

	"waxwing/internal/audio"
	"waxwing/internal/media/window"
)

// Options say how files may be opened. The zero value allows everything.
type Options struct {
	// NoExternal keeps every file inside the process: none is given to ffmpeg.
	NoExternal bool
}

// Open recognises the file and returns a source of its samples. The error wraps
// audio.ErrUnsupported when this is nothing that can be played here. The
// source does not close in; the caller does, after closing the source.
func (o Options) Open(in audio.Input) (audio.Source, error) {
	if in.Size() <= 0 {
		return nil, fmt.Errorf("%w: the file is empty", audio.ErrUnsupported)
	}
	found, err := recognise(in)
	if err != nil {
		return nil, err
	}
	var reason error
	if found.open != nil {
		src, err := protect(found.in, found.open)
		if err == nil || !errors.Is(err, audio.ErrUnsupported) {
			return src, err
		}
		reason = err
	} else {
		reason = fmt.Errorf("%w: %s", audio.ErrUnsupported, looksLike(in))
	}
	if o.NoExternal {
		return nil, reason
	}
	src, err := protect(in, openFFmpeg)
	if errors.Is(err, errNoFFmpeg) {
		return nil, fmt.Errorf("%w (installing ffmpeg may help)", reason)
	}
	if errors.Is(err, audio.ErrUnsupported) {
		return nil, reason
	}
	return src, err
}

// looksLike describes a file of no known format.
func looksLike(in audio.Input) string {
	head, err := window.New(in, in.Size()).Peek(0, 512)
	if err != nil {
		return "it cannot be read"
	}
	kind := http.DetectContentType(head)
	if kind == "application/octet-stream" {
		return "nothing in it is known as sound"
	}
	return "it looks like " + kind + ", not like sound"
}
