//go:build !unix

package testenv

import "time"

// processorTime returns the time of the clock: its differences are upper bounds.
func processorTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
