package scan

import "sync"

// lister lists folders ahead of the walk, a few at a time, so that a disk or a second processor is not left idle.
type lister struct {
	tree   tree
	before func(dir string) // called before each folder is listed
	slots  chan struct{}
	work   sync.WaitGroup
}

// listing is the content of a folder, there or on its way.
type listing struct {
	entries []entry
	err     error
	done    chan struct{}
}

func newLister(t tree, before func(dir string)) *lister {
	return &lister{tree: t, before: before, slots: make(chan struct{}, 6)}
}

// begin starts to list a folder; nil when enough others are on their way.
func (l *lister) start(dir string) *listing {
	select {
	case l.slots <- struct{}{}:
	default:
		return nil
	}
	out := &listing{done: make(chan struct{})}
	l.work.Go(func() {
		defer close(out.done)
		defer func() { <-l.slots }()
		l.before(dir)
		out.entries, out.err = l.tree.list(dir)
	})
	return out
}

// list returns what begin has started, or lists the folder now.
func (l *lister) list(dir string, started *listing) ([]entry, error) {
	if started == nil {
		l.before(dir)
		return l.tree.list(dir)
	}
	<-started.done
	return started.entries, started.err
}

// wait returns when nothing is on its way any more.
func (l *lister) wait() { l.work.Wait() }
