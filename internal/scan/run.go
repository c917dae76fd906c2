package scan

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"strings"
	"sync/atomic"

	"waxwing/internal/catalog"
)

// identifyWindow is how many files are identified together: batchSize for the moves of an afternoon to be seen side by side.
const identifyWindow = 4000

// run is one scan.
type run struct {
	*Scanner
	opts     Options
	progress *tracker
	trees    map[string]tree // by root, open for the time of the scan
	found    walkResult
	ids      *identifier
	files    []*candidate // read, not identified yet
	waiting  []*candidate // see identify
	batch    []catalog.ScannedSong
	images   []catalog.File // of the songs that were put
	problems []catalog.Problem
	report   Report
}

func (r *run) scan(ctx context.Context) error {
	known, err := r.store.Roots(ctx)
	if err != nil {
		return err
	}
	others := newOtherRoots(r.roots)
	defer others.close()
	r.ids = &identifier{store: r.store, empty: len(known) == 0, vanished: map[string]bool{}, replaced: map[string]bool{}, taken: map[string]bool{}, others: others}
	r.found.counter = &r.progress.found
	r.openRoots()
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

func (r *run) openRoots() {
	r.trees = map[string]tree{}
	for _, root := range r.roots {
		t, err := root.open()
		if err != nil {
			r.found.addUnavailable(r.log, root.name, reason(err))
			continue
		}
		r.trees[root.name] = t
	}
}

func (r *run) closeRoots() {
	for _, t := range r.trees {
		t.Close()
	}
}

// look walks through all roots and gives folders with files to read to emit.
func (r *run) walkRoots(ctx context.Context, out *walkResult, emit func(*job) error) error {
	for _, root := range r.roots {
		t := r.trees[root.name]
		if t == nil {
			continue
		}
		if err := r.walk(ctx, root, t, out, emit); err != nil {
			return fmt.Errorf("look through %s: %w", root.name, err)
		}
	}
	return nil
}

// looked takes over what a look at all roots has found.
func (r *run) reportWalk() {
	r.report.Files, r.report.Unchanged = r.found.audio, r.found.unchanged
	r.report.Unavailable, r.report.Unreadable = r.found.unavailable, r.found.unreadable
	r.progress.total.Store(int64(r.found.toRead))
}

// firstScan reads while it looks: in an empty catalog there is nobody to recognise, so a file can be put when it is met, and
// nothing of a large folder is held in memory.
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

// updateScan looks through all roots before it reads anything: a song can only be recognised in another place when it is
// known which files are gone.
func (r *run) updateScan(ctx context.Context, known []string) error {
	var changed, fresh jobs
	err := r.walkRoots(ctx, &r.found, func(j *job) error {
		if j.changed {
			changed.add(j)
		} else if fresh.files < r.maxPending {
			fresh.add(j)
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
	// Folders in which a known file changed come first and together, because a file that is new elsewhere may be
	// what one of them held before.
	if err := r.read(ctx, math.MaxInt, changed.each); err != nil {
		return err
	}
	if err := r.read(ctx, identifyWindow, r.newFileJobs(fresh)); err != nil {
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

// newFileJobs gives the folders with new files. Where there are too many of them to be remembered, it looks for them again.
func (r *run) newFileJobs(fresh jobs) jobSource {
	if fresh.files < r.maxPending {
		return fresh.each
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

// forgetRoots notes all files of folders that were given up as vanished.
func (r *run) forgetRoots(ctx context.Context, known []string) error {
	for _, name := range known {
		if strings.HasPrefix(name, catalog.MadeRoot) {
			continue // no scan has found these, so none can lose them
		}
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
		if !filepath.IsAbs(name) { // what is built in gives way to the first folder, as it should
			level = slog.LevelInfo
		}
		r.log.Log(ctx, level, "a folder is no music folder any more; its songs leave the lists", "folder", name, "files", files)
	}
	return nil
}

// read reads files, identifies as many together as batchSize says, and puts them.
func (r *run) read(ctx context.Context, batchSize int, source jobSource) error {
	err := r.readJobs(ctx, source, func(result folderResult) error {
		r.files = append(r.files, result.songs...)
		r.images = append(r.images, result.images...)
		r.addProblems(result.problems)
		if len(r.files) < batchSize {
			return nil
		}
		return r.identify(ctx)
	})
	if err != nil {
		return err
	}
	if err := r.identify(ctx); err != nil {
		return err
	}
	return r.flush(ctx)
}

// identify decides which songs the files are that were read, and puts them. A file at the place of a song, but with other
// sound, waits until all others are identified: the song may be found elsewhere.
func (r *run) identify(ctx context.Context) error {
	wait, err := r.ids.identify(ctx, r.files)
	if err != nil {
		return err
	}
	r.waiting = append(r.waiting, wait...)
	for _, f := range r.files {
		if f.song.ID != "" || f.knownSong() == "" {
			if err := r.ingest(ctx, f); err != nil {
				return err
			}
		}
	}
	clear(r.files)
	r.files = r.files[:0]
	if len(r.images) < catalog.BatchLimit {
		return nil
	}
	return r.saveImages(ctx)
}

// saveImages remembers the pictures of folders whose songs are put: not before them, or a scan that was cut short would
// leave songs with the picture they had.
func (r *run) saveImages(ctx context.Context) error {
	if err := r.flush(ctx); err != nil || r.opts.DryRun {
		return err
	}
	images := r.images
	r.images = nil
	return r.store.PutSeen(ctx, images)
}

// put counts a file whose song is decided and writes it with the next batch.
func (r *run) ingest(ctx context.Context, f *candidate) error {
	switch id := f.song.ID; {
	case id == "":
		r.report.Added++
		r.progress.added.Add(1)
	case f.unchanged: // counted when it was met
	case id == f.knownSong() && (f.known.Missing || f.known.Problem != ""):
		r.report.Restored++
		r.progress.changed.Add(1)
	case id == f.knownSong():
		r.report.Changed++
		r.progress.changed.Add(1)
	case r.ids.vanished[id] || r.ids.replaced[id]:
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
		if _, err := r.store.IngestSongs(ctx, r.batch); err != nil {
			return err
		}
	}
	clear(r.batch)
	r.batch = r.batch[:0]
	return nil
}

// note keeps the problems until the songs are written: a file that cannot be read any more may have given its
// song to another place.
func (r *run) addProblems(problems []catalog.Problem) {
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
		if v.SongID != "" && !r.ids.taken[v.SongID] {
			r.report.Missing++
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
	r.images = append(r.images, r.found.images...)
	if err := r.saveImages(ctx); err != nil {
		return err
	}
	if err := r.importPlaylists(ctx); err != nil {
		return err
	}
	return r.store.FinishScan(ctx)
}
