package testenv

import (
	"runtime/metrics"
	"testing"
	"time"
)

// The limits for one input of unknown origin, however malformed.
const (
	inputMemory = 256 << 20
	inputTime   = 2 * time.Second
)

// CheckCost runs f, which parses one hostile input, and fails the test if that took more than 2 s
// or allocated more than 256 MiB.
func CheckCost(t testing.TB, f func()) {
	t.Helper()
	before, start := allocated(), time.Now()
	f()
	if took := time.Since(start); took > inputTime {
		t.Errorf("one input took %v, want at most %v", took, inputTime)
	}
	if grown := allocated() - before; grown > inputMemory {
		t.Errorf("one input allocated %d MiB, want at most %d", grown>>20, inputMemory>>20)
	}
}

// allocated returns the number of bytes that this process has allocated since it started.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
