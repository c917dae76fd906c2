package scan

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/library"
)

// SongFile is the open file of a song.
type SongFile struct {
	io.ReadSeekCloser
	Size    int64
	ModTime time.Time
}

// OpenFile opens a file of the catalog. Its faults are NotFound for a missing file and Unavailable
// for one that cannot be reached now.
func (s *Scanner) OpenFile(ctx context.Context, ref catalog.FileRef) (SongFile, error) {
	t, err := s.openRoot(ctx, ref.Root)
	if err != nil {
		return SongFile{}, fault.Wrap(fault.Unavailable, err,
			"the music folder of this song is unavailable; check that its disk is mounted")
	}
	defer t.Close()
	f, err := t.Open(ctx, ref.Path, library.Version{})
	if errors.Is(err, fs.ErrNotExist) {
		return SongFile{}, fault.Wrap(fault.NotFound, err, "the file of this song is missing")
	}
	if err != nil {
		return SongFile{}, fault.Wrap(fault.Unavailable, err, "cannot open the file of this song; check its permissions")
	}
	info, err := f.Stat()
	if err != nil {
		return SongFile{}, errors.Join(err, f.Close())
	}
	return SongFile{ReadSeekCloser: f, Size: info.Size(), ModTime: info.ModTime()}, nil
}

var errNoRoot = errors.New("not a music folder of this server")

// openRoot opens the root of that name. The handle is not cached: a disk may be mounted again
// later.
func (s *Scanner) openRoot(ctx context.Context, name string) (library.Tree, error) {
	for _, r := range s.roots {
		if r.Name() == name {
			return r.Open(ctx)
		}
	}
	return nil, errNoRoot
}
