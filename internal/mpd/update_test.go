package mpd

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/client"
)

// scannedCatalog is a catalog whose scans end before the reply to their request. The first scan
// adds a song.
type scannedCatalog struct {
	scansAtOnce int           // of which all but the first find nothing
	open        chan struct{} // the revisions are sent from then on

	mu    sync.Mutex
	scans int
	more  chan struct{} // closed when the songs change
}

func (c *scannedCatalog) scan() string {
	added := 0
	if c.scans == 1 {
		added = 1
	}
	return fmt.Sprintf(`{"scan": {"running": false, "songs_added": %d, "started_at": "2026-11-15T08:30:%02d.000Z",
		"finished_at": "2026-11-15T08:30:%02d.500Z", "songs_version": "%d"}}`, added, c.scans, c.scans, min(c.scans, 1))
}

func (c *scannedCatalog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Waxwing-Version", "test")
	switch r.Method + " " + r.URL.Path {
	case "POST /api/scan":
		c.mu.Lock()
		defer c.mu.Unlock()
		c.scans += c.scansAtOnce
		close(c.more)
		fmt.Fprint(w, c.scan())
	case "GET /api/scan":
		c.mu.Lock()
		defer c.mu.Unlock()
		fmt.Fprint(w, c.scan())
	case "GET /api/events":
		c.events(w, r)
	default:
		fmt.Fprint(w, `{"playlists": [], "total": 0}`)
	}
}

func (c *scannedCatalog) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	select {
	case <-c.open:
	case <-c.more:
	}
	for {
		c.mu.Lock()
		version := min(c.scans, 1)
		c.mu.Unlock()
		fmt.Fprintf(w, "event: revision\ndata: {\"revision\": \"%d\", \"songs_version\": \"%d\"}\n\n", version, version)
		w.(http.Flusher).Flush()
		more := c.more
		if version == 1 {
			more = nil
		}
		select {
		case <-r.Context().Done():
			return
		case <-more:
		}
	}
}

// What a requested scan adds is reported, whenever the scan, another one after it and the first
// revision of the catalog arrive.
func TestUpdateLosesNoEventOfAScan(t *testing.T) {
	for _, test := range []struct {
		name        string
		scansAtOnce int
		late        bool // the catalog is followed late
	}{
		{"a scan that ended before the reply", 1, false},
		{"a second scan before the first was noticed", 2, false},
		{"a scan before the catalog is followed", 1, true},
		{"two scans before the catalog is followed", 2, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			stub := &scannedCatalog{scansAtOnce: test.scansAtOnce, open: make(chan struct{}), more: make(chan struct{})}
			catalog := httptest.NewServer(stub)
			defer catalog.Close()
			defer catalog.CloseClientConnections()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			srv, err := New(Config{
				Catalog:     &client.Catalog{BaseURL: catalog.URL, HTTP: catalog.Client()},
				StickerFile: filepath.Join(t.TempDir(), "stickers"), Metrics: prometheus.NewRegistry(),
			})
			if err != nil {
				t.Fatal(err)
			}
			srv.ctx = ctx
			var following sync.WaitGroup
			following.Go(func() { srv.followCatalog(ctx) })
			defer following.Wait()
			defer cancel()
			conn, peer := net.Pipe()
			defer conn.Close()
			defer peer.Close()
			s := newSession(srv, conn, true)
			s.ctx = ctx
			srv.hub.add(s)
			srv.enter(s)
			if test.late {
				time.AfterFunc(200*time.Millisecond, func() { close(stub.open) })
			} else {
				close(stub.open)
			}
			if err := s.update(nil, false); err != nil {
				t.Fatal(err)
			}
			want := uint32(eventUpdate | eventDatabase)
			for ctx.Err() == nil && (s.pending.Load()&want != want || srv.updates.running() != 0) {
				time.Sleep(time.Millisecond)
			}
			if got := s.pending.Load() & want; got != want || srv.updates.running() != 0 {
				t.Errorf("events: got %b, running job %d; want %b and none", got, srv.updates.running(), want)
			}
		})
	}
}
