package scan

import (
	"context"
	"errors"
	"io/fs"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"waxwing/internal/catalog"
	"waxwing/internal/tags"
)

// candidate is a song that was read, on its way to its id.
type candidate struct {
	foundFile
	song catalog.ScannedSong
}

// folderResult is what reading the files of one folder gave.
type folderResult struct {
	songs    []*candidate
	problems []catalog.Problem
	images   []catalog.File
	weight   int64 // that it takes until it is put
}

// jobSource gives folders to read to emit.
type jobSource func(ctx context.Context, emit func(*job) error) error

// jobs are folders to read that are remembered.
type jobs struct {
	list  []*job
	files int
}

func (l *jobs) add(j *job) {
	l.list = append(l.list, j)
	l.files += len(j.files)
}

func (l *jobs) each(_ context.Context, emit func(*job) error) error {
	for _, j := range l.list {
		if err := emit(j); err != nil {
			return err
		}
	}
	return nil
}

// maxFilesInFlight bounds how many files are read before those read earlier are put.
const maxFilesInFlight = 4 * maxFolderFiles

// readJobs reads folders side by side and gives each result to take, one at a time and in no particular order.
func (r *run) readJobs(ctx context.Context, source jobSource, take func(folderResult) error) error {
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
	for range max(2, runtime.GOMAXPROCS(0)) {
		readers.Go(func() error {
			rd := &folderReader{run: r}
			for j := range queue {
				result, err := rd.readFolder(readerCtx, j)
				if err != nil {
					return err
				}
				result.images, result.weight = j.images, int64(len(j.files))
				results <- result // there is inFlight
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
			if err := take(result); err != nil {
				return err
			}
			inFlight.Release(result.weight)
		}
		return nil
	})
	return g.Wait()
}

// folderReader is one of those who read side by side.
type folderReader struct {
	*run
	tags tags.Reader
}

// readFolder reads the files of one job and completes their albums.
func (r *folderReader) readFolder(ctx context.Context, j *job) (folderResult, error) {
	var out folderResult
	dir, err := j.root.tree.sub(j.dir)
	if err != nil {
		r.log.Warn("cannot look into a music folder", "folder", j.root.name+"/"+j.dir, "err", reason(err))
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
	songs := make([]catalog.ScannedSong, len(out.songs))
	for i, c := range out.songs {
		songs[i] = c.song
	}
	groupAlbums(j.dir, songs)
	if cover := folderCover(j.root.tree, j.image); cover != nil && len(songs) > 0 {
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

func (r *folderReader) readFiles(ctx context.Context, dir tree, files []foundFile, out *folderResult) error {
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		read, err := r.readFile(dir, f)
		r.progress.done.Add(1)
		switch {
		case err == nil:
			out.songs = append(out.songs, &candidate{foundFile: read.foundFile, song: newSong(read)})
		case errors.Is(err, fs.ErrNotExist):
			// It vanished just now; the next scan will miss it.
		default:
			r.progress.problems.Add(1)
			out.problems = append(out.problems, catalog.Problem{File: f.File, Sentence: problemSentence(err)})
		}
	}
	return nil
}

// readFile reads one file. dir is the folder it lies in.
func (r *folderReader) readFile(dir tree, f foundFile) (taggedFile, error) {
	out := taggedFile{foundFile: f}
	opened, err := dir.open(f.Path[strings.LastIndexByte(f.Path, '/')+1:])
	if err != nil {
		return out, err
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return out, err
	}
	// What was opened counts, not what was listed before.
	out.Size, out.ModTime = info.Size(), time.UnixMicro(info.ModTime().UnixMicro())
	if out.tags, err = r.tags.Read(opened, out.Size); err != nil {
		return out, err
	}
	out.cover = r.pictures.embeddedCover(opened, out.Size, out.tags.Picture, f.FileRef)
	return out, nil
}

// sentence says for a person why a file could not be read.
func problemSentence(err error) string {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "the file may not be read: permission denied"
	case errors.Is(err, errNotRegular):
		return "it is not a regular file"
	}
	return reason(err)
}
