package cataloghttp_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/cataloghttp"
	"waxwing/internal/lyrics"
	"waxwing/internal/lyrics/lrclib"
	"waxwing/internal/testenv"
)

// lyricsServer is a server with the API of LRCLIB on a loopback port.
type lyricsServer struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string // titles
	log      testenv.Buffer
}

func serveLyrics(t *testing.T, reply http.HandlerFunc) *lyricsServer {
	t.Helper()
	s := &lyricsServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.URL.Query().Get("track_name"))
		s.mu.Unlock()
		reply(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *lyricsServer) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

// use makes a catalog look up lyrics at the server, with a timeout for each request.
func (s *lyricsServer) use(t *testing.T, timeout time.Duration) func(*cataloghttp.Config) {
	t.Helper()
	c := lrclib.New(s.URL, version)
	t.Cleanup(c.Close)
	return func(cfg *cataloghttp.Config) {
		cfg.Log = slog.New(slog.NewTextHandler(&s.log, nil))
		cfg.FindLyrics = func(ctx context.Context, song lrclib.Song) (lyrics.Text, bool, error) {
			ctx, cancel := context.WithTimeout(ctx, timeout)
			defer cancel()
			return c.Find(ctx, song)
		}
	}
}

func (h *fixture) lyrics(t *testing.T, song string, header ...string) reply {
	t.Helper()
	return h.get(t, "/api/songs/"+song+"/lyrics", header...)
}

const (
	noLyrics    = `{"lyrics":[]}` + "\n"
	foundLyrics = `{"lyrics":[{"lang":null,"synced":true,"offset":0,"lines":[{"start":1000,"text":"One"}]}]}` + "\n"
)

func TestLyricsAreLookedUpOnceAndStored(t *testing.T) {
	server := serveLyrics(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Query().Get("track_name"), "<2>") {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(`{"plainLyrics":"One","syncedLyrics":"[00:01.00]One"}`))
	})
	run := func(t *testing.T, h *fixture) {
		before := server.count()
		revision := h.store.View().Revision
		var tag string
		for range 3 {
			got := h.lyrics(t, h.ids[0]).is(t, 200, nil)
			if got.body != foundLyrics {
				t.Errorf("a hit: got %s, want %s", got.body, foundLyrics)
			}
			tag = got.header.Get("ETag")
			h.lyrics(t, h.ids[0], "If-None-Match", tag).is(t, 304, nil)
			if got := h.lyrics(t, h.ids[1]).is(t, 200, nil); got.body != noLyrics {
				t.Errorf("a miss: got %s, want %s", got.body, noLyrics)
			}
		}
		if n := server.count() - before; n != 2 {
			t.Errorf("requests for two songs: got %d, want 2: %q", n, server.requests)
		}
		if after := h.store.View().Revision; after != revision {
			t.Errorf("revision: got %d, want %d as before", after, revision)
		}
		other := startedAgain(t, h, nil) // without look-up: the stored text stays
		if got := other.lyrics(t, h.ids[0]).is(t, 200, nil); got.body != foundLyrics {
			t.Errorf("without look-up: got %s, want the stored text", got.body)
		}
		err := h.store.PutLyricFiles(t.Context(), []catalog.LyricFiles{
			{SongID: h.ids[0], Texts: []lyrics.Text{{Source: lyrics.TXTFile, Text: "Mine"}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.store.FinishScan(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := h.lyrics(t, h.ids[0], "If-None-Match", tag).is(t, 200, nil)
		if !strings.Contains(got.body, "Mine") || strings.Contains(got.body, "One") {
			t.Errorf("after a file was added: got %s, want its text alone", got.body)
		}
		h.lyrics(t, "so_0000000000000000000000").is(t, 404, nil)
		if n := server.count() - before; n != 2 {
			t.Errorf("requests in all: got %d, want 2: %q", n, server.requests)
		}
	}
	use := server.use(t, lrclib.Timeout)
	t.Run("sqlite", func(t *testing.T) { run(t, start(t, 2, use)) })
	t.Run("postgres", func(t *testing.T) { run(t, startOn(t, cluster.Database(t), 2, use)) })
}

// startedAgain serves the catalog of a fixture at a second address.
func startedAgain(t *testing.T, h *fixture, find cataloghttp.FindLyrics) *fixture {
	t.Helper()
	cfg := fresh(h.cfg)
	cfg.FindLyrics = find
	handler, err := cataloghttp.New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	again := *h
	again.url = server.URL
	return &again
}

func TestLyricsAreNotLookedUpByDefault(t *testing.T) {
	h := start(t, 1)
	if h.cfg.FindLyrics != nil {
		t.Fatal("the default looks up lyrics, want nothing")
	}
	if got := h.lyrics(t, h.ids[0]).is(t, 200, nil); got.body != noLyrics {
		t.Errorf("got %s, want %s", got.body, noLyrics)
	}
}

func TestFailingLyricsServerCostsLittle(t *testing.T) {
	stop := make(chan struct{})
	for name, test := range map[string]struct {
		reply http.HandlerFunc
		asks  int // requests for three songs, each requested twice
	}{
		"slow": {func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-stop:
			case <-r.Context().Done():
			}
		}, 1},
		"error":    {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, 1},
		"cut line": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 1},
		"redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		}, 1},
		"huge": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"plainLyrics":"` + strings.Repeat("la\\n", 200_000) + `"}`))
		}, 3},
		"hostile JSON": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`{"plainLyrics":` + strings.Repeat(`[`, 100_000)))
		}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			server := serveLyrics(t, test.reply)
			h := start(t, 3, server.use(t, 200*time.Millisecond))
			begun := time.Now()
			for range 2 {
				for _, id := range h.ids {
					if got := h.lyrics(t, id).is(t, 200, nil); got.body != noLyrics {
						t.Errorf("got %s, want %s", got.body, noLyrics)
					}
				}
			}
			if took := time.Since(begun); took > 3*time.Second {
				t.Errorf("6 requests took %v, want one timeout of 200ms at most", took)
			}
			if n := server.count(); n < 1 || n > test.asks+1 { // a cut request may be sent again
				t.Errorf("requests to the server: got %d, want %d", n, test.asks)
			}
			if n := strings.Count(server.log.String(), "cannot look up lyrics"); n != 1 {
				t.Errorf("warnings: got %d, want 1:\n%s", n, server.log.String())
			}
			if strings.Contains(server.log.String(), "Artist") {
				t.Errorf("the log has the query, want it without:\n%s", server.log.String())
			}
		})
	}
	close(stop)
}

func TestLyricsLookupsAreBounded(t *testing.T) {
	var mu sync.Mutex
	running, most := 0, 0
	server := serveLyrics(t, func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		running++
		most = max(most, running)
		mu.Unlock()
		time.Sleep(30 * time.Millisecond) // so that requests overlap
		mu.Lock()
		running--
		mu.Unlock()
		_, _ = w.Write([]byte(`{"syncedLyrics":"[00:01.00]One"}`))
	})
	h := start(t, 5, server.use(t, lrclib.Timeout))
	var all sync.WaitGroup
	for _, id := range h.ids {
		for range 3 {
			all.Go(func() {
				if got := h.lyrics(t, id); got.status != 200 || got.body != foundLyrics {
					t.Errorf("got %d %s, want 200 %s", got.status, got.body, foundLyrics)
				}
			})
		}
	}
	all.Wait()
	if n := server.count(); n != len(h.ids) {
		t.Errorf("requests for %d songs: got %d, want one for each", len(h.ids), n)
	}
	if most > 2 {
		t.Errorf("requests at once: got %d, want at most 2", most)
	}
}
