// Package art serves pictures: covers from music files and folders, generated covers and avatars,
// and scaled copies of them.
//
// A picture is identified by a hash. Originals stay in the music folders; scaled copies are cached
// on disk within a quota.
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

	"waxwing/internal/fault"
	"waxwing/internal/flight"
	"waxwing/internal/statefile"
)

// Hash returns the hash of a picture's content.
func Hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// Source is the original of a picture: its bytes, or the seed of a generated one.
type Source struct {
	Bytes []byte
	Seed  string
}

// Find returns the original of a picture by its hash, or a NotFound fault.
type Find func(ctx context.Context, hash string) (Source, error)

// Request names a picture and the size in which it is wanted.
type Request struct {
	Hash string
	Size Size
	// Stranger says that the request has no credential. Strangers get pictures of at most Small, or a
	// file of the library as it is, and wait in a queue of their own.
	Stranger bool
}

// size returns the size that is sent. drawn says that the picture is generated.
func (r Request) size(drawn bool) Size {
	switch {
	case r.Stranger && (r.Size > Small || r.Size == Original && drawn):
		return Small
	case r.Size == Original && drawn:
		return Largest
	}
	return r.Size
}

// Image is an encoded picture. Its bytes depend on its hash and Size alone.
type Image struct {
	Bytes []byte
	Type  string
	Size  Size
}

// Store serves pictures. It is safe for concurrent use. Work can outlive the request that started
// it: call Close before the folder is deleted or the source of the originals is closed.
type Store struct {
	find   Find
	cache  *cache
	disk   statefile.Disk
	saved  string
	memory *semaphore.Weighted

	listeners, strangers *lane
	flights              flight.Group[flightKey, Image]
}

// Open opens the store in dir, creating it if needed. Scaled pictures take at most quota bytes.
func Open(dir string, quota int64, find Find) (*Store, error) {
	return OpenOn(statefile.System, dir, quota, find)
}

// OpenOn is Open with a disk that tests can make fail.
func OpenOn(disk statefile.Disk, dir string, quota int64, find Find) (*Store, error) {
	saved := filepath.Join(dir, "kept")
	if err := os.MkdirAll(saved, 0o700); err != nil {
		return nil, fmt.Errorf("create the folder for pictures: %w", err)
	}
	c, err := openCache(disk, filepath.Join(dir, "scaled"), quota)
	if err != nil {
		return nil, err
	}
	return &Store{
		find: find, cache: c, disk: disk, saved: saved, memory: semaphore.NewWeighted(maxMemory),
		listeners: listenerLane(), strangers: strangerLane(),
	}, nil
}

// Get returns a picture. The error is a NotFound fault if the picture is unknown or cannot be
// decoded, and an Unavailable fault if too many are requested at once.
func (s *Store) Get(ctx context.Context, r Request) (Image, error) {
	if !validHash(r.Hash) {
		return Image{}, errUnknown
	}
	if img, ok := s.cached(r); ok {
		return img, nil
	}
	key := flightKey{cacheName(r.Hash, r.Size), r.Stranger}
	img, _, err := s.flights.Do(ctx, key, func(ctx context.Context) (Image, error) {
		lane := s.listeners
		if r.Stranger {
			lane = s.strangers
		}
		leave, err := lane.enter(ctx)
		if err != nil {
			return Image{}, err
		}
		defer leave()
		if img, ok := s.cached(r); ok { // rendered meanwhile
			return img, nil
		}
		return s.render(ctx, r)
	})
	switch {
	case errors.Is(err, flight.ErrClosed):
		return Image{}, errClosed
	case err != nil && ctx.Err() != nil:
		return Image{}, waitError(ctx)
	}
	return img, err
}

// Close cancels the requests in progress, and waits until none of them writes to the cache.
func (s *Store) Close() { s.flights.Close() }

var errUnknown = fault.New(fault.NotFound, "there is no such cover")

// cached returns a scaled picture from the cache.
func (s *Store) cached(r Request) (Image, bool) {
	size := r.size(false)
	if size == Original {
		return Image{}, false
	}
	b, ok := s.cache.get(cacheName(r.Hash, size))
	return Image{Bytes: b, Type: "image/jpeg", Size: size}, ok
}

// cacheName is the name of a picture in the cache.
func cacheName(hash string, size Size) string { return hash + "-" + strconv.Itoa(int(size)) }

func (s *Store) render(ctx context.Context, r Request) (Image, error) {
	src, err := s.source(ctx, r.Hash)
	if err != nil {
		return Image{}, err
	}
	size := r.size(src.Bytes == nil)
	if src.Bytes == nil {
		return s.draw(ctx, src.Seed, r.Hash, size)
	}
	info, err := Inspect(src.Bytes)
	if err != nil {
		return Image{}, fault.Wrap(fault.NotFound, err, "the picture of this cover cannot be decoded")
	}
	if size == Original {
		return Image{Bytes: src.Bytes, Type: info.Type, Size: size}, nil
	}
	b, err := s.scale(ctx, src.Bytes, info, size)
	if err != nil {
		if errors.Is(err, ErrNotPicture) {
			err = fault.Wrap(fault.NotFound, err, "the picture of this cover cannot be decoded")
		}
		return Image{}, err
	}
	return s.cacheJPEG(r.Hash, size, b), nil
}

// collectGarbage frees the memory of a large picture before the next one is decoded. Otherwise
// garbage of several pictures accumulates, and the process grows to a multiple of maxMemory.
func collectGarbage(memory int64) {
	const large = 16 << 20
	if memory >= large {
		runtime.GC()
	}
}

// scale scales a picture. It waits until enough memory for decoding is free.
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

// draw generates a picture, unless it is in the cache: a request for the original was not looked up
// there.
func (s *Store) draw(ctx context.Context, seed, hash string, size Size) (Image, error) {
	if b, ok := s.cache.get(cacheName(hash, size)); ok {
		return Image{Bytes: b, Type: "image/jpeg", Size: size}, nil
	}
	memory := int64(size) * int64(size) * 24 // three floats per pixel
	if err := s.memory.Acquire(ctx, min(memory, maxMemory)); err != nil {
		return Image{}, err
	}
	defer s.memory.Release(min(memory, maxMemory))
	defer collectGarbage(memory)
	b, err := encodeJPEG(Draw(seed, int(size)))
	if err != nil {
		return Image{}, err
	}
	return s.cacheJPEG(hash, size, b), nil
}

// cacheJPEG stores a picture in the cache, if the disk permits, and returns it.
func (s *Store) cacheJPEG(hash string, size Size, b []byte) Image {
	s.cache.put(cacheName(hash, size), b)
	return Image{Bytes: b, Type: "image/jpeg", Size: size}
}

func (s *Store) source(ctx context.Context, hash string) (Source, error) {
	b, err := os.ReadFile(filepath.Join(s.saved, hash))
	if err == nil {
		return Source{Bytes: b}, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return Source{}, fmt.Errorf("read a saved picture: %w", err)
	}
	return s.find(ctx, hash)
}

// Save stores a user's picture permanently, outside of the quota, and returns its hash. Faults are
// Invalid for a file that is not a supported picture, and Unavailable for a failing disk.
func (s *Store) Save(b []byte) (string, error) {
	if _, err := Inspect(b); err != nil {
		return "", fault.Wrap(fault.Invalid, err,
			"cannot use the picture; choose a smaller one in JPEG, PNG, GIF or WebP format")
	}
	hash := Hash(b)
	if err := statefile.Replace(s.disk, filepath.Join(s.saved, hash), b, 0o600); err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "cannot save the picture; check the disk of the data folder")
	}
	return hash, nil
}

// validHash reports whether s is a hash. It also guarantees that a path built from s stays in its
// folder.
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
