package art_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/internal/art"
	"waxwing/internal/fault"
)

// The work of a request that was cancelled ends before Close returns, so that nothing writes to a
// folder that is deleted next.
func TestCloseWaitsForAbandonedWork(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	var ended atomic.Bool
	s, err := art.Open(t.TempDir(), 1<<20, func(ctx context.Context, _ string) (art.Source, error) {
		leave()
		<-ctx.Done()
		time.Sleep(20 * time.Millisecond)
		ended.Store(true)
		return art.Source{}, ctx.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	wanted := art.Request{Hash: strings.Repeat("1", 32), Size: art.Thumbnail}
	if _, err := s.Get(ctx, wanted); err == nil {
		t.Error("a request that was cancelled: got no error, want one")
	}
	s.Close()
	if !ended.Load() {
		t.Error("Close returned before the work ended")
	}
	if _, err := s.Get(t.Context(), wanted); err == nil {
		t.Error("after Close: got no error, want one")
	} else if kind, _ := fault.Of(err); kind != fault.Unavailable {
		t.Errorf("after Close: got %v, want an Unavailable fault", err)
	}
}
