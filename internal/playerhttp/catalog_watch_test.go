package playerhttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"waxwing/api/playerapi"
	"waxwing/internal/playerhttp"
	"waxwing/internal/testenv"
)

// revisionSource is a catalog whose revision the test controls. The report "" is a connection
// error.
type revisionSource struct {
	reports chan string
	opened  atomic.Int32 // connections so far
	open    atomic.Int32 // connections now
}

func (s *revisionSource) revisions(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		s.opened.Add(1)
		s.open.Add(1)
		defer s.open.Add(-1)
		for {
			select {
			case <-ctx.Done():
				return
			case report, ok := <-s.reports:
				if !ok {
					return
				}
				var err error
				if report == "" {
					err = errors.New("connection reset")
				}
				if !yield(report, err) {
					return
				}
			}
		}
	}
}

func startWithRevisions(t *testing.T) (*fixture, *revisionSource) {
	t.Helper()
	source := &revisionSource{reports: make(chan string)}
	h := start(t, 1, func(cfg *playerhttp.Config) { cfg.CatalogRevisions = source.revisions })
	return h, source
}

// nextCatalog returns the data of the next catalog event, checked against api/player.yaml.
func (l *listener) nextCatalog(t testing.TB) playerapi.CatalogState {
	t.Helper()
	name := ""
	for l.lines.Scan() {
		field, value, _ := strings.Cut(l.lines.Text(), ": ")
		if field == "event" {
			name = value
		}
		if field != "data" || name != "catalog" {
			continue
		}
		var loose any
		var state playerapi.CatalogState
		if err := errors.Join(json.Unmarshal([]byte(value), &loose), json.Unmarshal([]byte(value), &state)); err != nil {
			t.Fatal(err)
		}
		schema := document().Components.Schemas["CatalogState"].Value
		if err := schema.VisitJSON(loose, openapi3.EnableJSONSchema2020()); err != nil {
			t.Fatalf("got event %s, want one as in api/player.yaml: %v", value, err)
		}
		return state
	}
	t.Fatalf("the stream ended before a catalog event: %v", l.lines.Err())
	return playerapi.CatalogState{}
}

func (l *listener) wantCatalog(t testing.TB, revision string, reachable bool) {
	t.Helper()
	got := l.nextCatalog(t)
	if got.Revision == nil && revision != "" || got.Revision != nil && *got.Revision != revision ||
		got.Reachable != reachable {
		data, _ := json.Marshal(got)
		t.Errorf("got catalog event %s, want revision %q, reachable %v", data, revision, reachable)
	}
}

func TestEventsReportCatalogRevision(t *testing.T) {
	h, source := startWithRevisions(t)
	l := h.listen(t, "read")
	source.reports <- ""
	l.wantCatalog(t, "", false)
	source.reports <- "e.1"
	l.wantCatalog(t, "e.1", true)
	source.reports <- "e.2"
	l.wantCatalog(t, "e.2", true)
	source.reports <- ""
	l.wantCatalog(t, "e.2", false)
	source.reports <- "" // a second failure is not reported again
	source.reports <- "e.2"
	l.wantCatalog(t, "e.2", true)

	// A later listener gets the current revision at once, over the same connection.
	late := h.listen(t, "read")
	late.wantCatalog(t, "e.2", true)
	if got := source.opened.Load(); got != 1 {
		t.Errorf("got %d connections to the catalog, want 1", got)
	}
}

func TestCatalogConnectionIsOpenOnlyWhileClientsListen(t *testing.T) {
	h, source := startWithRevisions(t)
	if got := source.open.Load(); got != 0 {
		t.Fatalf("got %d connections without a listener, want 0", got)
	}
	first, second := h.listen(t, "read"), h.listen(t, "read")
	source.reports <- "e.1"
	first.wantCatalog(t, "e.1", true)
	second.wantCatalog(t, "e.1", true)
	first.resp.Body.Close()
	source.reports <- "e.2"
	second.wantCatalog(t, "e.2", true)
	second.resp.Body.Close()
	testenv.WaitFor(t, "the connection to the catalog is closed", func() bool { return source.open.Load() == 0 })

	// The old revision is not reported: it may have changed while nobody listened.
	third := h.listen(t, "read")
	source.reports <- "e.9"
	third.wantCatalog(t, "e.9", true)
}

func TestCatalogWithoutRevisionsCausesNoEvent(t *testing.T) {
	h, source := startWithRevisions(t)
	close(source.reports)
	l := h.listen(t, "read")
	if _, _, err := l.next(t); err != nil { // fails on any event but state
		t.Fatal(err)
	}
	testenv.WaitFor(t, "the log reports a catalog without revisions", func() bool {
		return strings.Contains(h.log.String(), "does not report its revision")
	})
	h.do(t, "POST", "/volume", "write", `{"volume":7}`)
	l.until(t, "the volume", func(s playerapi.State) bool { return s.Volume == 7 })
	if got := source.opened.Load(); got != 1 {
		t.Errorf("got %d connections to the catalog, want 1", got)
	}
}
