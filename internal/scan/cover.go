package scan

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"

	"waxwing/internal/art"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/library"
	"waxwing/internal/tags"
)

// pictureCache caches the hashes of recent covers: the songs of an album mostly embed the same
// one, which is then read once.
type pictureCache struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]string // "" for a picture that cannot be decoded
}

const maxCachedPictures = 4096

// embeddedCover returns the picture embedded in an audio file, or nil if there is no valid one.
func (p *pictureCache) embeddedCover(
	f io.ReaderAt, size int64, pic tags.Picture, ref catalog.FileRef,
) *catalog.Cover {
	if pic.IsZero() {
		return nil
	}
	hash := p.hash(f, size, pic)
	if hash == "" {
		return nil
	}
	return &catalog.Cover{Hash: hash, Source: catalog.CoverInAudio, File: ref}
}

func (p *pictureCache) hash(f io.ReaderAt, size int64, pic tags.Picture) string {
	key, keyed := sampleKey(f, pic)
	if keyed {
		p.mu.Lock()
		hash, ok := p.known[key]
		p.mu.Unlock()
		if ok {
			return hash
		}
	}
	hash := ""
	b, err := pic.Read(f, size)
	if err != nil {
		return ""
	}
	if _, err := art.Inspect(b); err == nil {
		hash = art.Hash(b)
	}
	if keyed {
		p.mu.Lock()
		if p.known == nil || len(p.known) >= maxCachedPictures {
			p.known = map[[sha256.Size]byte]string{}
		}
		p.known[key] = hash
		p.mu.Unlock()
	}
	return hash
}

// minBuffered and maxBuffered are how much of the beginning of a picture on another machine tells
// it from others of the same length.
const (
	minBuffered = 16 << 10
	maxBuffered = 32 << 10
)

// sampleKey hashes the length and three samples of a picture, or all of a small one.
func sampleKey(f io.ReaderAt, pic tags.Picture) (key [sha256.Size]byte, ok bool) {
	const sample = 2 << 10
	if !pic.Raw() {
		return key, false
	}
	h := sha256.New()
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(pic.Len)))
	if remote, ok := f.(interface{ Buffered(off int64) []byte }); ok {
		// Each sample may cost a request. The first part is there, because the tags are.
		got := remote.Buffered(pic.Off)
		got = got[:min(int64(len(got)), pic.Len, maxBuffered)]
		h.Write(got)
		h.Sum(key[:0])
		return key, int64(len(got)) == pic.Len || len(got) >= minBuffered
	}
	var b [4 * sample]byte
	offsets, n := []int64{0, pic.Len / 2, pic.Len - sample}, int64(sample)
	if pic.Len <= int64(len(b)) {
		offsets, n = offsets[:1], pic.Len
	}
	for _, off := range offsets {
		if _, err := f.ReadAt(b[:n], pic.Off+off); err != nil {
			return key, false
		}
		h.Write(b[:n])
	}
	h.Sum(key[:0])
	return key, true
}

// folderCover returns the cover image of a folder, or nil if it is not valid.
func (r *run) folderCover(ctx context.Context, t library.Tree, image *foundFile) *catalog.Cover {
	if image == nil {
		return nil
	}
	var failed error
	defer r.recoverFrom(image.Path, &failed) // without a cover
	b, err := readImage(ctx, t, image.Path, versionOf(image.File))
	if err != nil {
		return nil
	}
	if _, err := art.Inspect(b); err != nil {
		return nil
	}
	return &catalog.Cover{Hash: art.Hash(b), Source: catalog.CoverInFile, File: image.FileRef}
}

func readImage(ctx context.Context, t library.Tree, name string, known library.Version) ([]byte, error) {
	f, err := t.Open(ctx, name, known)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, art.MaxBytes+1))
}

// FindPicture returns the original of a cover, for an art.Store. A picture that has changed since
// it was hashed is not found.
func (s *Scanner) FindPicture(ctx context.Context, hash string) (art.Source, error) {
	c, err := s.store.Cover(ctx, hash)
	if err != nil {
		return art.Source{}, err
	}
	if c.Source == catalog.CoverGenerated {
		return art.Source{Seed: c.Seed}, nil
	}
	b, err := s.pictureBytes(ctx, c)
	if isOutage(err) {
		return art.Source{}, err
	}
	if err != nil {
		return art.Source{}, fault.Wrap(fault.NotFound, err, "the picture of this cover is missing")
	}
	if art.Hash(b) != hash {
		return art.Source{}, fault.New(fault.NotFound, "the picture of this cover has changed")
	}
	return art.Source{Bytes: b}, nil
}

func (s *Scanner) pictureBytes(ctx context.Context, c catalog.Cover) ([]byte, error) {
	t, err := s.openRoot(ctx, c.File.Root)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	switch c.Source {
	case catalog.CoverInFile:
		return readImage(ctx, t, c.File.Path, library.Version{})
	case catalog.CoverInAudio:
		b, err := embeddedPicture(ctx, t, c.File.Path, library.Version{})
		if err == nil && art.Hash(b) == c.Hash || isOutage(err) {
			return b, err
		}
		return pictureInSiblings(ctx, t, c)
	}
	return nil, fmt.Errorf("a cover of source %q is not in a music folder: %w", c.Source, errors.ErrUnsupported)
}

// embeddedPicture reads the picture embedded in an audio file.
func embeddedPicture(
	ctx context.Context, t library.Tree, name string, known library.Version,
) ([]byte, error) {
	f, err := t.Open(ctx, name, known)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	read, err := tags.Read(f, info.Size())
	if err != nil {
		return nil, err
	}
	return read.Picture.Read(f, info.Size())
}

// pictureInSiblings searches the other songs of the folder for the picture: they mostly embed it
// too, and the file in which it was found may be missing now.
func pictureInSiblings(ctx context.Context, t library.Tree, c catalog.Cover) ([]byte, error) {
	const maxFiles = 50
	dir := path.Dir(c.File.Path)
	entries, err := t.List(ctx, dir)
	if err != nil {
		return nil, err
	}
	tried := 0
	for _, e := range entries {
		name := join(dir, e.Name)
		if e.Mode != 0 || !isAudio(e.Name) || name == c.File.Path || tried == maxFiles {
			continue
		}
		tried++
		if b, err := embeddedPicture(ctx, t, name, e.Version); err == nil && art.Hash(b) == c.Hash {
			return b, nil
		}
	}
	return nil, fs.ErrNotExist
}
