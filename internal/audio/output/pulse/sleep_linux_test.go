package pulse

import (
	"syscall"
	"testing"
	"time"

	"waxwing/internal/audio/output/streamtest"
	"waxwing/internal/testenv"
)

// After the end of an epoch, and while samples are missing, the stream must not use the processor.
func TestIdleStreamUsesNoProcessorTime(t *testing.T) {
	p := testenv.StartPulse(t)
	tape := streamtest.NewTape()
	s := open(t, p, tape.Config())
	tape.End(1, 2000)
	tape.Ready(2, 2000)
	s.Play()
	for epoch := range uint64(3) {
		if epoch > 0 {
			s.Cut(epoch)
		}
		streamtest.WaitFor(t, "pulled samples", func() bool { return tape.Pulled(epoch) >= 2000 })
		time.Sleep(200 * time.Millisecond)
		before := processorTime(t)
		time.Sleep(time.Second)
		if busy := processorTime(t) - before; busy > 500*time.Millisecond {
			t.Errorf("processor time in one second of epoch %d: got %v, want at most 500ms", epoch, busy)
		}
	}
}

// processorTime returns the processor time that this process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
