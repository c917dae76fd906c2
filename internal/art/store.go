// Package art deals with pictures: covers found in music files and folders, covers and avatars drawn
// where there are none, and the sizes of them that are served.
//
// A picture is named by a hash. The original of a cover stays where it was found; only scaled copies are
// kept, in a cache on disk that holds to its quota.
package art

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"
	"waxwing/internal/statefile"

	"waxwing/internal/fault"
)

// Hash names a picture by its content.
func Hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// Source is where a picture comes from: its bytes, or the seed it is drawn from.
type Source struct {
	Bytes []byte
	Seed  string
}

// Find looks the original of a picture up by its hash. It returns a fault of kind NotFound for an unknown one.
type Find func(ctx context.Context, hash string) (Source, error)

// Image is a picture as it is sent. Name changes with its content, so it may serve as an ETag.
type Image struct {
	Bytes []byte
	Type  string
	Name  string
}

// Store serves pictures. It may be used by many goroutines.
type Store struct {
	find   Find
	cache  *cache
	disk   statefile.Disk
	saved  string
	memory *semaphore.Weighted
	flight singleflight.Group
}

// Open prepares the folder dir, in which scaled pictures take at most quota bytes.
func Open(dir string, quota int64, find Find) (*Store, error) {
	return OpenOn(statefile.System, dir, quota, find)
}

// OpenOn is Open on a disk of the caller's choice.
func OpenOn(disk statefile.Disk, dir string, quota int64, find Find) (*Store, error) {
	saved := filepath.Join(dir, "kept")
	if err := os.MkdirAll(saved, 0o700); err != nil {
		return nil, fmt.Errorf("prepare folder for pictures: %w", err)
	}
	c, err := openCache(disk, filepath.Join(dir, "scaled"), quota)
	if err != nil {
		return nil, err
	}
	return &Store{find: find, cache: c, disk: disk, saved: saved, memory: semaphore.NewWeighted(maxMemory)}, nil
}

// Get returns a picture in the given size. Errors are faults: NotFound for an unknown picture or one that
// cannot be shown any more.
func (s *Store) Get(ctx context.Context, hash string, size Size) (Image, error) {
	if !validHash(hash) {
		return Image{}, fault.New(fault.NotFound, "no cover %q", hash)
	}
	name := hash + "-" + strconv.Itoa(int(size))
	if size != Original {
		if b, ok := s.cache.get(name); ok {
			return Image{Bytes: b, Type: "image/jpeg", Name: name}, nil
		}
	}
	// The work is shared by all who ask for the same picture, so it must not end because the first of them leaves.
	image, err, _ := s.flight.Do(name, func() (any, error) {
		return s.render(context.WithoutCancel(ctx), hash, size, name)
	})
	if err != nil {
		return Image{}, err
	}
	return image.(Image), nil
}

func (s *Store) render(ctx context.Context, hash string, size Size, name string) (Image, error) {
	src, err := s.source(ctx, hash)
	if err != nil {
		return Image{}, err
	}
	if src.Bytes == nil {
		return s.draw(ctx, src.Seed, size, name)
	}
	info, err := Inspect(src.Bytes)
	if err != nil {
		return Image{}, fault.Wrap(fault.NotFound, err, "the cover %s cannot be shown", hash)
	}
	if size == Original {
		return Image{Bytes: src.Bytes, Type: info.Type, Name: name}, nil
	}
	b, err := s.scale(ctx, src.Bytes, info, size)
	if err != nil {
		if errors.Is(err, ErrNotPicture) {
			err = fault.Wrap(fault.NotFound, err, "the cover %s cannot be shown", hash)
		}
		return Image{}, err
	}
	return s.cacheJPEG(name, b), nil
}

// tidy gives back what a large picture took before the next one begins. Left to itself, the collector lets
// several pile up, and the process grows by a multiple of what any one of them may take.
func collectGarbage(memory int64) {
	const large = 16 << 20
	if memory >= large {
		runtime.GC()
	}
}

// scaled waits until enough of the memory for decoding is free.
func (s *Store) scale(ctx context.Context, b []byte, info Info, size Size) ([]byte, error) {
	if err := s.memory.Acquire(ctx, info.memory); err != nil {
		return nil, err
	}
	defer s.memory.Release(info.memory)
	defer collectGarbage(info.memory)
	img, err := decode(b)
	if err != nil {
		return nil, err
	}
	return encodeJPEG(scaleDown(img, int(size)))
}

func (s *Store) draw(ctx context.Context, seed string, size Size, name string) (Image, error) {
	if size == Original {
		size = Largest
	}
	// A canvas holds three floats a pixel.
	memory := int64(size) * int64(size) * 24
	if err := s.memory.Acquire(ctx, min(memory, maxMemory)); err != nil {
		return Image{}, err
	}
	defer s.memory.Release(min(memory, maxMemory))
	defer collectGarbage(memory)
	b, err := encodeJPEG(Draw(seed, int(size)))
	if err != nil {
		return Image{}, err
	}
	return s.cacheJPEG(name, b), nil
}

// cacheJPEG puts a picture into the cache. A disk that is full must not keep the picture from being seen.
func (s *Store) cacheJPEG(name string, b []byte) Image {
	s.cache.put(name, b)
	return Image{Bytes: b, Type: "image/jpeg", Name: name}
}

func (s *Store) source(ctx context.Context, hash string) (Source, error) {
	b, err := os.ReadFile(filepath.Join(s.saved, hash))
	if err == nil {
		return Source{Bytes: b}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return Source{}, fmt.Errorf("read kept picture: %w", err)
	}
	return s.find(ctx, hash)
}

// Save stores a picture that a user gave, for good and outside of the quota, and returns its hash. A fault of kind
// Invalid says that it is no picture, or too large a one; one of kind Unavailable, that the disk refuses it.
func (s *Store) Save(b []byte) (string, error) {
	if _, err := Inspect(b); err != nil {
		return "", fault.Wrap(fault.Invalid, err, "the picture must be a JPEG, PNG, GIF or WebP file of moderate size")
	}
	hash := Hash(b)
	if err := statefile.Replace(s.disk, filepath.Join(s.saved, hash), b, 0o600); err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "the picture cannot be kept now; the disk refuses it")
	}
	return hash, nil
}

// validHash also keeps every path that is made from a hash within its folder.
func validHash(s string) bool {
	if len(s) < 16 || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
