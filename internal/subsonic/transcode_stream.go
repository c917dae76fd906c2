package subsonic

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
	"waxwing/internal/transcode"
)

// wanted returns what stream is to send: a variant, or the original if convert is false. An app
// that names a format or a bit rate which this server cannot create gets the original: it can play
// something, and sees its true type.
func (s *server) wanted(p params, song *catalog.FullSong) (v transcode.Variant, convert bool, err error) {
	limit, err := p.int("maxBitRate", 0, 0, math.MaxInt32)
	if err != nil {
		return v, false, err
	}
	offset, err := timeOffset(p, "timeOffset")
	if err != nil {
		return v, false, err
	}
	name := strings.ToLower(p.get("format"))
	if s.cfg.Transcodes == nil || name == "raw" {
		return v, false, nil
	}
	original := transcode.Format(song.Format)
	v = transcode.Variant{Offset: offset, BitRate: int(limit)}
	switch name {
	case "mp3", "flac", "wav", "opus":
		v.Format = transcode.Format(name)
	case "ogg", "oga":
		v.Format = transcode.Opus
	}
	tooFast := limit > 0 && int64(song.Bitrate) > limit
	switch {
	case v.Format == original && !tooFast && offset == 0, v.Format == "" && !tooFast && offset == 0:
		return v, false, nil
	case v.Format != "":
	case tooFast:
		v.Format = transcode.MP3
	case original == transcode.MP3 || original == transcode.Opus: // the offset needs new frames
		v.Format, v.BitRate = original, song.Bitrate
	default:
		v.Format = transcode.FLAC
	}
	if s.cfg.Transcodes.Check(v) != nil {
		if offset == 0 {
			return v, false, nil
		}
		v.Format = transcode.FLAC // always possible
	}
	return v, true, nil
}

// transcoding refuses the calls of the extension if this server does not convert audio.
func (s *server) transcoding(h httpkit.Handler) httpkit.Handler {
	if s.cfg.Transcodes != nil {
		return h
	}
	return func(http.ResponseWriter, *http.Request) error {
		return fault.New(fault.NotFound, "this server does not convert audio; start it with --transcode-cache 1024")
	}
}

// timeOffset returns a parameter in seconds, which may have a fraction.
func timeOffset(p params, name string) (time.Duration, error) {
	text := p.get(name)
	if text == "" {
		return 0, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || !(seconds >= 0 && seconds < 1e6) {
		return 0, fault.New(fault.Invalid, "the parameter %s must be a number of seconds", name)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// getTranscodeStream sends a song in the form that getTranscodeDecision chose.
func (s *server) getTranscodeStream(w http.ResponseWriter, r *http.Request) error {
	return s.serveSong(w, r, "mediaId", func(p params, _ *catalog.FullSong) (v transcode.Variant, _ bool, err error) {
		if _, err = mediaID(p); err != nil {
			return v, false, err
		}
		text, err := p.required("transcodeParams")
		if err != nil {
			return v, false, err
		}
		if v, err = decodeVariant(text); err != nil {
			return v, false, err
		}
		v.Offset, err = timeOffset(p, "offset")
		return v, true, err
	})
}

// serveConverted sends a variant of a file.
func (s *server) serveConverted(
	w http.ResponseWriter, r *http.Request, id string, file catalog.FileRef, v transcode.Variant,
) error {
	open := func(ctx context.Context) (io.ReadSeekCloser, time.Time, error) { return s.cfg.OpenFile(ctx, file) }
	source, err := transcode.SourceOf(r.Context(), file.Root+"\x00"+file.Path, open)
	if err != nil {
		return err
	}
	converted, err := s.cfg.Transcodes.Get(r.Context(), transcode.Request{
		Source: source, Variant: v, Caller: keyOf(r).ID,
	})
	if errors.Is(err, transcode.ErrBusy) {
		return &httpkit.RetryLater{After: transcode.BusyRetry, Err: err}
	}
	if err != nil {
		return err
	}
	defer converted.Close()
	w.Header().Set("X-Content-Duration", strconv.FormatFloat(converted.Duration.Seconds(), 'f', 3, 64))
	return httpkit.ServeFile(w, r, httpkit.File{
		Content: converted, Changed: source.ModTime, Name: id, Type: v.Format.ContentType(), ETag: converted.ETag,
	}, func(status int, err error) { s.failure(w, r, status, err) })
}
