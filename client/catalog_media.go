package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"waxwing/api/catalogapi"
)

// Audio is the file of a song, from an offset on. The caller closes Body.
type Audio struct {
	Body        io.ReadCloser
	Offset      int64 // of the first byte of Body
	Size        int64 // of the whole file; -1: unknown
	ContentType string
	// ETag identifies this version of the file: see [Catalog.StreamFrom].
	ETag string
}

// Stream opens the file of a song at a byte offset. An offset at or past the end of the file is an
// error with status 416.
func (c *Catalog) Stream(ctx context.Context, songID string, offset int64) (*Audio, error) {
	return c.StreamFrom(ctx, songID, offset, "")
}

// StreamFrom is Stream for a reader that resumes after an interruption. etag is that of the Audio
// it had before; if the file has changed since, the reply begins at 0, and Offset says so.
func (c *Catalog) StreamFrom(ctx context.Context, songID string, offset int64, etag string) (*Audio, error) {
	return c.stream(ctx, apiPath("songs", songID, "stream"), offset, etag)
}

// Conversion is a format into which the catalog converts a song.
type Conversion struct {
	Format  string // "flac", "wav", "opus" or "mp3"
	BitRate int    // kbit/s at most, for opus and mp3; 0: the server's default
}

// query returns the conversion as a query of a URL.
func (v Conversion) query() string {
	q := url.Values{"format": {v.Format}}
	if v.BitRate != 0 {
		q.Set("bitrate", strconv.Itoa(v.BitRate))
	}
	return "?" + q.Encode()
}

// StreamAs is StreamFrom of a song in another format. It waits until the catalog has converted the
// song.
func (c *Catalog) StreamAs(
	ctx context.Context, songID string, as Conversion, offset int64, etag string,
) (*Audio, error) {
	return c.stream(ctx, apiPath("songs", songID, "stream")+as.query(), offset, etag)
}

func (c *Catalog) stream(ctx context.Context, path string, offset int64, etag string) (*Audio, error) {
	// A redirect to a storage is not followed; see transport.client.
	header := http.Header{"Accept-Encoding": {"identity"}, "X-Waxwing-Redirect": {"never"}}
	if offset > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
		if etag != "" {
			header.Set("If-Range", etag)
		}
	}
	resp, err := c.transport().open(ctx, http.MethodGet, path, header, nil)
	if err != nil {
		return nil, err
	}
	audio := &Audio{
		Body:        resp.Body,
		Size:        resp.ContentLength,
		ContentType: resp.Header.Get("Content-Type"),
		ETag:        resp.Header.Get("ETag"),
	}
	if resp.StatusCode == http.StatusPartialContent {
		if audio.Offset, audio.Size, err = contentRange(resp.Header.Get("Content-Range")); err != nil {
			_ = resp.Body.Close()
			return nil, &Error{
				Status:    resp.StatusCode,
				Message:   "the catalog sent a partial file without a valid Content-Range",
				RequestID: resp.Header.Get("X-Request-Id"),
				Err:       err,
			}
		}
	}
	return audio, nil
}

// contentRange parses "bytes 100-199/1000".
func contentRange(value string) (offset, size int64, err error) {
	span, total, ok := strings.Cut(strings.TrimPrefix(value, "bytes "), "/")
	first, _, ok2 := strings.Cut(span, "-")
	if !ok || !ok2 {
		return 0, 0, fmt.Errorf("content range %q", value)
	}
	if offset, err = strconv.ParseInt(first, 10, 64); err != nil {
		return 0, 0, fmt.Errorf("content range %q: %w", value, err)
	}
	if size, err = strconv.ParseInt(total, 10, 64); err != nil {
		size = -1
	}
	return offset, size, nil
}

// maxPicture limits a picture.
const maxPicture = 32 << 20

// Picture returns the original of the picture at a cover_url, and its content type. It is requested
// from this catalog, whatever the host of the URL is.
func (c *Catalog) Picture(ctx context.Context, coverURL string) (picture []byte, contentType string, err error) {
	name := coverURL[strings.LastIndexByte(coverURL, '/')+1:]
	name, _, _ = strings.Cut(name, "?")
	resp, err := c.transport().open(ctx, http.MethodGet, "/media/covers/"+url.PathEscape(name), nil, nil)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	picture, err = io.ReadAll(io.LimitReader(resp.Body, maxPicture+1))
	if err != nil || len(picture) > maxPicture {
		return nil, "", &Error{Status: resp.StatusCode, Message: "the picture could not be read", Err: err}
	}
	return picture, resp.Header.Get("Content-Type"), nil
}

// Link returns a URL of a song's file that needs no key, and its expiry.
func (c *Catalog) Link(ctx context.Context, songID string) (catalogapi.Link, error) {
	return get[catalogapi.Link](ctx, c.transport(), apiPath("songs", songID, "link"))
}

// LinkAs is Link of a song in another format.
func (c *Catalog) LinkAs(ctx context.Context, songID string, as Conversion) (catalogapi.Link, error) {
	return get[catalogapi.Link](ctx, c.transport(), apiPath("songs", songID, "link")+as.query())
}

// ReportPlay reports that a song was played. A report with the same idempotencyKey, which must be 1
// to 128 printable ASCII characters, counts once. It needs the permission write.
func (c *Catalog) ReportPlay(
	ctx context.Context,
	songID string,
	playedAt time.Time,
	idempotencyKey string,
) (counted bool, err error) {
	at := playedAt.UTC().Format("2006-01-02T15:04:05.000Z")
	var out catalogapi.PlayReply
	header := http.Header{}
	if idempotencyKey != "" {
		header.Set("Idempotency-Key", idempotencyKey)
	}
	_, err = c.transport().
		call(ctx, http.MethodPost, apiPath("plays"), header, catalogapi.NewPlay{SongID: songID, PlayedAt: &at}, &out)
	return out.Counted, err
}
