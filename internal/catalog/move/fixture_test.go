package move_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/art"
	"waxwing/internal/catalog"
	"waxwing/internal/catalog/move"
	"waxwing/internal/cataloghttp"
)

// german creates a database with a German collation, which reveals queries that do not order by
// bytes.
func german(t testing.TB) string {
	t.Helper()
	plain := cluster.Database(t)
	db, err := sql.Open("pgx", plain)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	u, err := url.Parse(plain)
	if err != nil {
		t.Fatal(err)
	}
	name := u.Path[1:] + "_german"
	_, err = db.ExecContext(t.Context(), `CREATE DATABASE `+name+
		` TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'de-DE' LOCALE 'C.UTF-8'`)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

func dropTrigrams(t testing.TB, url string) {
	t.Helper()
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `DROP EXTENSION pg_trgm CASCADE`); err != nil {
		t.Fatal(err)
	}
}

func file(t testing.TB) string { return filepath.Join(t.TempDir(), "catalog.db") }

func open(t testing.TB, db string) *catalog.Store {
	t.Helper()
	s, err := catalog.Open(t.Context(), catalog.Config{DB: db})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// moveCatalog moves a catalog, which must succeed.
func moveCatalog(t testing.TB, from, to string) move.Report {
	t.Helper()
	report, err := move.Run(t.Context(), move.Plan{From: from, To: to})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// fixture is the catalog API of one database.
type fixture struct {
	store  *catalog.Store
	server http.Handler
}

func serve(t testing.TB, db string) fixture {
	t.Helper()
	s := open(t, db)
	pictures, err := art.Open(t.TempDir(), 1<<20, func(ctx context.Context, hash string) (art.Source, error) {
		c, err := s.Cover(ctx, hash)
		return art.Source{Seed: c.Seed}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	server, err := cataloghttp.New(t.Context(), cataloghttp.Config{
		Catalog: s, BaseURL: "http://music.example", Hosts: []string{"music.example"}, Version: "1", Picture: pictures.Get,
		Metrics: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler),
		OpenFile: func(_ context.Context, ref catalog.FileRef) (io.ReadSeekCloser, time.Time, error) {
			return sound{bytes.NewReader([]byte(ref.Root + ref.Path))}, time.UnixMilli(1), nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return fixture{s, server}
}

// sound is an audio file in memory.
type sound struct{ *bytes.Reader }

func (sound) Close() error { return nil }

// versions are in responses with the epoch, which differs between databases.
var versions = regexp.MustCompile(`("songs_version":")[0-9a-f]{8}\.`)

// get returns the status, the headers about the content and the body of a response.
func (h fixture) get(key, path string) string {
	w := httptest.NewRecorder()
	h.server.ServeHTTP(w, request(key, path))
	head := fmt.Sprintf("%d\n", w.Code)
	for _, name := range []string{"Content-Type", "Cache-Control", "Link", "Content-Length", "Last-Modified", "Location",
		"Allow", "Retry-After"} {
		head += fmt.Sprintf("%s: %q\n", name, w.Header().Values(name))
	}
	return head + versions.ReplaceAllString(w.Body.String(), "${1}epoch.")
}

// request returns a request from the loopback interface.
func request(key, path string) *http.Request {
	r := httptest.NewRequest("GET", path, nil)
	r.Host = "music.example"
	if key != "" {
		r.Header.Set("X-Api-Key", key)
	}
	return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey,
		&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}))
}
