package cli

import (
	"context"
	"runtime/debug"
	"time"
)

// startTime is how long a start may take, with the look at the music folders that belongs to it.
const startTime = 5 * time.Second

// settle gives back, once, the memory that only the start needed: its garbage, and the pages of the
// program that it ran through and that are not needed again.
func settle(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(startTime):
		debug.FreeOSMemory()
		unmapProgram()
	}
}
