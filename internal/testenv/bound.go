package testenv

import (
	"runtime/metrics"
	"testing"
	"time"
)

// What one input of strangers may cost, however it is forged.
const (
	inputMemory = 256 << 20
	inputTime   = 2 * time.Second
)

// Bounded runs f, which reads one hostile input, and fails the test if that took more than 2 s or
// allocated more than 256 MB.
func Bounded(t testing.TB, f func()) {
	t.Helper()
	before, began := allocated(), time.Now()
	f()
	if took := time.Since(began); took > inputTime {
		t.Errorf("one input took %v", took)
	}
	if grown := allocated() - before; grown > inputMemory {
		t.Errorf("one input allocated %d MiB", grown>>20)
	}
}

// allocated is how many bytes this process has ever allocated.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
