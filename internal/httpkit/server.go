package httpkit

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/audit"
	"waxwing/internal/fault"
)

// Config configures a server. Hosts, PublicURL, HostSetting, RequestsPerCredential, Audit and
// OriginAllowed are optional.
type Config struct {
	Name      string   // of the server in metrics: "player" or "catalog"
	Version   string   // sent with every reply
	Hosts     []string // accepted host names besides the loopback ones, with or without a port
	PublicURL string   // at which a proxy serves this server: its host is accepted, and its scheme for the Origin
	ByAddress bool     // also accept the IP address of the connection, and no host at all
	Challenge string   // the WWW-Authenticate of a 401
	Log       *slog.Logger
	Metrics   prometheus.Registerer
	Audit     *audit.Log // of changes and refusals; nil for none
	// RequestsPerCredential bounds the requests in progress: see [Limits]. 0: no bound.
	RequestsPerCredential int
	// HostSetting is the name of the setting behind Hosts, for the log of a refused host.
	HostSetting string

	// Authenticate identifies the caller. It returns ErrNoCredential or a fault on failure; with a
	// fault about a known credential, the Caller names it and the reason of the refusal. It may set
	// headers, for instance those of a rate limit.
	Authenticate func(w http.ResponseWriter, r *http.Request) (Caller, error)
	// OriginAllowed reports whether a valid credential was created for that web origin.
	OriginAllowed func(origin string) bool
	// AnyOrigin lets the pages of every web origin use this server. Every request must carry its
	// credential itself, so that a page can use only one that it was given.
	AnyOrigin bool
	// Failure, if not nil, replies to a request that failed, in place of a JSON body. Whatever status
	// it sends, the metrics and logs have that of the error.
	Failure func(w http.ResponseWriter, r *http.Request, status int, err error)
}

// Server serves a table of routes.
type Server struct {
	cfg       Config
	mux       *http.ServeMux
	hosts     hostGuard
	failures  failures
	progress  requestCounts
	metrics   metrics
	unmatched *servedRoute
	constant  []header // sent with every reply
	replies   sync.Pool
	idPrefix  string
	requests  atomic.Uint64
}

// servedRoute is a route of a running server.
type servedRoute struct {
	Route
	server *Server
	metric func() *routeMetrics
	warned atomic.Int64 // unix nanoseconds of the last warning that the route is unavailable
}

// warnEvery is the shortest time between two warnings that a route is unavailable. All its requests
// fail for the same reason.
const warnEvery = 10 * time.Second

// mayWarn reports whether the last warning is long enough ago, and records a new one.
func (l *servedRoute) mayWarn(now time.Time) bool {
	last := l.warned.Load()
	return now.UnixNano()-last > int64(warnEvery) && l.warned.CompareAndSwap(last, now.UnixNano())
}

type header struct {
	key   string
	value []string
}

// Values of headers that most replies have. They are shared and must not be modified.
var (
	noStore     = []string{"no-store"}
	contentJSON = []string{JSONType}
)

// JSONType is the Content-Type of most replies.
const JSONType = "application/json"

// New returns a server. It panics on an invalid route table: see [Route].
func New(cfg Config, routes []Route) *Server {
	s := &Server{
		cfg: cfg, mux: http.NewServeMux(), hosts: newHostGuard(cfg.Hosts, parsePublicURL(cfg.PublicURL), cfg.ByAddress),
		progress: requestCounts{limit: cfg.RequestsPerCredential},
		metrics:  newMetrics(cfg.Name, cfg.Metrics), idPrefix: rand.Text()[:8] + "-",
		constant: []header{
			{"X-Waxwing-Version", []string{cfg.Version}},
			{"X-Content-Type-Options", []string{"nosniff"}},
			{"Referrer-Policy", []string{"no-referrer"}},
			{"Content-Security-Policy", []string{"default-src 'none'; frame-ancestors 'none'; sandbox"}},
			{"Cross-Origin-Resource-Policy", []string{"same-origin"}},
		},
	}
	if cfg.AnyOrigin {
		s.constant = append(s.constant[:len(s.constant)-1], anyOriginHeaders...)
	}
	s.replies.New = func() any { return new(reply) }
	for _, rt := range routes {
		rt.check()
		served := &servedRoute{Route: rt, server: s, metric: s.metrics.route(rt.Pattern, rt.Kind)}
		for _, pattern := range rt.patterns() {
			s.mux.Handle(pattern, served)
		}
	}
	s.unmatched = &servedRoute{
		Route: Route{Need: Public, Handler: s.noRoute}, server: s, metric: s.metrics.route("unmatched", JSON),
	}
	s.mux.Handle("/", s.unmatched)
	return s
}

// ServeHTTP handles one request: Host, route, Origin, credential, permission, handler, metrics,
// log.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	p := s.replies.Get().(*reply)
	p.reset(w, start)
	id := s.idPrefix + strconv.FormatUint(s.requests.Add(1), 36)
	h := w.Header()
	h["X-Request-Id"] = []string{id}
	for _, c := range s.constant {
		h[c.key] = c.value
	}

	l, err := s.dispatch(p, r)
	if err != nil {
		err = s.fail(p, r, err)
	}
	if p.status == 0 {
		p.status = http.StatusOK // net/http sends this for a handler that wrote nothing
	}
	took := time.Since(start)
	l.metric().done(p.status, took)
	s.logRequest(r, p, l, id, took, err)
	s.record(r, p, l, id)
	broken := p.panicked && p.status != http.StatusInternalServerError
	if l.Kind != Stream { // the end of a stream's credential may still use its reply
		p.ResponseWriter = nil
		s.replies.Put(p)
	}
	if broken {
		panic(http.ErrAbortHandler) // part of the reply is sent: the client must see that it is incomplete
	}
}

// dispatch finds the route and runs it. The replies of the mux itself, such as redirects to a
// cleaned path, are discarded: such a path does not exist.
func (s *Server) dispatch(p *reply, r *http.Request) (l *servedRoute, err error) {
	if !s.hosts.allows(r) {
		p.access.reason = audit.Host
		s.refuse(p, r, http.StatusMisdirectedRequest,
			fault.WithCode(fault.Forbidden, fault.HostNotAllowed, "this server does not accept that host name"))
		return s.unmatched, nil
	}
	if !clean(r.URL.Path) {
		return s.unmatched, s.unmatched.handle(p, r)
	}
	s.mux.ServeHTTP((*routed)(p), r)
	if p.route == nil {
		return s.unmatched, s.unmatched.handle(p, r)
	}
	return p.route, p.err
}

// routed passes a reply through the mux to its route.
type routed reply

func (*routed) Header() http.Header         { return http.Header{} }
func (*routed) Write(b []byte) (int, error) { return len(b), nil }
func (*routed) WriteHeader(int)             {}

func (l *servedRoute) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := (*reply)(w.(*routed))
	p.route, p.err = l, l.handle(p, r)
}

// noRoute handles requests that match no route: preflights, wrong methods and unknown paths.
func (s *Server) noRoute(w http.ResponseWriter, r *http.Request) error {
	if s.cfg.AnyOrigin && r.Method == http.MethodOptions {
		preflightAny(w, r)
		return nil
	}
	allowed := s.allowed(r)
	if origin, isCross := s.crossOrigin(r); r.Method == http.MethodOptions && isCross {
		if s.cfg.OriginAllowed == nil || origin == "" || !s.cfg.OriginAllowed(origin) {
			w.(*reply).access.reason = audit.Origin
			return errCrossOrigin
		}
		if len(allowed) > 0 && r.Header.Get("Access-Control-Request-Method") != "" {
			preflight(w, r, allowed)
			return nil
		}
	}
	if r.RequestURI == "*" && r.Method == http.MethodOptions {
		w.Header().Set("Content-Length", "0")
		return nil
	}
	if len(allowed) == 0 {
		return fault.WithCode(fault.NotFound, fault.UnknownPath, "there is nothing at this path; GET /docs lists all paths")
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	s.refuse(w.(*reply), r, http.StatusMethodNotAllowed, fault.WithCode(fault.Invalid, fault.MethodNotAllowed,
		"this path allows %s", strings.Join(allowed, ", ")))
	return nil
}

// allowed lists the methods of the routes with the path of r.
func (s *Server) allowed(r *http.Request) (list []string) {
	if !clean(r.URL.Path) {
		return nil
	}
	for _, m := range methods {
		h, _ := s.mux.Handler(&http.Request{Method: m, URL: r.URL, Host: r.Host})
		if l, ok := h.(*servedRoute); !ok || l == s.unmatched {
			continue // nothing, or a redirect of the mux
		}
		list = append(list, m)
		if m == http.MethodGet {
			list = append(list, http.MethodHead)
		}
	}
	return list
}

// clean reports whether a path has no empty and no dotted segments.
func clean(path string) bool {
	return strings.HasPrefix(path, "/") && !strings.Contains(path, "//") && !strings.Contains(path, "/./") &&
		!strings.Contains(path, "/../") && !strings.HasSuffix(path, "/.") && !strings.HasSuffix(path, "/..")
}

// logRequest writes one log line for a request. Successful reads are logged at debug level; the
// query and the credential are never logged.
func (s *Server) logRequest(r *http.Request, p *reply, l *servedRoute, id string, took time.Duration, err error) {
	level := slog.LevelInfo
	switch {
	case r.Context().Err() != nil && !p.panicked: // cancelled by the client
		level = slog.LevelDebug
	case p.status >= 500 && p.status != http.StatusServiceUnavailable, p.panicked:
		level = slog.LevelError
	case p.status >= 500 && l.mayWarn(time.Now()):
		level = slog.LevelWarn
	case p.status >= 500:
		level = slog.LevelDebug
	case p.status < 400 && l.reads(r.Method):
		level = slog.LevelDebug
	}
	ctx := r.Context()
	if !s.cfg.Log.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("method", r.Method), slog.String("route", l.Pattern), slog.Int("status", p.status),
		slog.Duration("took", took), slog.Int64("bytes", p.bytes), slog.String("request_id", id),
	}
	if p.access.caller != "" {
		attrs = append(attrs, slog.String("caller", p.access.caller))
	}
	if p.access.reason == audit.Host {
		attrs = append(attrs, slog.String("host", quoteHost(r.Host)),
			slog.String("hint", "to accept this host name, add it to "+s.cfg.HostSetting))
	}
	if err != nil {
		attrs = append(attrs, slog.String("err", err.Error()))
	}
	s.cfg.Log.LogAttrs(ctx, level, s.cfg.Name+" request", attrs...)
}
