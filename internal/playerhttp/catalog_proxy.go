package playerhttp

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// catalogProxy forwards requests to the catalog with the player's key, so that a client needs one
// address and one token and never sees a key.
type catalogProxy struct {
	to    *url.URL
	key   string
	proxy httputil.ReverseProxy
}

func newCatalogProxy(cfg Config) *catalogProxy {
	p := &catalogProxy{to: cfg.CatalogURL, key: cfg.CatalogKey}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil // another proxy would receive the key
	transport.ResponseHeaderTimeout = 20 * time.Second
	transport.MaxResponseHeaderBytes = 64 << 10 // by default 10 MB, which cost 150 MB of memory
	transport.MaxIdleConnsPerHost = 16
	p.proxy = httputil.ReverseProxy{
		Transport: transport, Rewrite: p.rewrite, ModifyResponse: checkCatalogReply,
		ErrorLog: slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
	}
	return p
}

// forwardedHeaders are the request headers that the catalog uses. All others are removed, above
// all credentials.
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
	if pr.In.Context().Value(withoutKey{}) == nil {
		header.Set("X-Api-Key", p.key)
		header.Set("Priority", "u=5") // less urgent than playback, which has the same key and its limits
	}
	if ends := httpkit.CallerOf(pr.In.Context()).FixedLimit().ExpiresAt; !ends.IsZero() {
		header.Set(httpkit.LifetimeHeader, strconv.FormatInt(time.Until(ends).Milliseconds(), 10))
	}
	header.Set(httpkit.RedirectHeader, "never") // the policy of the player's page allows no other origin
	pr.Out.Header = header
	pr.SetURL(p.to)
	query := pr.In.URL.Query()
	query.Del(tokenParameter)
	pr.Out.URL.RawQuery = query.Encode()
}

// proxy forwards what a token with read or write may request. Requests about keys need the
// permission keys, whatever their method.
func (s *server) proxy(w http.ResponseWriter, r *http.Request) error {
	if path := r.URL.Path; path == keysPath || strings.HasPrefix(path, keysPath+"/") {
		if err := needs(r, access.Keys); err != nil {
			return err
		}
		return s.proxyKeys(w, r)
	}
	return s.catalog.forward(w, r)
}

// needs returns an error unless the caller has a permission that only some uses of a route need.
func needs(r *http.Request, need access.Permissions) error {
	if has := httpkit.CallerOf(r.Context()).Permissions; !has.Has(need) {
		return fault.WithCode(fault.Forbidden, fault.MissingPermission,
			"this needs the permission %s; yours has only %s", need, has)
	}
	return nil
}

// withoutKey is the context key of requests that are forwarded without the player's key.
type withoutKey struct{}

// forwardCover forwards requests for covers, which need no token. Only the player's own page has
// the key of the player behind it; the catalog gives everybody else small pictures.
func (p *catalogProxy) forwardCover(w http.ResponseWriter, r *http.Request) error {
	if !fromOwnPage(r) {
		r = r.WithContext(context.WithValue(r.Context(), withoutKey{}, true))
	}
	return p.forward(w, r)
}

// forwardSigned forwards requests for audio by a signed link, because an audio element of a page
// cannot send a token. The catalog checks the signature.
func (p *catalogProxy) forwardSigned(w http.ResponseWriter, r *http.Request) error {
	return p.forward(w, r.WithContext(context.WithValue(r.Context(), withoutKey{}, true)))
}

// fromOwnPage reports whether a request that is not from a page of another origin may be from the
// player's own page. Browsers send Sec-Fetch-Site to loopback addresses and with TLS, so that its
// absence means something only there.
func fromOwnPage(r *http.Request) bool {
	if r.Header.Get("Sec-Fetch-Site") != "" {
		return true
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return r.TLS == nil && host != "localhost" && (err != nil || !ip.IsLoopback())
}

func (p *catalogProxy) forward(w http.ResponseWriter, r *http.Request) (err error) {
	if !plainPath(r.URL) {
		return fault.WithCode(fault.NotFound, fault.UnknownPath, "there is nothing at this path")
	}
	if r.ContentLength > httpkit.MaxBody {
		return errTooLarge
	}
	if r.Body != nil {
		r.Body = http.MaxBytesReader(w, r.Body, httpkit.MaxBody)
	}
	defer func() {
		// ReverseProxy panics if it cannot send the rest of a reply. That is expected of a client that
		// cancels requests, as the web player does while one types a search.
		if v := recover(); v == http.ErrAbortHandler && r.Context().Err() != nil {
			err = r.Context().Err()
		} else if v != nil {
			panic(v)
		}
	}()
	var failed error
	proxy := p.proxy
	proxy.ErrorHandler = func(_ http.ResponseWriter, _ *http.Request, err error) { failed = err }
	proxy.ServeHTTP(&catalogReply{w, make(http.Header)}, r)
	var tooLarge *http.MaxBytesError
	switch {
	case failed == nil:
		return nil
	case errors.As(failed, &tooLarge):
		return errTooLarge
	case r.Context().Err() != nil:
		return r.Context().Err()
	}
	if kind, _ := fault.Of(failed); kind != fault.Internal {
		return failed
	}
	return fault.WrapCode(fault.Unavailable, fault.CatalogUnavailable, failed,
		"the catalog cannot be reached; check that it is running")
}

var errTooLarge = fault.New(fault.TooLarge, "the body must not exceed %d bytes", httpkit.MaxBody)

// plainPath reports whether all servers parse a path alike.
func plainPath(u *url.URL) bool {
	escaped := strings.ToLower(u.EscapedPath())
	return !strings.Contains(escaped, "%2f") && !strings.Contains(escaped, "%5c") &&
		!strings.ContainsAny(u.Path, "\\\x00")
}
