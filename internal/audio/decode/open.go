// Package decode opens audio files of any format as an [audio.Source]. It identifies a file by its
// content, never by its name.
//
// FLAC, MP3, Vorbis, Opus, AAC, ALAC, WAV and AIFF are decoded in the process. Other formats need
// an external ffmpeg.
package decode

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"waxwing/internal/audio"
	"waxwing/internal/media"
	"waxwing/internal/media/window"
)

// Options restrict how files are opened. The zero value has no restrictions.
type Options struct {
	// NoExternal disables ffmpeg.
	NoExternal bool
	// TempDir is the folder for copies of files for ffmpeg; "": the system's.
	TempDir string
	// TempLimit limits the size of such a copy, in bytes; 0: 2 GB, which is the limit in any case.
	TempLimit int64
	// Context, when done, kills the ffmpeg of an open source; nil: only Close does.
	Context context.Context
}

// Open identifies the format of a file and returns a source of its samples. The error wraps
// audio.ErrUnsupported if the format cannot be played. The source does not close in; the caller
// does, after closing the source.
func (o Options) Open(in audio.Input) (audio.Source, error) {
	if in.Size() <= 0 {
		return nil, fmt.Errorf("%w: the file is empty", audio.ErrUnsupported)
	}
	found, err := recognise(in)
	if err != nil {
		return nil, err
	}
	var reason error
	switch {
	case found.open != nil:
		src, err := protect(found.in, found.open)
		if err == nil || !errors.Is(err, audio.ErrUnsupported) {
			return src, err
		}
		reason = err
	case externalFormats[found.kind] != "":
		reason = fmt.Errorf("%w: %s", audio.ErrUnsupported, externalFormats[found.kind])
	default:
		reason = fmt.Errorf("%w: %s", audio.ErrUnsupported, looksLike(in))
	}
	if o.NoExternal {
		return nil, reason
	}
	src, err := protect(in, o.openFFmpeg)
	if errors.Is(err, ErrNoFFmpeg) && found.kind == media.Unknown {
		return nil, fmt.Errorf("%w (installing ffmpeg may help)", reason)
	}
	if errors.Is(err, ErrNoFFmpeg) {
		return nil, fmt.Errorf("%w; %w", reason, ErrNoFFmpeg)
	}
	if errors.Is(err, errFFmpegRefused) {
		return nil, reason
	}
	return src, err
}

// externalFormats are the formats that are recognised and that only ffmpeg decodes.
var externalFormats = map[media.Kind]string{
	media.ASF: "Windows Media Audio", media.DSF: "DSD", media.MonkeysAudio: "Monkey's Audio",
	media.Musepack: "Musepack", media.WavPack: "WavPack",
}

// looksLike describes a file of no known format.
func looksLike(in audio.Input) string {
	head, err := window.New(in, in.Size()).Peek(0, 512)
	if err != nil {
		return "it cannot be read"
	}
	kind := http.DetectContentType(head)
	if kind == "application/octet-stream" {
		return "nothing in it is known as audio"
	}
	return "it looks like " + kind + ", not like audio"
}
