package scan

import (
	"context"
	"errors"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"waxwing/internal/catalog"
	"waxwing/internal/library"
)

const maxDepth = 64

// walkResult is the result of walking all roots, besides the folders with files to read.
type walkResult struct {
	counter     *atomic.Int64 // audio files so far, for the progress
	playlists   []foundFile
	vanished    []catalog.KnownFile // available in the catalog, not found on disk
	audio       int                 // audio files
	unchanged   int
	toRead      int            // files
	unreadable  []string       // folders that cannot be listed, with their roots
	companions  []catalog.File // new or changed images and lyrics, of songs that are not read
	lyrics      []lyricChange
	unavailable []UnavailableRoot
}

// addUnavailable records a root that cannot be scanned.
func (f *walkResult) addUnavailable(log *slog.Logger, root, why string) {
	f.unavailable = append(f.unavailable, UnavailableRoot{root, why})
	log.Warn("a music folder is unavailable; its songs stay as they are", "folder", root, "why", why)
}

// walker walks one root in byte order of the paths and merges it with the catalog's known files,
// which have the same order.
type walker struct {
	ctx        context.Context
	root       openRoot
	full       bool
	log        *slog.Logger
	out        *walkResult
	emit       func(*job) error
	prefetcher *prefetcher
	lister     *lister
	known      *catalog.KnownFile // the next known file; nil after the last
	empty      bool               // the root holds nothing that is not ignored
}

// walk emits every folder below root that has files to read, and adds the rest of its findings to
// out.
func (r *run) walk(
	ctx context.Context, root library.Root, t library.Tree, out *walkResult, emit func(*job) error,
) error {
	onList := func(string) {}
	if watch := r.Scanner.watch.Load(); watch != nil && root.Dir() != "" {
		onList = func(dir string) { watch.add(path.Join(root.Dir(), dir)) }
	}
	w := &walker{
		ctx: ctx, root: openRoot{root.Name(), t}, full: r.opts.Full, log: r.log, out: out, emit: emit,
		prefetcher: prefetch(ctx, r.store.Files(ctx, root.Name())), lister: newLister(ctx, t, onList),
	}
	defer w.prefetcher.stop()
	defer w.lister.wait()
	if err := w.nextKnown(); err != nil {
		return err
	}
	before := len(out.vanished)
	_, err := w.walkFolder(".", nil, nil, 0)
	if failed := (*listingError)(nil); errors.As(err, &failed) {
		// What follows in the listing is unknown: also where files of vanished songs may be now.
		out.vanished = out.vanished[:before]
		out.addUnavailable(r.log, root.Name(), reason(failed.err))
		r.incomplete = true
		return nil
	}
	if err != nil {
		return err
	}
	hasSong := func(v catalog.KnownFile) bool { return v.SongID != "" }
	if w.empty && slices.ContainsFunc(out.vanished[before:], hasSong) {
		out.vanished = out.vanished[:before]
		out.addUnavailable(r.log, root.Name(), "it is empty, but the catalog has songs from it")
	}
	return nil
}

// listingError ends the walk of a root whose listing cannot be continued.
type listingError struct{ err error }

func (e *listingError) Error() string { return e.err.Error() }

func (w *walker) nextKnown() (err error) {
	w.known, err = w.prefetcher.next()
	return err
}

// markVanishedBefore marks the known files before p as vanished; all remaining ones if p is empty.
func (w *walker) markVanishedBefore(p string) error {
	for w.known != nil && (p == "" || w.known.Path < p) {
		if !w.known.Missing && !w.isUnreadable(w.known.Path) {
			w.out.vanished = append(w.out.vanished, *w.known)
		}
		if err := w.nextKnown(); err != nil {
			return err
		}
	}
	return nil
}

// isUnreadable reports whether p is in a folder that could not be listed. Its state is unknown.
func (w *walker) isUnreadable(p string) bool {
	for _, dir := range w.out.unreadable {
		if strings.HasPrefix(w.root.name+"/"+p, dir+"/") {
			return true
		}
	}
	return false
}

// walkFolder walks a folder and its subfolders. A disc folder without an image of its own uses
// parentImage; it is returned for the caller to emit, who knows whether that image has changed.
func (w *walker) walkFolder(dir string, started *listing, parentImage *foundFile, depth int) (*job, error) {
	if err := w.ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := w.lister.list(dir, started)
	if dir == "." {
		w.empty = !slices.ContainsFunc(entries, func(e library.Entry) bool { return !ignored(e.Name) })
	}
	if err != nil && w.lister.walk != nil {
		if w.ctx.Err() != nil {
			return nil, w.ctx.Err()
		}
		return nil, &listingError{err}
	}
	if err != nil && dir == "." {
		w.out.addUnavailable(w.log, w.root.name, reason(err))
		return nil, nil
	}
	if err != nil {
		w.log.Warn("cannot list a folder", "folder", path.Join(w.root.name, dir), "err", reason(err))
		w.out.unreadable = append(w.out.unreadable, path.Join(w.root.name, dir))
		return nil, nil
	}
	slices.SortFunc(entries, compareEntries)
	j := &job{root: w.root, dir: dir, image: bestImage(w.root.name, dir, entries), songStems: songStems(entries)}
	shared := j.image == nil && parentImage != nil && discFolder(path.Base(dir)) > 0
	if shared {
		j.image = parentImage
	}
	before := len(w.out.vanished)
	discs, err := w.walkEntries(j, entries, depth)
	if err != nil {
		return nil, err
	}
	for _, v := range w.out.vanished[before:] {
		if v.SongID == "" && path.Dir(v.Path) == dir && imageRank(path.Base(v.Path)) >= 0 {
			j.coverChanged = true
		}
	}
	j.attachLyrics(w.out.vanished[before:])
	for _, disc := range discs {
		disc.coverChanged = disc.coverChanged || j.coverChanged
		if err := w.emitFiles(disc); err != nil {
			return nil, err
		}
	}
	if shared {
		return j, nil
	}
	return nil, w.emitFiles(j)
}

// walkEntries adds the files of a folder to j and walks its subfolders. It returns the discs among
// them that share the image of j.
func (w *walker) walkEntries(j *job, entries []library.Entry, depth int) (discs []*job, err error) {
	listings := w.listSubfolders(j.dir, entries, depth)
	for i, e := range entries {
		p := join(j.dir, e.Name)
		switch {
		case ignored(e.Name) || len(p) > catalog.MaxPath:
		case e.Mode.IsDir() && depth < maxDepth:
			disc, err := w.walkFolder(p, listings(i), j.image, depth+1)
			if err != nil {
				return nil, err
			}
			if disc != nil {
				discs = append(discs, disc)
			}
		case e.Mode != 0: // never follow links, never open pipes and devices
		default:
			if err := w.addFile(j, e); err != nil {
				return nil, err
			}
		}
	}
	return discs, w.markVanishedIn(j.dir)
}

// addFile adds a file of the folder of j to the job or to the result, by its type.
func (w *walker) addFile(j *job, e library.Entry) error {
	audio, image := isAudio(e.Name), j.image != nil && join(j.dir, e.Name) == j.image.Path
	lyric := j.songStems != nil && isLyrics(e.Name) && j.songStems[stem(e.Name)]
	if !audio && !image && !lyric && !isPlaylist(e.Name) {
		return nil
	}
	f, err := w.compare(fileIn(w.root.name, j.dir, e))
	if err != nil {
		return err
	}
	switch {
	case audio:
		w.out.audio++
		w.out.counter.Add(1)
		if f.unchanged {
			w.out.unchanged++
		}
		j.files = append(j.files, f)
	case image:
		if !f.unchanged {
			j.coverChanged = true
			j.companions = append(j.companions, f.File)
		}
	case lyric:
		j.lyrics = append(j.lyrics, f)
	case !f.unchanged || w.full:
		w.out.playlists = append(w.out.playlists, f)
	}
	return nil
}

// markVanishedIn marks the remaining known files of a folder after its walk: no later path is in
// it.
func (w *walker) markVanishedIn(dir string) error {
	if dir == "." {
		return w.markVanishedBefore("")
	}
	return w.markVanishedBefore(dir + "0") // '0' follows '/'
}

// compare compares a file with the catalog's record of its path, and marks the known files before
// it as vanished.
func (w *walker) compare(found catalog.File) (foundFile, error) {
	f := foundFile{File: found}
	if err := w.markVanishedBefore(f.Path); err != nil {
		return f, err
	}
	if w.known == nil || w.known.Path != f.Path {
		return f, nil
	}
	f.known = w.known
	f.unchanged = !f.known.Missing && f.known.Size == f.Size && f.known.ModTime.Equal(f.ModTime)
	return f, w.nextKnown()
}
