package scan

import (
	"context"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"waxwing/internal/catalog"
	"waxwing/internal/library"
	"waxwing/internal/tags"
)

// refill completes the songs that an older release wrote: what it stored, and what only the tags of
// their files say. Each file is read once. One that has changed or cannot be read is left to the
// scan that notices it.
func (r *run) refill(ctx context.Context) error {
	if err := r.store.Derive(ctx); err != nil {
		return err
	}
	for _, root := range r.roots {
		t := r.trees[root.Name()]
		if t == nil {
			continue
		}
		var last catalog.OutdatedFile
		for {
			files, err := r.store.OutdatedFiles(ctx, root.Name(), last)
			if err != nil {
				return err
			}
			if len(files) == 0 {
				break
			}
			last = files[len(files)-1]
			songs, err := r.readOutdated(ctx, t, files)
			if err != nil {
				return err
			}
			if err := r.store.FillSongs(ctx, songs); err != nil {
				return err
			}
		}
	}
	return nil
}

// readOutdated reads the tags of files in parallel.
func (r *run) readOutdated(
	ctx context.Context, t library.Tree, files []catalog.OutdatedFile,
) ([]catalog.ScannedSong, error) {
	read := make([]*catalog.ScannedSong, len(files))
	workers := max(2, runtime.GOMAXPROCS(0))
	g, ctx := errgroup.WithContext(ctx)
	for w := range workers {
		g.Go(func() error {
			reader := &folderReader{run: r}
			for i := w; i < len(files); i += workers {
				if err := ctx.Err(); err != nil {
					return err
				}
				song, err := reader.readUnchanged(ctx, t, files[i])
				if err != nil {
					r.log.Debug("cannot read a file again", "file", files[i].Path, "err", reason(err))
				}
				read[i] = song
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var songs []catalog.ScannedSong
	for _, song := range read {
		if song != nil {
			songs = append(songs, *song)
		}
	}
	return songs, nil
}

// readUnchanged reads the tags of a file, without its cover, or returns nil if it has changed.
func (r *folderReader) readUnchanged(
	ctx context.Context, t library.Tree, f catalog.OutdatedFile,
) (song *catalog.ScannedSong, err error) {
	defer r.recoverFrom(f.Path, &err)
	opened, err := t.Open(ctx, f.Path, versionOf(f.File))
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() != f.Size || !time.UnixMicro(info.ModTime().UnixMicro()).Equal(f.ModTime) {
		return nil, nil //nolint:nilnil // the next scan reads it
	}
	var read tags.Tags
	if read, err = r.tags.Read(opened, f.Size); err != nil {
		return nil, err
	}
	found := newSong(taggedFile{foundFile: foundFile{File: f.File}, tags: read})
	found.ID = f.SongID
	return &found, nil
}
