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
	ETag    string // with quotes; "": by size and time
}

// OpenFile opens a file of the catalog. Its faults are NotFound for a missing file and Unavailable
// for one that cannot be reached now.
func (s *Scanner) OpenFile(ctx context.Context, ref catalog.FileRef) (SongFile, error) {
	return s.open(ctx, ref, "", true)
}

// OpenPart is OpenFile for a client with a Range header, or "". The part is requested at once if
// the file is on another machine.
func (s *Scanner) OpenPart(ctx context.Context, ref catalog.FileRef, span string) (SongFile, error) {
	return s.open(ctx, ref, span, false)
}

func (s *Scanner) open(ctx context.Context, ref catalog.FileRef, span string, later bool) (SongFile, error) {
	if remote, ok := s.root(ref.Root).(library.Remote); ok {
		stream, err := remote.OpenStream(ctx, ref.Path, span, later)
		if err != nil {
			return SongFile{}, missing(err)
		}
		v := stream.Version()
		return SongFile{stream, v.Size, v.ModTime, stream.ETag()}, nil
	}
	t, err := s.openRoot(ctx, ref.Root)
	if err != nil {
		return SongFile{}, fault.Wrap(fault.Unavailable, err,
			"the music folder of this song is unavailable; check that its disk is mounted")
	}
	defer t.Close()
	f, err := t.Open(ctx, ref.Path, library.Version{})
	if errors.Is(err, fs.ErrNotExist) {
		return SongFile{}, missing(err)
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
	r := s.root(name)
	if r == nil {
		return nil, errNoRoot
	}
	return r.Open(ctx)
}

// root returns the root of that name, or nil.
func (s *Scanner) root(name string) library.Root {
	for _, r := range s.roots {
		if r.Name() == name {
			return r
		}
	}
	return nil
}

// missing returns a NotFound fault for a file that does not exist, and err itself otherwise.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(fault.NotFound, err, "the file of this song is missing")
	}
	return err
}
