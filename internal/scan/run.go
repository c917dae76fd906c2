package scan

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync/atomic"

	"waxwing/internal/catalog"
	"waxwing/internal/library"
)

// run is one scan.
type run struct {
	*Scanner
	opts       Options
	progress   *tracker
	trees      map[string]library.Tree // open roots by name
	found      walkResult
	ids        *identifier
	files      []*candidate // read, not identified yet
	waiting    []*candidate // see identify
	batch      []catalog.ScannedSong
	companions []catalog.File // images and lyrics of the songs that were ingested
	problems   []catalog.Problem
	report     Report
	incomplete bool // the listing of a root failed
}

func (r *run) scan(ctx context.Context) error {
	known, err := r.store.Roots(ctx)
	if err != nil {
		return err
	}
	others := &otherRoots{configured: r.roots, find: r.find, open: map[string]library.Tree{}}
	defer others.close()
	r.ids = &identifier{
		store: r.store, empty: len(known) == 0, others: others,
		vanished: map[string]bool{}, replaced: map[string]bool{}, taken: map[string]bool{},
	}
	r.found.counter = &r.progress.found
	r.openRoots(ctx)
	defer r.closeRoots()
	if r.ids.empty {
		err = r.firstScan(ctx)
	} else {
		err = r.updateScan(ctx, known)
	}
	if err != nil {
		return err
	}
	r.progress.enter(Finishing)
	return r.finish(ctx)
}

func (r *run) openRoots(ctx context.Context) {
	r.trees = map[string]library.Tree{}
	for _, root := range r.roots {
		t, err := root.Open(ctx)
		if err != nil {
			r.found.addUnavailable(r.log, root.Name(), reason(err))
			continue
		}
		r.trees[root.Name()] = guard(t)
	}
}

func (r *run) closeRoots() {
	for _, t := range r.trees {
		t.Close()
	}
}

// walkRoots walks all roots and passes folders with files to read to emit.
func (r *run) walkRoots(ctx context.Context, out *walkResult, emit func(*job) error) error {
	for _, root := range r.roots {
		t := r.trees[root.Name()]
		if t == nil {
			continue
		}
		if err := r.walk(ctx, root, t, out, emit); err != nil {
			return fmt.Errorf("walk %s: %w", root.Name(), err)
		}
	}
	return nil
}

// reportWalk copies the result of a walk into the report and the progress.
func (r *run) reportWalk() {
	r.report.Files, r.report.Unchanged = r.found.audio, r.found.unchanged
	r.report.Unavailable, r.report.Unreadable = r.found.unavailable, r.found.unreadable
	r.progress.total.Store(int64(r.found.toRead))
}

// firstScan reads files during the walk. An empty catalog has no songs to recognise, so that each
// file can be ingested when it is found, and memory does not grow with the number of files.
func (r *run) firstScan(ctx context.Context) error {
	r.progress.enter(Reading)
	stop := r.startCounting(ctx)
	defer stop()
	return r.read(ctx, catalog.BatchLimit, func(ctx context.Context, emit func(*job) error) error {
		err := r.walkRoots(ctx, &r.found, emit)
		stop()
		r.reportWalk()
		return err
	})
}

// updateScan walks all roots before it reads a file: a moved song can be recognised only when all
// vanished files are known.
func (r *run) updateScan(ctx context.Context, known []string) error {
	var changed, added jobs
	err := r.walkRoots(ctx, &r.found, func(j *job) error {
		if j.changed {
			changed.add(j)
		} else if added.files < r.maxPending {
			added.add(j)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.forgetRoots(ctx, known); err != nil {
		return err
	}
	for _, v := range r.found.vanished {
		if v.SongID != "" {
			r.ids.vanished[v.SongID] = true
		}
	}
	r.reportWalk()
	r.progress.enter(Reading)
	// Folders with changed files come first, in one batch: a new file elsewhere may be the former
	// content of a changed one.
	if err := r.read(ctx, math.MaxInt, changed.each); err != nil {
		return err
	}
	if err := r.read(ctx, identifyWindow, r.newFileJobs(added)); err != nil {
		return err
	}
	r.ids.assignWaiting(r.waiting)
	for _, f := range r.waiting {
		if err := r.ingest(ctx, f); err != nil {
			return err
		}
	}
	return r.flush(ctx)
}

// newFileJobs returns the source of the folders with new files: the collected jobs, or a second
// walk if there were more than maxPending files.
func (r *run) newFileJobs(added jobs) jobSource {
	if added.files < r.maxPending {
		return added.each
	}
	return func(ctx context.Context, emit func(*job) error) error {
		return r.walkRoots(ctx, &walkResult{counter: new(atomic.Int64)}, func(j *job) error {
			if j.changed {
				return nil // read already
			}
			return emit(j)
		})
	}
}

// forgetRoots marks all files of forgotten roots as vanished.
func (r *run) forgetRoots(ctx context.Context, known []string) error {
	for _, name := range known {
		if !r.hasRoot(name) && r.opts.Forget != nil && r.opts.Forget(name) {
			if err := r.forgetRoot(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) forgetRoot(ctx context.Context, name string) error {
	before := len(r.found.vanished)
	for known, err := range r.store.Files(ctx, name) {
		if err != nil {
			return err
		}
		if !known.Missing {
			r.found.vanished = append(r.found.vanished, known)
		}
	}
	if files := len(r.found.vanished) - before; files > 0 {
		level := slog.LevelWarn
		if strings.HasSuffix(name, ":") { // the demo library is expected to give way to the first music folder
			level = slog.LevelInfo
		}
		r.log.Log(ctx, level, "a folder is no longer a music folder; its songs become unavailable",
			"folder", name, "files", files)
	}
	return nil
}
