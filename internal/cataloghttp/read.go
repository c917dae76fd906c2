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
	"waxwing/internal/replycache"
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
)

// cacheKey identifies a response within one revision of the catalog.
type cacheKey struct {
	base   string
	path   string
	page   catalog.Page
	query  string
	gain   bool
	me     bool
	file   bool
	rules  bool
	online bool
	list   string // see listParams.query
	chosen [maxChoices]string
	viewer catalog.Viewer // zero if the response is the same for all
	// personal is the version of the viewer's own data, hour that of the clock (an hour or a minute),
	// if the response depends on them.
	personal, hour int64
}

// replyHeaders are the headers of a cached response.
type replyHeaders struct {
	tag  []string
	link []string // nil if there is none
}

type replies = replycache.Cache[cacheKey, replyHeaders]

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
			if tag := etag(view, s.tagged, key); httpkit.MatchesETag(match, tag) {
				setCacheHeaders(w.Header(), []string{tag})
				w.WriteHeader(http.StatusNotModified)
				return nil
			}
		}
		version := replycache.Version{Epoch: view.Epoch, Revision: view.Revision}
		if found := s.cache.Get(version, key); found != nil {
			return sendReply(w, r, found)
		}
		buf := bodyPool.Get().(*[]byte)
		defer bodyPool.Put(buf)
		a.buf = (*buf)[:0]
		ctx, cancel := context.WithTimeout(r.Context(), databaseTimeout)
		var body []byte
		var total int64
		err = s.store.Read(ctx, func(ctx context.Context) (err error) {
			body, total, err = read(ctx, a)
			return err
		})
		cancel()
		if err != nil {
			return err
		}
		*buf = body
		reply := &replycache.Reply[replyHeaders]{Body: body, Head: replyHeaders{tag: []string{etag(view, s.tagged, key)}}}
		if spec.page != nil {
			reply.Head.link = []string{linkHeader(a.base, r.URL, p.page, p.rest(spec), total)}
		}
		s.cache.Put(version, key, reply)
		return sendReply(w, r, reply)
	}
}

func setCacheHeaders(h http.Header, tag []string) {
	h["Etag"] = tag
	h["Cache-Control"] = cacheControl
	h["Vary"] = vary
}

func sendReply(w http.ResponseWriter, r *http.Request, reply *replycache.Reply[replyHeaders]) error {
	h := w.Header()
	setCacheHeaders(h, reply.Head.tag)
	if reply.Head.link != nil {
		h["Link"] = reply.Head.link
	}
	return httpkit.WriteGzipped(w, r, httpkit.JSONType, reply.Body, reply.Gzipped)
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
