package testenv

import (
	"testing"
	"time"
)

// WaitFor waits until a condition holds, at most 5 s.
func WaitFor(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !condition(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited 5 s for: %s", what)
		}
	}
}
