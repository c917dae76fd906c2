package cataloghttp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
	"waxwing/internal/transcode"
)

// conversion is a format and a bit rate as a query has them. The zero value is the original file.
type conversion struct{ format, bitrate string }

// readConversion returns the conversion that a query requests.
func readConversion(q url.Values) (conversion, error) {
	if len(q["format"]) > 1 || len(q["bitrate"]) > 1 {
		return conversion{}, fault.New(fault.Invalid, "format and bitrate must be given at most once")
	}
	c := conversion{q.Get("format"), q.Get("bitrate")}
	known := transcode.Format(c.format).ContentType() != ""
	if !known && (q.Has("format") || q.Has("bitrate")) {
		return conversion{}, fault.New(fault.Invalid, "format must be flac, wav, opus or mp3; bitrate needs a format")
	}
	return c, nil
}

// addTo adds the conversion to a query.
func (c conversion) addTo(q url.Values) {
	if c.format != "" {
		q.Set("format", c.format)
	}
	if c.bitrate != "" {
		q.Set("bitrate", c.bitrate)
	}
}

// variant validates a conversion.
func (s *server) variant(c conversion) (transcode.Variant, error) {
	v := transcode.Variant{Format: transcode.Format(c.format)}
	if s.cfg.Transcodes == nil {
		return v, fault.New(fault.Invalid, "this server does not convert audio; start it with --transcode-cache 1024")
	}
	if c.bitrate != "" {
		n, err := strconv.Atoi(c.bitrate)
		if err != nil || n < transcode.MinBitRate || n > transcode.MaxBitRate {
			return v, fault.New(fault.Invalid, "bitrate must be a whole number of kbit/s from %d to %d",
				transcode.MinBitRate, transcode.MaxBitRate)
		}
		v.BitRate = n
	}
	return v, s.cfg.Transcodes.Check(v)
}

// isOriginal reports whether the file of a song has the requested form already.
func (c conversion) isOriginal(file catalog.FileRef, format string) bool {
	extension := transcode.Format(c.format).Extension()
	return c.bitrate == "" && c.format == format && strings.EqualFold(path.Ext(file.Path), extension)
}

// serveConverted sends the audio of a song in another format.
func (s *server) serveConverted(
	w http.ResponseWriter, r *http.Request, id string, file catalog.FileRef, c conversion,
) error {
	v, err := s.variant(c)
	if err != nil {
		return err
	}
	source, err := transcode.SourceOf(r.Context(), file.Root+"\x00"+file.Path, func(ctx context.Context) (
		io.ReadSeekCloser, time.Time, error) {
		return s.cfg.OpenFile(ctx, file)
	})
	if err != nil {
		return err
	}
	converted, err := s.cfg.Transcodes.Get(r.Context(), transcode.Request{
		Source: source, Variant: v, Caller: httpkit.CallerOf(r.Context()).ID,
	})
	if errors.Is(err, transcode.ErrBusy) {
		return &httpkit.RetryLater{After: transcode.BusyRetry, Err: err}
	}
	if err != nil {
		return err
	}
	defer converted.Close()
	w.Header().Set("X-Content-Duration", strconv.FormatFloat(converted.Duration.Seconds(), 'f', 6, 64))
	return serveFile(w, r, httpkit.File{
		Content: converted, Changed: source.ModTime, Name: id, Type: v.Format.ContentType(), ETag: converted.ETag,
	})
}
