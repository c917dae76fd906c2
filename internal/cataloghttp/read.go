package cataloghttp

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/httpkit"
)

// readRequest is the input of a readFunc.
type readRequest struct {
	*http.Request
	params
	links
	viewer catalog.Viewer
	hour   time.Time // the current one, if the response depends on it
	buf    []byte    // empty; the body may be appended to it
}

// readFunc returns the body of a response. total is the number of rows of the whole list.
type readFunc func(ctx context.Context, a readRequest) (body []byte, total int64, err error)

var (
	cacheControl = []string{"private, no-cache"}
	vary         = []string{"Accept-Encoding, X-Api-Key"}
	gzipEncoding = []string{"gzip"}
)

// bodyPool reuses the bodies of responses that were sent and not cached.
var bodyPool = sync.Pool{New: func() any { return new([]byte) }}

// read adapts a readFunc: it checks the parameters, replies 304 without a query, then tries the
// cache, then the database. It takes the revision before the rows, so that a response may be newer
// than its ETag, which costs one request, but never older.
func (s *server) read(spec querySpec, read readFunc) httpkit.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		p, err := spec.read(r)
		if err != nil {
			return err
		}
		if spec.prepare != nil {
			if err := spec.prepare(r, &p); err != nil {
				return err
			}
		}
		view := s.store.View()
		a := readRequest{Request: r, params: p, links: s.links(r), viewer: viewer(r.Context())}
		key := cacheKey{base: a.base, path: r.URL.Path, page: p.page, query: p.query, gain: p.gain, me: p.me,
			file: p.file, rules: p.rules, online: p.online, list: p.list.query, chosen: p.chosen}
		if spec.perViewer || p.personal {
			key.viewer = a.viewer
		}
		if p.personal {
			key.personal = view.PersonalVersion(a.viewer)
		}
		if spec.hourly {
			a.hour = time.Now().Truncate(time.Hour)
			key.hour = a.hour.Unix()
		}
		if spec.timed && view.HasTimedPlaylists() {
			key.hour = time.Now().Truncate(time.Minute).Unix()
		}
		if match := r.Header["If-None-Match"]; len(match) > 0 {
			if tag := etag(view, s.tagged, key); matchesETag(match, tag) {
				setCacheHeaders(w.Header(), []string{tag})
				w.WriteHeader(http.StatusNotModified)
				return nil
			}
		}
		if found := s.cache.get(view, key); found != nil {
			return found.send(w, r)
		}
		buf := bodyPool.Get().(*[]byte)
		defer bodyPool.Put(buf)
		a.buf = (*buf)[:0]
		ctx, cancel := context.WithTimeout(r.Context(), databaseTimeout)
		body, total, err := read(ctx, a)
		cancel()
		if err != nil {
			return err
		}
		*buf = body
		resp := &response{body: body, tag: []string{etag(view, s.tagged, key)}}
		if spec.page != nil {
			resp.link = []string{linkHeader(a.base, r.URL, p.page, p.rest(spec), total)}
		}
		s.cache.put(view, key, resp)
		return resp.send(w, r)
	}
}

func setCacheHeaders(h http.Header, tag []string) {
	h["Etag"] = tag
	h["Cache-Control"] = cacheControl
	h["Vary"] = vary
}

func (resp *response) send(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	setCacheHeaders(h, resp.tag)
	if resp.link != nil {
		h["Link"] = resp.link
	}
	body := resp.body
	if acceptsGzip(r.Header["Accept-Encoding"]) {
		if small := resp.gzipped(); small != nil {
			h["Content-Encoding"] = gzipEncoding
			body = small
		}
	}
	return httpkit.WriteBody(w, http.StatusOK, httpkit.JSONType, body)
}

// acceptsGzip reports whether Accept-Encoding lists gzip with a weight above 0.
func acceptsGzip(header []string) bool {
	for _, line := range header {
		for part := range strings.SplitSeq(line, ",") {
			coding, weight, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
				weight = strings.ReplaceAll(weight, " ", "")
				return weight != "q=0" && weight != "q=0.0" && weight != "q=0.00" && weight != "q=0.000"
			}
		}
	}
	return false
}

// linkHeader returns the Link header of a page; rest is the end of its query.
func linkHeader(base string, u *url.URL, page catalog.Page, rest string, total int64) string {
	last := max(1, (total+page.Limit-1)/page.Limit)
	var b strings.Builder
	link := func(rel string, number int64) {
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteByte('<')
		b.WriteString(base)
		b.WriteString(u.EscapedPath())
		b.WriteString("?page=")
		b.WriteString(strconv.FormatInt(number, 10))
		b.WriteString("&limit=")
		b.WriteString(strconv.FormatInt(page.Limit, 10))
		b.WriteString(rest)
		b.WriteString(`>; rel="`)
		b.WriteString(rel)
		b.WriteByte('"')
	}
	link("first", 1)
	if page.Number > 1 {
		link("prev", min(page.Number-1, last))
	}
	if page.Number < last {
		link("next", page.Number+1)
	}
	link("last", last)
	return b.String()
}
