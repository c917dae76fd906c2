package playerhttp

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// catalogProxy hands requests on to the catalog under the player's own key, so that a client
// needs one address and one token and never sees a key.
type catalogProxy struct {
	to    *url.URL
	key   string
	proxy httputil.ReverseProxy
}

func newCatalogProxy(cfg Config) *catalogProxy {
	p := &catalogProxy{to: cfg.CatalogURL, key: cfg.CatalogKey}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = 20 * time.Second
	transport.MaxIdleConnsPerHost = 16
	p.proxy = httputil.ReverseProxy{
		Transport: transport, Rewrite: p.rewrite, ModifyResponse: modify,
		ErrorLog: slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
	}
	return p
}

// forwardedHeaders are the request headers that mean something to the catalog. All others, above
// all credentials and what a browser adds, stay here.
var forwardedHeaders = [...]string{
	"Accept", "Content-Type", "Content-Length", "Idempotency-Key",
	"If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Range", "User-Agent",
}

func (p *catalogProxy) rewrite(pr *httputil.ProxyRequest) {
	header := make(http.Header, len(forwardedHeaders)+1)
	for _, name := range forwardedHeaders {
		if values, ok := pr.In.Header[name]; ok {
			header[name] = values
		}
	}
	header.Set("X-Api-Key", p.key)
	pr.Out.Header = header
	pr.SetURL(p.to)
	query := pr.In.URL.Query()
	query.Del(tokenParameter)
	pr.Out.URL.RawQuery = query.Encode()
}

// ownHeaders are those that this server has set already, or that are a matter between the
// catalog and the player.
var ownHeaders = [...]string{
	"X-Request-Id", "X-Waxwing-Version", "X-Content-Type-Options", "Referrer-Policy", "Content-Security-Policy",
	"Cross-Origin-Resource-Policy", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers",
	"Set-Cookie", "Ratelimit", "Ratelimit-Policy", "Www-Authenticate",
}

var errKeyRefused = errors.New("the catalog refuses the player's key")

// modify turns what the catalog says about the player's own key into what it means to the
// client, who has no key.
func modify(resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusMisdirectedRequest:
		return errKeyRefused
	}
	for _, name := range ownHeaders {
		resp.Header.Del(name)
	}
	return nil
}

// pass hands on what the catalog may be asked for by a token that can read or, to change something,
// write. What concerns keys takes more, by whatever method.
func (s *server) pass(w http.ResponseWriter, r *http.Request) error {
	if path := r.URL.Path; path == "/api/keys" || strings.HasPrefix(path, "/api/keys/") {
		if has := httpkit.CallerOf(r.Context()).Permissions; !has.Has(access.Keys) {
			return fault.New(fault.Forbidden, "this needs the permission %s; yours has only %s", access.Keys, has)
		}
		return s.passKeys(w, r)
	}
	return s.catalog.forward(w, r)
}

// passKeys hands on what concerns the catalog's keys. The player's own key may make others, so it
// takes what managing tokens takes: under write alone, every app that can pause could make keys.
func (s *server) passKeys(w http.ResponseWriter, r *http.Request) error {
	if _, err := keeper(r); err != nil {
		return err
	}
	return s.catalog.forward(w, r)
}

func (p *catalogProxy) forward(w http.ResponseWriter, r *http.Request) (err error) {
	if !plainPath(r.URL) {
		return fault.New(fault.NotFound, "there is nothing at this path")
	}
	if r.ContentLength > httpkit.MaxBody {
		return errTooLarge
	}
	if r.Body != nil {
		r.Body = http.MaxBytesReader(w, r.Body, httpkit.MaxBody)
	}
	defer func() {
		// The proxy panics when half an answer cannot be sent. A client that went away, as the
		// web player does with every letter typed into the search, is no mistake of anybody.
		if v := recover(); v == http.ErrAbortHandler && r.Context().Err() != nil {
			err = r.Context().Err()
		} else if v != nil {
			panic(v)
		}
	}()
	var failed error
	proxy := p.proxy
	proxy.ErrorHandler = func(_ http.ResponseWriter, _ *http.Request, err error) { failed = err }
	proxy.ServeHTTP(w, r)
	var tooLarge *http.MaxBytesError
	switch {
	case failed == nil:
		return nil
	case errors.As(failed, &tooLarge):
		return errTooLarge
	case errors.Is(failed, errKeyRefused):
		return fault.Wrap(fault.Unavailable, failed, "the catalog does not accept the player's key")
	case r.Context().Err() != nil:
		return r.Context().Err()
	}
	return fault.Wrap(fault.Unavailable, failed, "the catalog cannot be reached")
}

var errTooLarge = fault.New(fault.TooLarge, "the body must not exceed %d bytes", httpkit.MaxBody)

// plainPath refuses paths that two servers could read differently.
func plainPath(u *url.URL) bool {
	escaped := strings.ToLower(u.EscapedPath())
	return !strings.Contains(escaped, "%2f") && !strings.Contains(escaped, "%5c") && !strings.ContainsAny(u.Path, "\\\x00")
}
