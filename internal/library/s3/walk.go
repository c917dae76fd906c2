package s3

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"

	"waxwing/internal/fault"
	"waxwing/internal/library"
)

// walk lists the folders of a tree from one listing of all its objects, a thousand a request, in
// the order of their keys. Only folders with very many objects below them are listed themselves;
// then the rest of the listing is split by their subfolders and fetched in parallel.
type walk struct {
	ctx     context.Context
	tree    tree
	work    sync.WaitGroup
	spans   []*span  // the rest of the listing
	pending []listed // fetched, and not before the last folder
	last    string   // path of the last object that was fetched
	done    bool     // everything is fetched
	err     error    // of an earlier folder
}

// listed is an object of the listing.
type listed struct {
	path   string // below the tree
	size   int64
	micros int64 // see versionOf
}

// Walk implements library.Walker.
func (t tree) Walk(ctx context.Context) (list func(dir string) ([]library.Entry, error), end func()) {
	if t.meter.unordered.Load() {
		return func(dir string) ([]library.Entry, error) { return t.List(ctx, dir) }, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	w := &walk{ctx: ctx, tree: t, spans: []*span{{}}}
	return w.list, func() {
		cancel()
		w.work.Wait()
	}
}

func (w *walk) list(dir string) ([]library.Entry, error) {
	if w.err != nil {
		return nil, w.err
	}
	var entries []library.Entry
	entries, w.err = w.folder(dir)
	return entries, w.err
}

// folder returns the entries of a folder.
func (w *walk) folder(dir string) ([]library.Entry, error) {
	first, past := "", ""
	if dir != "." {
		first, past = dir+"/", dir+"0" // '0' follows '/'
	}
	i, _ := slices.BinarySearchFunc(w.pending, first, func(o listed, p string) int { return cmp.Compare(o.path, p) })
	w.pending = slices.Delete(w.pending, 0, i)
	for !w.done && len(w.pending) < w.tree.limits.folder && (past == "" || w.last < past) {
		o, more, err := w.next()
		if err != nil {
			return nil, err
		}
		if !more {
			w.done = true
		} else if o.path >= first { // otherwise of a folder that was left out
			w.pending = append(w.pending, o)
		}
	}
	if w.done || past != "" && w.last >= past {
		return entriesIn(w.pending, first, past), nil
	}
	return w.largeFolder(dir, first)
}

// largeFolder lists a folder with more objects below it than are kept in memory.
func (w *walk) largeFolder(dir, first string) ([]library.Entry, error) {
	entries, err := w.tree.List(w.ctx, dir)
	if err != nil {
		return nil, err
	}
	var before int
	var rest []string
	for _, e := range entries {
		if p := first + e.Name + "/"; e.Mode.IsDir() && p <= w.last {
			before++
		} else if e.Mode.IsDir() {
			rest = append(rest, p)
		}
	}
	slices.Sort(rest)
	density := len(w.pending)/max(before, 1) + 1 // objects of a subfolder
	w.split(rest, max(w.tree.limits.segment/density, 1))
	return entries, nil
}

// split replaces the span that is being read by several, each with a number of folders.
func (w *walk) split(folders []string, each int) {
	if len(w.spans) == 0 {
		return
	}
	current := w.spans[0]
	current.stop()
	spans := []*span{{after: w.last}}
	for i := each; i < len(folders); i += each {
		if current.before != "" && folders[i] >= current.before {
			break
		}
		spans[len(spans)-1].before = folders[i]
		spans = append(spans, &span{after: folders[i]})
	}
	spans[len(spans)-1].before = current.before
	w.spans = append(spans, w.spans[1:]...)
}

// next returns the next object of the listing.
func (w *walk) next() (o listed, more bool, err error) {
	for len(w.spans) > 0 {
		for _, s := range w.spans[:min(len(w.spans), w.tree.limits.ahead)] {
			w.start(s)
		}
		s := w.spans[0]
		o, open := <-s.objects
		if !open {
			if s.err != nil {
				return o, false, s.err
			}
			if err := w.ctx.Err(); err != nil {
				return o, false, err
			}
			w.spans = w.spans[1:]
			continue
		}
		if o.path <= w.last {
			w.tree.meter.unordered.Store(true)
			return o, false, errUnordered
		}
		w.last = o.path
		return o, true, nil
	}
	return listed{}, false, nil
}

var errUnordered = fault.Wrap(fault.Unavailable, errors.New("keys are not in byte order"),
	"the storage does not list objects in the order of their keys; folders are listed one by one from now on")

// span is a part of the listing: the keys after one and before another.
type span struct {
	after, before string
	objects       chan listed // nil before the start
	err           error       // valid when objects is closed
	cancel        context.CancelFunc
}

// stop ends a started span. Its goroutine ends soon.
func (s *span) stop() {
	if s.cancel != nil {
		s.cancel()
	}
}

// start begins to fetch a span, once.
func (w *walk) start(s *span) {
	if s.objects != nil {
		return
	}
	s.objects = make(chan listed, w.tree.limits.segment+w.tree.limits.segment/4)
	ctx, cancel := context.WithCancel(tracked(w.ctx))
	s.cancel = cancel
	w.work.Go(func() {
		defer cancel()
		defer close(s.objects)
		s.err = w.fetch(ctx, s)
	})
}

func (w *walk) fetch(ctx context.Context, s *span) error {
	t := w.tree
	opts := minio.ListObjectsOptions{Prefix: t.at, Recursive: true, MaxKeys: t.limits.page}
	if s.after != "" {
		opts.StartAfter = t.at + s.after
	}
	for o := range t.client.ListObjectsIter(ctx, t.bucket, opts) {
		if o.Err != nil {
			return t.explain(ctx, o.Err)
		}
		p := strings.TrimPrefix(o.Key, t.at)
		if s.before != "" && p >= s.before {
			return nil
		}
		if !validPath(p) {
			continue
		}
		v := versionOf(o)
		select {
		case s.objects <- listed{strings.Clone(p), v.Size, v.ModTime.UnixMicro()}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// entriesIn returns the entries of the folder whose paths begin with first, among objects in the
// order of their paths.
func entriesIn(objects []listed, first, past string) (out []library.Entry) {
	folder := ""
	for _, o := range objects {
		if past != "" && o.path >= past {
			break
		}
		name, _, isDir := strings.Cut(o.path[len(first):], "/")
		switch {
		case !isDir:
			out = append(out, library.Entry{Name: name, Version: library.Version{
				Size: o.size, ModTime: time.UnixMicro(o.micros),
			}})
		case name != folder:
			folder = name
			out = append(out, library.Entry{Name: name, Mode: fs.ModeDir})
		}
	}
	return out
}
