package cli

import (
	"context"
	"runtime/debug"
	"time"
)

// settled is when a server has come to rest after its start: at once over a library that it knows, later after
// a first scan.
var settled = [...]time.Duration{5 * time.Second, 30 * time.Second, 3 * time.Minute}

// settle gives back the memory that only the start needed. Then it wakes no more.
func settle(ctx context.Context) {
	for _, wait := range settled {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
			debug.FreeOSMemory()
		}
	}
}
