package subsonic

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/httpkit"
	"waxwing/internal/replycache"
)

// cache holds bodies by question, and the total of their lists. The parameters of a login differ in
// every request, so no cache by URL works.
type cache = replycache.Cache[string, int64]

func newCache(metrics prometheus.Registerer) *cache {
	return replycache.New[string, int64]("subsonic", metrics)
}

// notAsked are the parameters that do not change a reply.
var notAsked = []string{"u", "p", "t", "s", "apiKey", "c", "v", "f", "callback", "_"}

const longestQuestion = 600 // bytes; longer ones are not cached

// question returns what identifies the reply to a call within one revision of the catalog, or "" if
// it is not cached.
func (s *server) question(c *call, personal int64, minute bool) string {
	b := make([]byte, 0, 160)
	b = append(b, c.URL.Path...)
	for _, flag := range []bool{c.xml, c.classic} {
		b = strconv.AppendBool(append(b, ' '), flag)
	}
	b = append(append(b, ' '), c.callback...)
	b = append(append(b, ' '), c.viewer.Tag()...)
	b = strconv.AppendInt(append(b, ' '), personal, 36)
	if minute {
		b = strconv.AppendInt(append(b, " at "...), time.Now().Unix()/60, 10)
	}
	names := make([]string, 0, len(c.params))
	for name := range c.params {
		if !slices.Contains(notAsked, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range c.params[name] {
			if len(b)+len(name)+len(value) > longestQuestion {
				return ""
			}
			b = strconv.AppendQuote(append(b, ' '), name)
			b = strconv.AppendQuote(append(b, '='), value)
		}
	}
	return string(b)
}

// cached adapts an endpoint whose reply depends on the catalog, the user's own data and the
// parameters only. It takes the revision before the rows, so that a reply may be newer than its
// place in the cache, but never older.
func (s *server) cached(f endpoint) httpkit.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		c := newCall(w, r)
		c.reads = true
		view := s.store.View()
		shared := true
		if isSearch(r.URL.Path) {
			var err error
			if shared, err = s.prepareSearch(c); err != nil {
				return err
			}
		}
		question := ""
		if shared {
			question = s.question(c, view.PersonalVersion(c.viewer), view.HasTimedPlaylists() && isPlaylist(r.URL.Path))
		}
		if question == "" {
			return s.serve(c, f, nil)
		}
		version := replycache.Version{Epoch: view.Epoch, Revision: view.Revision}
		if found := s.cache.Get(version, question); found != nil {
			c.setTotal(found.Head)
			return httpkit.WriteGzipped(w, r, c.contentType(), found.Body, found.Gzipped)
		}
		return s.serve(c, f, func(body []byte) {
			s.cache.Put(version, question, &replycache.Reply[int64]{Head: c.total, Body: body})
		})
	}
}

// list is cached for lists of albums, of which that of the type random is another one every time.
func (s *server) list(f endpoint) httpkit.Handler {
	cached, fresh := s.cached(f), s.reading(f)
	return func(w http.ResponseWriter, r *http.Request) error {
		if paramsOf(r).get("type") == "random" {
			return fresh(w, r)
		}
		return cached(w, r)
	}
}

func isSearch(path string) bool { return strings.HasPrefix(path, Prefix+"search") }

// isPlaylist reports whether the replies of a path have playlists, whose songs may follow from the
// time.
func isPlaylist(path string) bool { return strings.HasPrefix(path, Prefix+"getPlaylist") }

// writeBody replies with a body that is not cached.
func writeBody(w http.ResponseWriter, r *http.Request, contentType string, body []byte) error {
	reply := &replycache.Reply[int64]{Body: body}
	return httpkit.WriteGzipped(w, r, contentType, body, reply.Gzipped)
}
