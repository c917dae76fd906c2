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
	before, watch := allocated(), StartWatch()
	f()
	if took := watch.Elapsed(); took > inputTime {
		t.Errorf("one input took %v, want at most %v", took, inputTime)
	}
	if grown := allocated() - before; grown > inputMemory {
		t.Errorf("one input allocated %d MiB, want at most %d", grown>>20, inputMemory>>20)
	}
}

// Stopwatch measures the time of work that does not wait. Time in which other processes had the
// processors does not count.
type Stopwatch struct {
	start time.Time
	used  time.Duration
}

// StartWatch starts a stopwatch.
func StartWatch() Stopwatch { return Stopwatch{start: time.Now(), used: processorTime()} }

// Elapsed returns the time since the start or, if less, the processor time that this process has
// used since then.
func (s Stopwatch) Elapsed() time.Duration {
	return min(time.Since(s.start), processorTime()-s.used)
}

// allocated returns the number of bytes that this process has allocated since it started.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
