package scan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"waxwing/internal/catalog"
)

// window is how many files are identified together: enough for the moves of an afternoon to be seen side by side.
const window = 4000

// run is one scan.
type run struct {
	*Scanner
	opts     Options
	progress *tracker
	found    findings
	who      *identifier
	batch    []catalog.SongTag
	problems []catalog.Problem
	report   Report
}

func (r *run) all(ctx context.Context) error {
	trees, err := r.look(ctx)
	defer func() {
		for _, t := range trees {
			t.Close()
		}
	}()
	if err != nil {
		return err
	}
	r.report.Files, r.report.Unchanged = r.found.audio, r.found.unchanged
	r.progress.enter(Reading)
	if err := r.read(ctx); err != nil {
		return err
	}
	r.progress.enter(Finishing)
	return r.finish(ctx)
}

// look walks through all roots and compares them with what the catalog knows.
func (r *run) look(ctx context.Context) (trees []tree, err error) {
	known, err := r.store.Roots(ctx)
	if err != nil {
		return nil, err
	}
	r.who = &identifier{store: r.store, empty: len(known) == 0, vanished: map[string]bool{}, replaced: map[string]bool{}, taken: map[string]bool{}}
	for _, root := range r.roots {
		t, err := root.open()
		if err != nil {
			// A disk that is not mounted says nothing about its files.
			r.log.Warn("cannot open a music folder", "folder", root.name, "err", reason(err))
			continue
		}
		trees = append(trees, t)
		if err := walk(ctx, root, t, r.store.Files(ctx, root.name), r.opts.Full, r.log, r.progress, &r.found); err != nil {
			return trees, fmt.Errorf("look through %s: %w", root.name, err)
		}
		r.count()
	}
	for _, name := range known {
		if strings.HasPrefix(name, catalog.MadeRoot) {
			continue // no scan has found these, so none can lose them
		}
		if !slices.ContainsFunc(r.roots, func(root Root) bool { return root.name == name }) {
			if err := r.forgetRoot(ctx, name); err != nil {
				return trees, err
			}
		}
	}
	for _, v := range r.found.vanished {
		if v.SongID != "" {
			r.who.vanished[v.SongID] = true
		}
	}
	if !r.opts.DryRun {
		r.folders.Store(&r.found.folders)
	}
	return trees, nil
}

func (r *run) count() {
	total := 0
	for _, j := range r.found.jobs {
		total += len(j.files)
	}
	r.progress.total.Store(int64(total))
}

// forgetRoot notes all files of a folder that is no music folder any more as vanished.
func (r *run) forgetRoot(ctx context.Context, name string) error {
	for known, err := range r.store.Files(ctx, name) {
		if err != nil {
			return err
		}
		if !known.Missing {
			r.found.vanished = append(r.found.vanished, known)
		}
	}
	return nil
}

// read reads and identifies the files. Folders in which a known file changed come first and together, because
// a file that is new elsewhere may be what one of them held before.
func (r *run) read(ctx context.Context) error {
	var changed, fresh []*job
	for _, j := range r.found.jobs {
		if j.changed {
			changed = append(changed, j)
		} else {
			fresh = append(fresh, j)
		}
	}
	var files, waiting []*candidate
	identify := func() error {
		wait, err := r.who.identify(ctx, files)
		if err != nil {
			return err
		}
		waiting = append(waiting, wait...)
		for _, f := range files {
			if f.song.ID != "" || f.place() == "" {
				if err := r.put(ctx, f); err != nil {
					return err
				}
			}
		}
		files = files[:0]
		return nil
	}
	err := r.readJobs(ctx, changed, func(result folderResult) error {
		files = append(files, result.songs...)
		r.note(result.problems)
		return nil
	})
	if err != nil {
		return err
	}
	if err := identify(); err != nil {
		return err
	}
	enough := window
	if r.who.empty {
		enough = catalog.BatchLimit // nobody to recognise, so nothing to wait for
	}
	err = r.readJobs(ctx, fresh, func(result folderResult) error {
		files = append(files, result.songs...)
		r.note(result.problems)
		if len(files) < enough {
			return nil
		}
		return identify()
	})
	if err != nil {
		return err
	}
	if err := identify(); err != nil {
		return err
	}
	r.who.settle(waiting)
	for _, f := range waiting {
		if err := r.put(ctx, f); err != nil {
			return err
		}
	}
	return r.flush(ctx)
}

// put counts a file whose song is decided and writes it with the next batch.
func (r *run) put(ctx context.Context, f *candidate) error {
	switch id := f.song.ID; {
	case id == "":
		r.report.Added++
		r.progress.added.Add(1)
	case f.same: // counted when it was met
	case id == f.place() && (f.known.Missing || f.known.Problem != ""):
		r.report.Restored++
		r.progress.changed.Add(1)
	case id == f.place():
		r.report.Changed++
		r.progress.changed.Add(1)
	case r.who.vanished[id] || r.who.replaced[id]:
		r.report.Moved++
		r.progress.changed.Add(1)
	default:
		r.report.Restored++
		r.progress.changed.Add(1)
	}
	r.batch = append(r.batch, f.song)
	if len(r.batch) < catalog.BatchLimit {
		return nil
	}
	return r.flush(ctx)
}

func (r *run) flush(ctx context.Context) error {
	if len(r.batch) > 0 && !r.opts.DryRun {
		if _, err := r.store.PutSongs(ctx, r.batch); err != nil {
			return err
		}
	}
	r.batch = r.batch[:0]
	return nil
}

// note keeps the problems until the songs are written: a file that cannot be read any more may have given its
// song to another place.
func (r *run) note(problems []catalog.Problem) {
	r.problems = append(r.problems, problems...)
	for _, p := range problems {
		r.log.Warn("a file could not be read", "file", p.File.Root+"/"+p.File.Path, "why", p.Sentence)
	}
}

// finish writes what depends on all songs: problems, losses and playlists.
func (r *run) finish(ctx context.Context) error {
	r.report.Problems = len(r.problems)
	var gone []catalog.FileRef
	for _, v := range r.found.vanished {
		gone = append(gone, v.FileRef)
		if v.SongID != "" && !r.who.taken[v.SongID] {
			r.report.Lost++
			r.progress.lost.Add(1)
		}
	}
	if r.opts.DryRun {
		return nil
	}
	if err := r.store.PutProblems(ctx, r.problems); err != nil {
		return err
	}
	if err := r.store.LoseFiles(ctx, gone); err != nil {
		return err
	}
	if err := r.store.PutSeen(ctx, r.found.images); err != nil {
		return err
	}
	if err := r.importPlaylists(ctx); err != nil {
		return err
	}
	return r.store.FinishScan(ctx)
}
