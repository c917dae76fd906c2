package scan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/library"
	"waxwing/internal/tags"
)

// candidate is a song that was read and is not identified yet.
type candidate struct {
	foundFile
	song catalog.ScannedSong
}

// folderResult is the result of reading a job.
type folderResult struct {
	songs      []*candidate
	problems   []catalog.Problem
	companions []catalog.File
	weight     int64 // of the job in inFlight
	dropped    bool  // the root became unavailable; the next scan reads the folder again
}

// maxFilesInFlight bounds the number of files that are read but not ingested.
const maxFilesInFlight = 4 * maxFolderFiles

// readJobs reads folders in parallel and passes each result to handle, one at a time, in any
// order.
func (r *run) readJobs(ctx context.Context, source jobSource, handle func(folderResult) error) error {
	queue, results := make(chan *job), make(chan folderResult, maxFilesInFlight)
	inFlight := semaphore.NewWeighted(maxFilesInFlight)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(queue)
		return source(ctx, func(j *job) error {
			if err := inFlight.Acquire(ctx, int64(len(j.files))); err != nil {
				return err
			}
			select {
			case queue <- j:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	})
	readers, readerCtx := errgroup.WithContext(ctx)
	for range r.readers() {
		readers.Go(func() error {
			rd := &folderReader{run: r}
			for j := range queue {
				result, err := rd.readFolder(readerCtx, j)
				if err != nil {
					return err
				}
				result.weight = int64(len(j.files))
				if !result.dropped {
					result.companions = j.companions
				}
				results <- result // never blocks: inFlight bounds the results
			}
			return nil
		})
	}
	g.Go(func() error {
		defer close(results)
		return readers.Wait()
	})
	g.Go(func() error {
		for result := range results {
			if err := handle(result); err != nil {
				return err
			}
			inFlight.Release(result.weight)
		}
		return nil
	})
	return g.Wait()
}

// remoteReaders is how many folders are read at once if files are on other machines: each reader
// mostly waits.
const remoteReaders = 16

// readers returns how many folders are read at once.
func (r *run) readers() int {
	n := max(2, runtime.GOMAXPROCS(0))
	for _, t := range r.trees {
		if _, remote := t.(library.Walker); remote {
			n = max(n, remoteReaders)
		}
	}
	return n
}

// folderReader reads folders in one goroutine.
type folderReader struct {
	*run
	tags tags.Reader
}

// readFolder reads the files of one job and completes their albums.
func (r *folderReader) readFolder(ctx context.Context, j *job) (folderResult, error) {
	var out folderResult
	if r.failed(j.root.name) {
		return folderResult{dropped: true}, ctx.Err()
	}
	dir, err := j.root.tree.Sub(j.dir)
	if err != nil {
		r.log.Warn("cannot open a folder", "folder", j.root.name+"/"+j.dir, "err", reason(err))
		return out, ctx.Err()
	}
	defer dir.Close()
	if err := r.readFiles(ctx, dir, j.files, &out); err != nil {
		return out, err
	}
	for _, c := range out.songs {
		if needsNeighbours(c.song) {
			if err := r.readFiles(ctx, dir, j.neighbours, &out); err != nil {
				return out, err
			}
			break
		}
	}
	cover := r.folderCover(ctx, j.root.tree, j.image)
	if r.failed(j.root.name) { // covers and lyrics may be incomplete too
		return folderResult{dropped: true}, ctx.Err()
	}
	songs := make([]catalog.ScannedSong, len(out.songs))
	for i, c := range out.songs {
		songs[i] = c.song
	}
	groupAlbums(j.dir, songs)
	if cover != nil && len(songs) > 0 {
		for i := range songs {
			if songs[i].Album != nil {
				songs[i].Album.Cover = cover
			} else if songs[i].Cover == nil {
				songs[i].Cover = cover
			}
		}
	}
	for i, c := range out.songs {
		c.song = songs[i]
	}
	return out, nil
}

func (r *folderReader) readFiles(ctx context.Context, dir library.Tree, files []foundFile, out *folderResult) error {
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		song, err := r.readSong(ctx, dir, f)
		r.progress.done.Add(1)
		switch {
		case err == nil:
			out.songs = append(out.songs, song)
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, library.ErrChanged):
			// Removed or changed since the walk; the next scan finds out.
		default:
			r.progress.problems.Add(1)
			out.problems = append(out.problems, catalog.Problem{File: f.File, Sentence: problemSentence(err)})
		}
	}
	return nil
}

// readSong reads one file of the folder dir. No file can end the scan: a panic is an error.
func (r *folderReader) readSong(ctx context.Context, dir library.Tree, f foundFile) (song *candidate, err error) {
	defer r.recoverFrom(f.Path, &err)
	read, err := r.readFile(ctx, dir, f)
	if err != nil {
		return nil, err
	}
	return &candidate{foundFile: read.foundFile, song: newSong(read)}, nil
}

// readFile reads the tags and the cover of one file of the folder dir.
func (r *folderReader) readFile(ctx context.Context, dir library.Tree, f foundFile) (taggedFile, error) {
	out := taggedFile{foundFile: f}
	opened, err := dir.Open(ctx, path.Base(f.Path), versionOf(f.File))
	if err != nil {
		return out, err
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return out, err
	}
	// The file may have changed since it was listed.
	out.Size, out.ModTime = info.Size(), time.UnixMicro(info.ModTime().UnixMicro())
	if out.tags, err = r.tags.Read(opened, out.Size); err != nil {
		return out, err
	}
	out.texts = r.readLyrics(f.lyrics, func(f catalog.File) (library.File, error) {
		return dir.Open(ctx, path.Base(f.Path), versionOf(f))
	})
	out.cover = r.pictures.embeddedCover(opened, out.Size, out.tags.Picture, f.FileRef)
	return out, nil
}

// recoverFrom turns a panic while a file is read into an error about this file.
func (r *run) recoverFrom(file string, err *error) {
	if v := recover(); v != nil {
		r.log.Error("reading a file failed", "file", file, "panic", v, "stack", string(debug.Stack()))
		*err = fmt.Errorf("reading it failed: %v", v)
	}
}

// problemSentence says for a person why a file cannot be read.
func problemSentence(err error) string {
	switch kind, sentence := fault.Of(err); {
	case kind == fault.Unavailable:
		return sentence
	case errors.Is(err, fs.ErrPermission):
		return "permission denied; allow the server's account to read the file"
	case errors.Is(err, library.ErrNotRegular):
		return "not a regular file"
	}
	return reason(err)
}
