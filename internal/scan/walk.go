package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"waxwing/internal/catalog"
)

const maxDepth = 64

// walkResult is what a look at all roots yields, beside the folders with files to read.
type walkResult struct {
	counter     *atomic.Int64 // audio files, for those who watch
	playlists   []foundFile
	vanished    []catalog.KnownFile
	audio       int // files that can be songs
	unchanged   int
	toRead      int               // files
	unreadable  []string          // folders that could not be listed, with their roots
	unavailable []UnavailableRoot // roots of which nothing can be said
	images      []catalog.File    // new and changed, of folders with nothing to read
}

// job is a folder with files to read.
type job struct {
	root  catalogRoot
	dir   string // "." is the root itself
	files []foundFile
	// neighbours are the files of the folder that need not be read for their own sake.
	neighbours []foundFile
	// image is the picture of the folder, or of the album whose discs are in folders below it.
	image *foundFile
	// changed tells that a file which the catalog knows has other content now.
	changed      bool
	coverChanged bool // the picture of the folder came, changed or went
	// images are new and changed; the catalog remembers them when the songs of the folder are written.
	images []catalog.File
}

// catalogRoot is a root that is open for this scan.
type catalogRoot struct {
	name string
	tree tree
}

// foundFile is a file that was met on the disk.
type foundFile struct {
	catalog.File
	known     *catalog.KnownFile // what the catalog remembers of this path; nil: nothing
	unchanged bool               // it is as the catalog remembers it, and is read for another reason
}

// walker goes through one root in the order of the paths' bytes, side by side with what the catalog knows.
type walker struct {
	ctx        context.Context
	root       catalogRoot
	full       bool
	log        *slog.Logger
	out        *walkResult
	emit       func(*job) error
	prefetcher *prefetcher
	lister     *lister
	known      *catalog.KnownFile // the first that was not passed yet; nil after the last
	empty      bool               // nothing is in the root
}

// walk gives every folder below root that has files to read to emit, and adds what else it finds to out.
func (r *run) walk(ctx context.Context, root Root, t tree, out *walkResult, emit func(*job) error) error {
	before := func(string) {}
	if watch := r.Scanner.watch.Load(); watch != nil && root.dir != "" {
		before = func(dir string) { watch.add(path.Join(root.dir, dir)) }
	}
	w := &walker{
		ctx: ctx, root: catalogRoot{root.name, t}, full: r.opts.Full, log: r.log, out: out, emit: emit,
		prefetcher: prefetch(ctx, r.store.Files(ctx, root.name)), lister: newLister(t, before),
	}
	defer w.prefetcher.stop()
	defer w.lister.wait()
	if err := w.advance(); err != nil {
		return err
	}
	gone := len(out.vanished)
	if _, err := w.walkFolder(".", nil, nil, 0); err != nil {
		return err
	}
	if w.empty && slices.ContainsFunc(out.vanished[gone:], func(v catalog.KnownFile) bool { return v.SongID != "" }) {
		out.vanished = out.vanished[:gone]
		out.addUnavailable(r.log, root.name, "it is empty, but the catalog has songs of it")
	}
	return nil
}

// addUnavailable takes note of a music folder that says nothing about its files.
func (f *walkResult) addUnavailable(log *slog.Logger, root, why string) {
	f.unavailable = append(f.unavailable, UnavailableRoot{root, why})
	log.Warn("a music folder is away; its songs stay as they are", "folder", root, "why", why)
}

func (w *walker) advance() (err error) {
	w.known, err = w.prefetcher.next()
	return err
}

// markVanishedBefore notes the known files before p as vanished; all that are left when p is empty.
func (w *walker) markVanishedBefore(p string) error {
	for w.known != nil && (p == "" || w.known.Path < p) {
		if !w.known.Missing && !w.isUnreadable(w.known.Path) {
			w.out.vanished = append(w.out.vanished, *w.known)
		}
		if err := w.advance(); err != nil {
			return err
		}
	}
	return nil
}

// isUnreadable reports whether p lies in a folder that could not be listed: then nothing is known about it.
func (w *walker) isUnreadable(p string) bool {
	for _, dir := range w.out.unreadable {
		if strings.HasPrefix(w.root.name+"/"+p, dir+"/") {
			return true
		}
	}
	return false
}

// folder goes through a folder and those below it. parentImage is the picture of the folder above; a folder of
// one disc that has none of its own takes it, and is returned for the caller to finish.
func (w *walker) walkFolder(dir string, started *listing, parentImage *foundFile, depth int) (*job, error) {
	if err := w.ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := w.lister.list(dir, started)
	if dir == "." {
		w.empty = !slices.ContainsFunc(entries, func(e entry) bool { return !ignored(e.name) })
	}
	if err != nil && dir == "." {
		w.out.addUnavailable(w.log, w.root.name, reason(err))
		return nil, nil
	}
	if err != nil {
		w.log.Warn("cannot look into a music folder", "folder", path.Join(w.root.name, dir), "err", reason(err))
		w.out.unreadable = append(w.out.unreadable, path.Join(w.root.name, dir))
		return nil, nil
	}
	slices.SortFunc(entries, compareEntries)
	j := &job{root: w.root, dir: dir, image: w.bestImage(dir, entries)}
	shared := j.image == nil && parentImage != nil && discFolder(path.Base(dir)) > 0
	if shared {
		j.image = parentImage
	}
	gone := len(w.out.vanished)
	var discs []*job
	below := w.listSubfolders(dir, entries, depth)
	for i, e := range entries {
		p := join(dir, e.name)
		switch {
		case ignored(e.name) || len(p) > catalog.MaxPath:
		case e.mode.IsDir() && depth < maxDepth:
			disc, err := w.walkFolder(p, below(i), j.image, depth+1)
			if err != nil {
				return nil, err
			}
			if disc != nil {
				discs = append(discs, disc)
			}
		case e.mode != 0: // links, pipes, devices: never followed, never opened
		default:
			if err := w.addFile(j, p, e); err != nil {
				return nil, err
			}
		}
	}
	if err := w.markVanishedIn(dir); err != nil {
		return nil, err
	}
	for _, v := range w.out.vanished[gone:] {
		if v.SongID == "" && path.Dir(v.Path) == dir && imageRank(path.Base(v.Path)) >= 0 {
			j.coverChanged = true
		}
	}
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

// file sorts one file of the folder of j.
func (w *walker) addFile(j *job, p string, e entry) error {
	audio, image := isAudio(e.name), j.image != nil && p == j.image.Path
	if !audio && !image && !isPlaylist(e.name) {
		return nil
	}
	f, err := w.compare(p, e)
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
			j.images = append(j.images, f.File)
		}
	case !f.unchanged || w.full:
		w.out.playlists = append(w.out.playlists, f)
	}
	return nil
}

// markVanishedIn notes what is left of a folder that was gone through: no later path can lie in it.
func (w *walker) markVanishedIn(dir string) error {
	if dir == "." {
		return w.markVanishedBefore("")
	}
	return w.markVanishedBefore(dir + "0") // the sign after the slash
}

// meet passes the known files before p and compares p itself.
func (w *walker) compare(p string, e entry) (foundFile, error) {
	f := foundFile{File: catalog.File{FileRef: catalog.FileRef{Root: w.root.name, Path: p}, Size: e.size, ModTime: time.UnixMicro(e.time.UnixMicro())}}
	if err := w.markVanishedBefore(p); err != nil {
		return f, err
	}
	if w.known == nil || w.known.Path != p {
		return f, nil
	}
	f.known = w.known
	f.unchanged = !f.known.Missing && f.known.Size == f.Size && f.known.ModTime.Equal(f.ModTime)
	return f, w.advance()
}

// maxFolderFiles bounds what a change in a folder makes us read again: larger folders are heaps, not albums.
const maxFolderFiles = 500

// finish decides which files of the folder are read, and hands them on.
func (w *walker) emitFiles(j *job) error {
	if !w.full && !j.coverChanged {
		var fresh, same []foundFile
		for _, f := range j.files {
			if f.unchanged {
				same = append(same, f)
			} else {
				fresh = append(fresh, f)
			}
		}
		j.files = fresh
		if len(same) <= maxFolderFiles {
			j.neighbours = same
		}
	}
	for _, f := range j.files {
		j.changed = j.changed || (!f.unchanged && f.known != nil)
	}
	w.out.toRead += len(j.files)
	for len(j.files) > maxFolderFiles {
		part := *j
		part.files, part.images = j.files[:maxFolderFiles], nil
		j.files = j.files[maxFolderFiles:]
		if err := w.emit(&part); err != nil {
			return err
		}
	}
	if len(j.files) == 0 {
		w.out.images = append(w.out.images, j.images...)
		return nil
	}
	return w.emit(j)
}

// listSubfolders lists the folders among entries some steps ahead. The function it returns gives the listing of one of them,
// which must be asked for in their order; nil when it was not started.
func (w *walker) listSubfolders(dir string, entries []entry, depth int) func(i int) *listing {
	if depth >= maxDepth {
		return func(int) *listing { return nil }
	}
	started := map[int]*listing{}
	next := 0
	return func(i int) *listing {
		for next = max(next, i); next < min(len(entries), i+64); next++ {
			if e := entries[next]; e.mode.IsDir() && !ignored(e.name) {
				l := w.lister.start(join(dir, e.name))
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

// join is path.Join for names that are clean already.
func join(dir, name string) string {
	if dir == "." {
		return name
	}
	return dir + "/" + name
}

// compareEntries orders a folder as its name with a slash, so that all paths come in the order of their bytes.
func compareEntries(a, b entry) int {
	n := min(len(a.name), len(b.name))
	if c := cmp.Compare(a.name[:n], b.name[:n]); c != 0 {
		return c
	}
	return cmp.Compare(a.after(n), b.after(n))
}

// after is the byte of the entry's path behind the first n of its name; −1 where the path ends.
func (e entry) after(n int) int {
	switch {
	case n < len(e.name):
		return int(e.name[n])
	case e.mode.IsDir():
		return '/'
	}
	return -1
}

// bestImage returns the picture that stands for the folder: cover before folder before front, in the order of kinds below.
func (w *walker) bestImage(dir string, entries []entry) *foundFile {
	best, bestRank := -1, 1<<30
	for i, e := range entries {
		if rank := imageRank(e.name); rank >= 0 && rank < bestRank && e.mode == 0 {
			best, bestRank = i, rank
		}
	}
	if best < 0 {
		return nil
	}
	e := entries[best]
	return &foundFile{File: catalog.File{FileRef: catalog.FileRef{Root: w.root.name, Path: join(dir, e.name)}, Size: e.size, ModTime: time.UnixMicro(e.time.UnixMicro())}}
}

// reason is the part of an error that does not repeat the path.
func reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return fmt.Sprint(err)
}
