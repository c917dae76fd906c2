package gauge

import (
	"context"
	"time"
)

// Watch splits a window into rounds and returns, for each process, the processor time of every
// round in percent of one core.
func Watch(ctx context.Context, window time.Duration, rounds int, processes ...*Process) ([][]float64, error) {
	used := make([][]float64, len(processes))
	before := make([]time.Duration, len(processes))
	for round := range rounds + 1 {
		began := time.Now()
		if round > 0 {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(window / time.Duration(rounds)):
			}
		}
		for i, p := range processes {
			now, err := p.CPU()
			if err != nil {
				return nil, err
			}
			if round > 0 {
				used[i] = append(used[i], 100*float64(now-before[i])/float64(time.Since(began)))
			}
			before[i] = now
		}
	}
	return used, nil
}
