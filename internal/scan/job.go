package scan

import (
	"context"

	"waxwing/internal/catalog"
	"waxwing/internal/library"
)

// maxFolderFiles is the size of the largest folder that is treated as an album. In larger ones, a
// change does not cause the unchanged files to be read again.
const maxFolderFiles = 500

// job is a folder with files to read.
type job struct {
	root  openRoot
	dir   string // "." is the root itself
	files []foundFile
	// neighbours are unchanged files of the folder, read only if an album needs them.
	neighbours []foundFile
	// image is the cover image of the folder, or of the folder above if this one holds one disc.
	image        *foundFile
	changed      bool // a known file has new content
	coverChanged bool // the image was added, changed or removed
	// companions are new or changed images and lyrics; they are saved after the songs of the folder.
	companions []catalog.File
	songStems  map[string]bool // see songStems
	lyrics     []foundFile     // files of lyrics
}

// openRoot is a root that is open for this scan.
type openRoot struct {
	name string
	tree library.Tree
}

// foundFile is a file found on disk.
type foundFile struct {
	catalog.File
	known     *catalog.KnownFile // the catalog's record of this path; nil if there is none
	unchanged bool               // as recorded, and read for another reason
	// lyrics are the files of lyrics of a song; lyricsChanged reports that they are not as recorded.
	lyrics        []catalog.File
	lyricsChanged bool
}

// jobSource passes folders to read to emit.
type jobSource func(ctx context.Context, emit func(*job) error) error

// jobs is a jobSource in memory.
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

// emitFiles decides which files of the folder are read and emits them in jobs of maxFolderFiles.
func (w *walker) emitFiles(j *job) error {
	if !w.full && !j.coverChanged {
		var changed, unchanged []foundFile
		for _, f := range j.files {
			if f.unchanged {
				unchanged = append(unchanged, f)
			} else {
				changed = append(changed, f)
			}
		}
		j.files = changed
		w.keepLyrics(j, unchanged)
		if len(unchanged) <= maxFolderFiles {
			j.neighbours = unchanged
		}
	} else {
		w.keepLyrics(j, nil)
	}
	for _, f := range j.files {
		j.changed = j.changed || (!f.unchanged && f.known != nil)
	}
	w.out.toRead += len(j.files)
	for len(j.files) > maxFolderFiles {
		part := *j
		part.files, part.companions = j.files[:maxFolderFiles], nil
		j.files = j.files[maxFolderFiles:]
		if err := w.emit(&part); err != nil {
			return err
		}
	}
	if len(j.files) == 0 {
		w.out.companions = append(w.out.companions, j.companions...)
		return nil
	}
	return w.emit(j)
}
