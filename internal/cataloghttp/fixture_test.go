package cataloghttp_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/access"
	"waxwing/internal/catalog"
	"waxwing/internal/cataloghttp"
	"waxwing/internal/testenv/apitest"
	"waxwing/internal/testenv/catalogtest"
)

const version = "1.2.3-test"

// fixture is a catalog with its server on a loopback port.
type fixture struct {
	*catalogtest.Catalog
	url   string
	cfg   cataloghttp.Config
	store *catalog.Store
	music string            // folder of the files
	keys  map[string]string // secrets by name: read, write, both of Ann; bob has both
	ids   []string          // ids of the songs
	http  *http.Client
}

// onBoth runs f with a fixture on SQLite and one on PostgreSQL.
func onBoth(t *testing.T, songs int, f func(t *testing.T, h *fixture)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(t, start(t, songs)) })
	t.Run("postgres", func(t *testing.T) {
		f(t, startOn(t, cluster.Database(t), songs))
	})
}

func start(t testing.TB, songs int, change ...func(*cataloghttp.Config)) *fixture {
	t.Helper()
	return startOn(t, filepath.Join(t.TempDir(), "catalog.db"), songs, change...)
}

func startOn(t testing.TB, db string, songs int, change ...func(*cataloghttp.Config)) *fixture {
	t.Helper()
	c := catalogtest.Open(t, db)
	h := &fixture{
		Catalog: c, store: c.Store, music: c.Music, keys: map[string]string{},
		http: &http.Client{Transport: &http.Transport{DisableCompression: true}},
	}
	log := slog.New(slog.DiscardHandler)
	h.cfg = cataloghttp.Config{
		Catalog: h.store, Version: version, Picture: c.Picture, Metrics: prometheus.NewRegistry(), Log: log,
		OpenFile: c.OpenFile,
	}
	for _, f := range change {
		f(&h.cfg)
	}
	h.fill(t, songs)
	server, err := cataloghttp.New(t.Context(), h.cfg)
	if err != nil {
		t.Fatal(err)
	}
	ln := apitest.Listen(t)
	h.url = "http://" + ln.Addr().String()
	stop := apitest.Serve(t, ln, server, log)
	t.Cleanup(func() {
		h.http.CloseIdleConnections()
		stop()
	})
	return h
}

// fill adds users, keys and songs.
func (h *fixture) fill(t testing.TB, songs int) {
	t.Helper()
	ctx := t.Context()
	h.AddUsers(t)
	for name, k := range map[string]catalog.NewKey{
		"read": {Owner: "ann", Permissions: []string{"read"}}, "write": {Owner: "ann", Permissions: []string{"write"}},
		"both":          {Owner: "ann", Permissions: []string{"read", "write"}},
		"bob":           {Owner: "bob", Permissions: []string{"read", "write"}},
		"bob with keys": {Owner: "bob", Permissions: []string{"read", "write", "keys"}},
		"keys":          {Owner: "ann", Permissions: []string{"keys"}},
		"all":           {Owner: "ann", Permissions: []string{"read", "write", "keys"}},
	} {
		secret, hash := access.Mint(access.KeyPrefix)
		k.Name, k.Hash = name, hash.String()
		if _, err := h.store.CreateKey(ctx, k); err != nil {
			t.Fatal(err)
		}
		h.keys[name] = secret
	}
	h.ids = h.add(t, 1, songs)
}

// add adds songs with files, numbered from first, to the catalog.
func (h *fixture) add(t testing.TB, first, songs int) (ids []string) {
	t.Helper()
	return h.Add(t, first, songs, func(n int) catalog.ScannedSong {
		explicit := n%2 == 0
		return catalog.ScannedSong{
			Title: fmt.Sprintf("Song <%d> & \"more\"", n), Genres: []string{"Pop"}, Year: 1990 + n%10, Track: n, Disc: 1,
			Explicit: &explicit,
			Credits: []catalog.Credit{
				{Artist: catalog.ArtistTag{Name: fmt.Sprintf("Artist %d", n%3)}, Role: catalog.MainArtist},
				{Artist: catalog.ArtistTag{Name: "Guest"}, Role: catalog.FeaturedArtist},
			},
			Album: &catalog.AlbumTag{
				Title: fmt.Sprintf("Album %d", n%4), Artists: []catalog.ArtistTag{{Name: "Artist 0"}}, Year: 1999,
			},
			Duration: time.Duration(100+n) * time.Second, Format: "flac", Bitrate: 800,
		}
	})
}

// reply is a response with its body.
type reply struct {
	status int
	header http.Header
	body   string
}

// do sends a request with the key of that name ("" for none) and compares the response with the
// document.
func (h *fixture) do(t testing.TB, key, method, path, body string, header ...string) reply {
	t.Helper()
	req := apitest.NewRequest(t, method, h.url+path, body, header...)
	if key != "" {
		req.Header.Add("X-Api-Key", h.keys[key])
	}
	resp, content := apitest.Send(t, h.http, req)
	got := reply{resp.StatusCode, resp.Header, content}
	checkAgainstDocument(t, req, got)
	return got
}

// get sends a GET with a read key of Ann.
func (h *fixture) get(t testing.TB, path string, header ...string) reply {
	t.Helper()
	return h.do(t, "read", http.MethodGet, path, "", header...)
}

// is checks the status and decodes the body.
func (r reply) is(t testing.TB, status int, into any) reply {
	t.Helper()
	if r.status != status {
		t.Fatalf("status: got %d, want %d: %s", r.status, status, r.body)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(r.body), into); err != nil {
			t.Fatalf("body: got %s, want JSON of %T: %v", r.body, into, err)
		}
	}
	return r
}

// fresh returns cfg for another server, with a metrics registry of its own.
func fresh(cfg cataloghttp.Config) cataloghttp.Config {
	cfg.Metrics = prometheus.NewRegistry()
	return cfg
}
