package scan

import (
	"context"
	"sync"

	"waxwing/internal/library"
)

// startCounting counts the files of all roots in the background, so that a first scan can report
// its progress. When stop is called, the scan itself knows the number.
func (r *run) startCounting(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() {
		total := 0
		for _, t := range r.trees {
			if _, remote := t.(library.Walker); remote {
				return // a second listing costs as much as the first
			}
			total += count(ctx, t, ".", 0)
		}
		if ctx.Err() == nil {
			r.progress.total.Store(int64(total))
		}
	})
	return func() { cancel(); work.Wait() }
}

// count returns the number of audio files below dir. The walk reports folders that cannot be
// listed.
func count(ctx context.Context, t library.Tree, dir string, depth int) (n int) {
	if ctx.Err() != nil {
		return 0
	}
	entries, err := t.List(ctx, dir)
	if err != nil {
		return 0
	}
	for _, e := range entries {
		switch {
		case ignored(e.Name):
		case e.Mode.IsDir() && depth < maxDepth:
			n += count(ctx, t, join(dir, e.Name), depth+1)
		case e.Mode == 0 && isAudio(e.Name):
			n++
		}
	}
	return n
}
