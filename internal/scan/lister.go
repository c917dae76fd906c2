package scan

import (
	"context"
	"sync"

	"waxwing/internal/library"
)

// lister lists folders ahead of the walk, a few in parallel, to keep the disk and the processors
// busy.
type lister struct {
	ctx    context.Context
	tree   library.Tree
	onList func(dir string) // called before a folder is listed
	slots  chan struct{}
	work   sync.WaitGroup
	// walk lists folders in the order of the walk; nil for a tree that lists them in any order.
	walk func(dir string) ([]library.Entry, error)
	end  func()
}

// listing is the content of a folder, valid when done is closed.
type listing struct {
	entries []library.Entry
	err     error
	done    chan struct{}
}

func newLister(ctx context.Context, t library.Tree, onList func(dir string)) *lister {
	l := &lister{ctx: ctx, tree: t, onList: onList, slots: make(chan struct{}, 6), end: func() {}}
	if w, ok := t.(library.Walker); ok {
		l.walk, l.end = w.Walk(ctx)
	}
	return l
}

// start begins to list a folder. It returns nil if all slots are in use, or if the tree reads
// ahead itself.
func (l *lister) start(dir string) *listing {
	if l.walk != nil {
		return nil
	}
	select {
	case l.slots <- struct{}{}:
	default:
		return nil
	}
	out := &listing{done: make(chan struct{})}
	l.work.Go(func() {
		defer close(out.done)
		defer func() { <-l.slots }()
		l.onList(dir)
		out.entries, out.err = l.tree.List(l.ctx, dir)
	})
	return out
}

// list returns the result of a started listing, or lists the folder now if started is nil.
func (l *lister) list(dir string, started *listing) ([]library.Entry, error) {
	if l.walk != nil {
		return l.walk(dir)
	}
	if started == nil {
		l.onList(dir)
		return l.tree.List(l.ctx, dir)
	}
	<-started.done
	return started.entries, started.err
}

// wait ends the walk and waits for all started listings.
func (l *lister) wait() {
	l.end()
	l.work.Wait()
}

// listSubfolders starts to list the folders among entries ahead of the walk. The function it
// returns gives the listing of entry i, or nil if it was not started; it must be called in the
// order of entries.
func (w *walker) listSubfolders(dir string, entries []library.Entry, depth int) func(i int) *listing {
	if depth >= maxDepth {
		return func(int) *listing { return nil }
	}
	started := map[int]*listing{}
	next := 0
	return func(i int) *listing {
		for next = max(next, i); next < min(len(entries), i+64); next++ {
			if e := entries[next]; e.Mode.IsDir() && !ignored(e.Name) {
				l := w.lister.start(join(dir, e.Name))
				if l == nil {
					break
				}
				started[next] = l
			}
		}
		l := started[i]
		delete(started, i)
		next = max(next, i+1)
		return l
	}
}
