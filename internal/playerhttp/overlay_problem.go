package playerhttp

import (
	"context"
	"net/http"
	"sync"
	"time"

	"waxwing/api/playerapi"
	"waxwing/api/timestamp"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

const (
	// overlayReportTime is how long the report of an overlay counts; it reports every minute.
	overlayReportTime = 150 * time.Second
	// overlayReportPause is how often a problem is passed on at most: anybody can report one.
	overlayReportPause = 5 * time.Second
)

// overlayProblem is the last report of an overlay that shows nothing.
type overlayProblem struct {
	mu      sync.Mutex
	problem string
	at      time.Time
	passed  map[string]time.Time // when each problem was passed on last
	changed chan struct{}        // closed at the next report; nil while nobody watches
}

// report passes on that an overlay shows nothing, unless another one had the problem a moment ago.
func (p *overlayProblem) report(problem string, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Sub(p.passed[problem]) < overlayReportPause {
		return
	}
	if p.passed == nil {
		p.passed = make(map[string]time.Time)
	}
	p.problem, p.at, p.passed[problem] = problem, now, now
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// watch returns the last report, which may have expired, and a channel that is closed at the next.
func (p *overlayProblem) watch() (problem string, expires time.Time, changed <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.problem, p.at.Add(overlayReportTime), p.changed
}

// overlayFailed receives the report of an overlay without a valid token, so it needs none.
func (s *server) overlayFailed(_ *http.Request, in playerapi.OverlayReport) (playerapi.OK, error) {
	if in.Problem != "no_token" && in.Problem != "refused" {
		return playerapi.OK{}, fault.New(fault.Invalid, "problem must be no_token or refused")
	}
	s.overlay.report(string(in.Problem), time.Now())
	return playerapi.OK{OK: true}, nil
}

// reportOverlay sends the reports of overlays to those who can create another token, until ctx is
// done or the client has disconnected.
func (s *server) reportOverlay(ctx context.Context, out *httpkit.EventWriter) {
	for {
		problem, expires, changed := s.overlay.watch()
		if time.Now().Before(expires) {
			data, err := encode(playerapi.OverlayProblem{
				Problem: playerapi.OverlayProblemName(problem), ExpiresAt: timestamp.At(expires),
			})
			if err != nil || out.Send("overlay", data) != nil {
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}
