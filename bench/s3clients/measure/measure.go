// Package measure counts what requests cost a client.
package measure

import (
	"context"
	"fmt"
	"io"
	"log"
	"runtime"
	"syscall"
	"time"
)

// Size is the length of a range.
const Size = 64 << 10

// Gets calls get many times and prints what one call costs.
func Gets(name string, get func(ctx context.Context) (io.ReadCloser, error)) {
	const calls = 2000
	one := func() {
		body, err := get(context.Background())
		if err != nil {
			log.Fatal(err)
		}
		n, err := io.Copy(io.Discard, body)
		if err != nil || n != Size {
			log.Fatalf("got %d bytes, %v; want %d", n, err, Size)
		}
		_ = body.Close() // all of it was read
	}
	for range 20 {
		one()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cpu := processorTime()
	for range calls {
		one()
	}
	cpu = processorTime() - cpu
	runtime.ReadMemStats(&after)
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // zero is printed
	fmt.Printf("%-8s per GET of 64 KiB: %.1f KB in %d allocations, %.2f ms of processor time; memory %.1f MB\n", name,
		float64(after.TotalAlloc-before.TotalAlloc)/calls/1000, (after.Mallocs-before.Mallocs)/calls,
		float64(cpu.Microseconds())/calls/1000, float64(usage.Maxrss)/1000)
}

func processorTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // zero is printed
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
