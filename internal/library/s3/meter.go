package s3

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"waxwing/internal/library"
)

// meter counts requests and remembers the last failure.
type meter struct {
	transport *http.Transport

	lists, gets, heads, failures, denied, bytes atomic.Int64
	// unordered is set if a listing was not in the order of keys.
	unordered atomic.Bool

	mu      sync.Mutex
	failure error
	at      time.Time
}

func newMeter(t *http.Transport) *meter { return &meter{transport: t} }

// RoundTrip implements http.RoundTripper.
func (m *meter) RoundTrip(r *http.Request) (*http.Response, error) {
	list := r.URL.Query().Has("list-type")
	switch {
	case list:
		m.lists.Add(1)
	case r.Method == http.MethodHead:
		m.heads.Add(1)
	default:
		m.gets.Add(1)
	}
	resp, err := m.transport.RoundTrip(r)
	if err == nil {
		noteReply(r.Context(), resp)
	}
	switch {
	case err != nil:
		if r.Context().Err() == nil {
			m.failures.Add(1)
		}
	case resp.StatusCode >= http.StatusInternalServerError:
		m.failures.Add(1)
	case resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusUnauthorized:
		m.denied.Add(1)
	default:
		m.note(nil)
		if !list && r.Method == http.MethodGet {
			m.bytes.Add(max(resp.ContentLength, 0))
		}
	}
	return resp, err
}

// note records the result of the last request; nil: the storage is available.
func (m *meter) note(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failure, m.at = err, time.Now()
}

// Stats implements library.Remote.
func (b *Bucket) Stats() library.Stats {
	m := b.meter
	return library.Stats{
		Lists: m.lists.Load(), Gets: m.gets.Load(), Heads: m.heads.Load(), Failures: m.failures.Load(),
		Denied: m.denied.Load(), Bytes: m.bytes.Load(),
	}
}

// Health implements library.Remote. The time is zero before the first request.
func (b *Bucket) Health() (at time.Time, failure error) {
	b.meter.mu.Lock()
	defer b.meter.mu.Unlock()
	return b.meter.at, b.meter.failure
}
