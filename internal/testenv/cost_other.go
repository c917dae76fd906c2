//go:build !unix

package testenv

import "time"

var processStart = time.Now()

// processorTime returns the time since the start of the process: an upper bound.
func processorTime() time.Duration { return time.Since(processStart) }
