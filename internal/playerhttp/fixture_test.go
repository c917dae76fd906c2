package playerhttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/api/catalogapi"
	"waxwing/api/playerapi"
	"waxwing/internal/access"
	"waxwing/internal/audio"
	"waxwing/internal/audio/audiotest"
	"waxwing/internal/fault"
	"waxwing/internal/player"
	"waxwing/internal/playerhttp"
	"waxwing/internal/stream"
	"waxwing/internal/testenv"
	"waxwing/internal/testenv/apitest"
)

const version = "1.2.3-test"

// fakeLibrary is a catalog of size test tones with the ids "t0", "t1" and so on. Every playlist,
// artist and album contains the first three, except those with the id "unknown".
type fakeLibrary struct {
	size        int
	mu          sync.Mutex
	unavailable bool
}

func (s *fakeLibrary) setUnavailable(unavailable bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unavailable = unavailable
}

func (s *fakeLibrary) err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unavailable {
		return fault.WithCode(fault.Unavailable, fault.CatalogUnavailable,
			"the catalog cannot be reached; check that it is running")
	}
	return nil
}

func song(i int) player.Track {
	cover := "http://127.0.0.1:7845/media/covers/" + strconv.Itoa(i)
	return player.Track{
		ID: "t" + strconv.Itoa(i), Title: "Title <" + strconv.Itoa(i) + "> & more",
		Artist: "Artist", Album: "Album", AlbumID: "al",
		CoverURL: cover + "?size=600", ThumbnailURL: cover + "?size=96", Duration: 61_500 * time.Millisecond,
	}
}

func (s *fakeLibrary) Track(_ context.Context, id string) (player.Track, error) {
	i, err := strconv.Atoi(strings.TrimPrefix(id, "t"))
	if err != nil || i < 0 || i >= s.size {
		return player.Track{}, fault.New(fault.NotFound, "there is no song %s", id)
	}
	return song(i), s.err()
}

func (s *fakeLibrary) Tracks(ctx context.Context, sel player.Selection) (all []player.Track, err error) {
	if sel.TrackIDs == nil {
		if sel.PlaylistID+sel.ArtistID+sel.AlbumID == "unknown" {
			return nil, fault.New(fault.NotFound, "there is no such selection")
		}
		return s.DefaultTracks(ctx, 3)
	}
	for _, id := range sel.TrackIDs {
		t, err := s.Track(ctx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

func (s *fakeLibrary) DefaultTracks(_ context.Context, limit int) (all []player.Track, err error) {
	for i := range min(s.size, limit) {
		all = append(all, song(i))
	}
	return all, s.err()
}

func (s *fakeLibrary) Gain(context.Context, player.Track) (catalogapi.Gain, error) {
	return catalogapi.Gain{}, nil
}

func (s *fakeLibrary) Open(_ context.Context, t player.Track) (audio.Source, error) {
	return &audiotest.Tone{Rate: 8000, Frames: int64(t.Duration.Seconds() * 8000)}, nil
}

// fixture is a complete player and its server, which listens on a real loopback port.
type fixture struct {
	url     string
	cfg     playerhttp.Config
	library *fakeLibrary
	store   *access.Store
	catalog *httptest.Server
	log     *testenv.Buffer
	secrets map[string]string // token secrets by the name of their permissions
	http    *http.Client
	dir     string
}

// start starts a fixture whose catalog has the given number of songs. Each change function
// modifies the configuration first.
func start(t testing.TB, songs int, change ...func(*playerhttp.Config)) *fixture {
	t.Helper()
	h := &fixture{
		library: &fakeLibrary{size: songs},
		log:     &testenv.Buffer{},
		secrets: map[string]string{},
		http:    &http.Client{Transport: &http.Transport{}},
	}
	level := slog.LevelDebug
	if _, isBenchmark := t.(*testing.B); isBenchmark {
		level = slog.LevelInfo // the default level of the program
	}
	log := slog.New(slog.NewTextHandler(h.log, &slog.HandlerOptions{Level: level}))
	dir := t.TempDir()
	h.dir = dir
	var err error
	if h.store, err = access.Open(filepath.Join(dir, "tokens.json"), log); err != nil {
		t.Fatal(err)
	}
	p, err := player.New(player.Config{
		Output: &audiotest.Device{}, Library: h.library, StateFile: filepath.Join(dir, "player.journal"),
		Played: func(player.Track, time.Time, string) {}, Log: log,
		Streams: stream.New(stream.Config{Log: log}),
	})
	if err != nil {
		t.Fatal(err)
	}
	ln := apitest.Listen(t)
	h.url = "http://" + ln.Addr().String()
	h.catalog = httptest.NewServer(http.HandlerFunc(echo))
	catalogURL, err := url.Parse(h.catalog.URL)
	if err != nil {
		t.Fatal(err)
	}
	registry := prometheus.NewRegistry()
	h.cfg = playerhttp.Config{
		Player: p, Tokens: h.store, Addr: ln.Addr(), Version: version, CatalogURL: catalogURL, CatalogKey: "wxk_player",
		CatalogKeys: func(context.Context) ([]catalogapi.Key, error) {
			return []catalogapi.Key{{ID: "ke_1", Name: "bot", Permissions: []string{"keys"}}}, h.library.err()
		},
		Profile: func(context.Context) (playerapi.PublicUser, error) {
			return playerapi.PublicUser{ID: "us_1", Username: "ada", Name: "Ada",
				ProfileImageURL: "http://127.0.0.1:7845/media/covers/a"}, h.library.err()
		},
		Ready:   func(context.Context) error { return h.library.err() },
		Metrics: registry, AllMetrics: registry, Log: log,
	}
	for _, f := range change {
		f(&h.cfg)
	}
	for kind, permissions := range map[string]access.Permissions{
		"read": access.Read, "write": access.Write, "both": access.Read | access.Write,
		"keys": access.Keys, "streams": access.Streams, "all": access.KeyPermissions | access.Streams,
	} {
		token := access.NewToken{Name: kind, Permissions: permissions}
		if _, h.secrets[kind], err = h.store.Create(t.Context(), token); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = p.Run(ctx) })
	running.Go(func() { _ = h.store.Run(ctx) })
	stop := apitest.Serve(t, ln, playerhttp.New(h.cfg), log)
	t.Cleanup(func() {
		h.http.CloseIdleConnections()
		stop()
		cancel()
		running.Wait()
		h.catalog.Close()
	})
	return h
}

// echo is the catalog behind the catalog proxy. Its reply describes the request it received.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("X-Request-Id", "the catalog's")
	w.Header().Set("X-Waxwing-Version", "the catalog's")
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("ETag", `"7"`)
	switch r.URL.Path {
	case "/api/refused":
		w.WriteHeader(http.StatusUnauthorized)
	case "/api/missing":
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":"there is no such song","code":"not_found"}`)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{
		"method": r.Method, "uri": r.RequestURI, "host": r.Host, "header": r.Header, "body": string(body),
	})
}

// reply is a response with its complete body.
type reply struct {
	status int
	header http.Header
	body   string
}

// do sends a request with a token ("" for none) and checks the reply against api/player.yaml.
func (h *fixture) do(t testing.TB, method, path, token, body string, headers ...string) reply {
	t.Helper()
	return h.send(t, h.request(t, method, path, token, body, headers...))
}

// request returns a new request. token is a name in h.secrets or a secret; headers alternates
// names and values.
func (h *fixture) request(t testing.TB, method, path, token, body string, headers ...string) *http.Request {
	t.Helper()
	req := apitest.NewRequest(t, method, h.url+path, body, headers...)
	if secret, known := h.secrets[token]; known {
		token = secret
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return req
}

// send sends a request and checks the reply against api/player.yaml.
func (h *fixture) send(t testing.TB, req *http.Request) reply {
	t.Helper()
	got := h.read(t, req)
	checkAgainstDocument(t, req, got)
	return got
}

// read sends a request and reads the whole reply, without checking it.
func (h *fixture) read(t testing.TB, req *http.Request) reply {
	t.Helper()
	resp, body := apitest.Send(t, h.http, req)
	return reply{resp.StatusCode, resp.Header, strings.TrimSuffix(body, "\n")}
}

// want checks status and body. A body that begins with "~" need only be contained in the reply.
func (r reply) want(t testing.TB, status int, body string) {
	t.Helper()
	part, contained := strings.CutPrefix(body, "~")
	if r.status != status || !contained && r.body != body || contained && !strings.Contains(r.body, part) {
		t.Errorf("got %d %s\nwant %d %s", r.status, r.body, status, body)
	}
}

// json decodes the body into a value.
func (r reply) json(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), into); err != nil {
		t.Fatalf("cannot decode the body %s: %v", r.body, err)
	}
}
