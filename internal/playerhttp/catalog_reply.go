package playerhttp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"waxwing/internal/fault"
)

// maxCatalogJSON is the largest JSON reply of a catalog: its lists have at most 200 rows.
const maxCatalogJSON = 8 << 20

// errKeyRefused replaces errors about the player's key: the client has no key.
var errKeyRefused = fault.WithCode(fault.Unavailable, fault.CatalogUnavailable,
	"the catalog does not accept the player's key")

// checkCatalogReply refuses replies that a catalog does not send: redirects, which would lead the
// client to another server, and pages.
func checkCatalogReply(resp *http.Response) error {
	status := resp.StatusCode
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	hasBody := resp.ContentLength != 0 && status != http.StatusNotModified && resp.Request.Method != http.MethodHead
	switch {
	case status == http.StatusUnauthorized || status == http.StatusMisdirectedRequest:
		return errKeyRefused
	case status >= 300 && status < 400 && status != http.StatusNotModified:
		return fault.Wrap(fault.Unavailable, errors.New("Location: "+resp.Header.Get("Location")),
			"the catalog replied with a redirect; check the address of the catalog in the settings of the player")
	case status < 200 || status >= 600 || hasBody && (err != nil || !isCatalogType(kind)):
		return fault.Wrap(fault.Unavailable, errors.New(resp.Status+", type "+resp.Header.Get("Content-Type")),
			"the catalog sent an invalid reply; check the address of the catalog in the settings of the player")
	case kind == "application/json" && resp.ContentLength > maxCatalogJSON:
		return errLongReply
	case kind == "application/json":
		resp.Body = &limitedReply{resp.Body, maxCatalogJSON}
	}
	if status == http.StatusForbidden {
		return checkForbidden(resp)
	}
	return nil
}

// checkForbidden replaces a reply about permissions of the player's key: those of the client were
// checked before, and it knows no key. Only a new key may be refused for other permissions.
func checkForbidden(resp *http.Response) error {
	start, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	if err != nil {
		return err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(start), resp.Body), resp.Body}
	var reply struct{ Code fault.Code }
	if json.Unmarshal(start, &reply) != nil || reply.Code != fault.MissingPermission ||
		strings.HasPrefix(resp.Request.URL.Path, "/api/keys") {
		return nil
	}
	return fault.New(fault.Forbidden, "the key of this player lacks a permission; give the player a key with the "+
		"permissions read and write (create it with: waxwing key create)")
}

// isCatalogType reports whether replies of a catalog may have a media type.
func isCatalogType(kind string) bool {
	top, _, _ := strings.Cut(kind, "/")
	switch top {
	case "audio", "video", "image":
		return true
	}
	return kind == "application/json" || kind == "text/event-stream" || kind == "application/octet-stream" ||
		kind == "application/ogg"
}

var errLongReply = fault.WithCode(fault.Unavailable, fault.CatalogUnavailable,
	"the catalog sent a reply of more than %d bytes", maxCatalogJSON)

// limitedReply fails after left bytes.
type limitedReply struct {
	io.ReadCloser
	left int64
}

func (l *limitedReply) Read(b []byte) (int, error) {
	n, err := l.ReadCloser.Read(b)
	if l.left -= int64(n); l.left < 0 {
		return 0, errLongReply
	}
	return n, err
}

// catalogHeaders are the reply headers that a client gets from the catalog. This server sets the
// others, above all those that protect its pages.
var catalogHeaders = [...]string{
	"Accept-Ranges", "Allow", "Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Length",
	"Content-Range", "Content-Type", "Etag", "Last-Modified", "Link", "Retry-After", "Vary", "X-Accel-Buffering",
	"X-Content-Duration",
}

// catalogReply passes on a reply of the catalog with its catalogHeaders. It has headers of its own,
// because ReverseProxy removes all headers after an informational reply (1xx).
type catalogReply struct {
	http.ResponseWriter
	header http.Header
}

func (c *catalogReply) Header() http.Header         { return c.header }
func (c *catalogReply) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// WriteHeader drops informational replies: their links are for other servers.
func (c *catalogReply) WriteHeader(status int) {
	if status < 200 {
		return
	}
	header := c.ResponseWriter.Header()
	for _, name := range catalogHeaders {
		if values, ok := c.header[name]; ok {
			header[name] = append(header[name], values...)
		}
	}
	c.ResponseWriter.WriteHeader(status)
}
