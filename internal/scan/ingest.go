package scan

import (
	"context"

	"waxwing/internal/catalog"
)

// identifyWindow is how many files are identified together: enough to see both ends of most moves.
const identifyWindow = 4000

// read reads the files of source, identifies them in batches of batchSize and ingests them.
func (r *run) read(ctx context.Context, batchSize int, source jobSource) error {
	err := r.readJobs(ctx, source, func(result folderResult) error {
		r.files = append(r.files, result.songs...)
		r.companions = append(r.companions, result.companions...)
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

// identify decides which songs the read files are, and ingests them. A file at the path of a known
// song but with other audio waits until all others are identified: the song may be found
// elsewhere.
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
	if len(r.companions) < catalog.BatchLimit {
		return nil
	}
	return r.saveCompanions(ctx)
}

// saveCompanions records images and lyrics after their songs are written. In the other order, an
// interrupted scan would leave songs with their former cover or lyrics.
func (r *run) saveCompanions(ctx context.Context) error {
	if err := r.flush(ctx); err != nil || r.opts.DryRun {
		return err
	}
	companions := r.companions
	r.companions = nil
	return r.store.PutKnownFiles(ctx, companions)
}

// ingest counts an identified file and adds it to the next batch.
func (r *run) ingest(ctx context.Context, f *candidate) error {
	switch id := f.song.ID; {
	case id == "":
		r.report.Added++
		r.progress.added.Add(1)
	case f.unchanged: // the walk has counted it
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

// addProblems holds problems back until the songs are written: the song of an unreadable file may
// have been found elsewhere.
func (r *run) addProblems(problems []catalog.Problem) {
	r.problems = append(r.problems, problems...)
	for _, p := range problems {
		r.log.Warn("cannot read a file", "file", p.File.Root+"/"+p.File.Path, "why", p.Sentence)
	}
}

// finish writes what depends on all songs: problems, missing files and playlists.
func (r *run) finish(ctx context.Context) error {
	r.report.Problems = len(r.problems)
	if err := r.updateLyrics(ctx); err != nil {
		return err
	}
	r.dropFailed()
	var missing []catalog.FileRef
	for _, v := range r.found.vanished {
		missing = append(missing, v.FileRef)
		if v.SongID != "" && !r.ids.taken[v.SongID] {
			r.report.Missing++
			r.progress.missing.Add(1)
		}
	}
	if r.opts.DryRun {
		return nil
	}
	if err := r.store.PutProblems(ctx, r.problems); err != nil {
		return err
	}
	if err := r.store.MarkMissing(ctx, missing); err != nil {
		return err
	}
	r.companions = append(r.companions, r.found.companions...)
	if err := r.saveCompanions(ctx); err != nil {
		return err
	}
	if err := r.importPlaylists(ctx); err != nil {
		return err
	}
	if err := r.refill(ctx); err != nil {
		return err
	}
	return r.store.FinishScan(ctx)
}
