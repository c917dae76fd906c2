package transcode

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"waxwing/internal/fault"
)

const (
	nameLength = 40       // characters of a name in the cache
	minFree    = 64 << 20 // bytes of the disk that are left to others
	touchEvery = time.Minute
)

// cache is a folder of results, bounded by a quota. The least recently used ones are deleted first;
// the modification time of a file is that of its last use. Files appear under their names only when
// they are complete.
type cache struct {
	dir   string
	quota int64
	free  func() (int64, bool)

	mu      sync.Mutex
	entries map[string]*entry
	total   int64 // bytes, those of files in progress included
}

type entry struct {
	path     string
	size     int64
	duration time.Duration
	used     time.Time
}

func openCache(dir string, quota int64, free func() (int64, bool)) (*cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the folder for transcodes: %w", err)
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the folder for transcodes: %w", err)
	}
	c := &cache{dir: dir, quota: quota, free: free, entries: map[string]*entry{}}
	for _, d := range list {
		path := filepath.Join(dir, d.Name())
		name, duration, ok := parseName(d.Name())
		info, err := d.Info()
		if err != nil {
			continue // deleted meanwhile
		}
		if !ok || !info.Mode().IsRegular() { // left over from an interrupted transcode
			if err := os.RemoveAll(path); err != nil {
				return nil, fmt.Errorf("remove an incomplete transcode: %w", err)
			}
			continue
		}
		c.entries[name] = &entry{path, info.Size(), duration, info.ModTime()}
		c.total += info.Size()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trim(0)
	return c, nil
}

// fileName returns the name of a file: the name of the result, its duration in microseconds, and
// the extension.
func fileName(name string, duration time.Duration, f Format) string {
	return name + "-" + strconv.FormatInt(duration.Microseconds(), 10) + f.Extension()
}

func parseName(file string) (name string, duration time.Duration, ok bool) {
	stem, _, _ := strings.Cut(file, ".")
	name, length, found := strings.Cut(stem, "-")
	micros, err := strconv.ParseInt(length, 10, 64)
	return name, time.Duration(micros) * time.Microsecond, found && err == nil && len(name) == nameLength
}

// File is a complete transcode, open for reading.
type File struct {
	*os.File
	Size     int64
	Duration time.Duration
	Format   Format
	// ETag identifies the content: the version of the source, the variant and the size. An encoder of
	// another version writes another size.
	ETag string
}

// open opens a result and notes its use.
func (c *cache) open(name string, format Format) (*File, bool) {
	now := time.Now()
	c.mu.Lock()
	e := c.entries[name]
	touch := false
	if e != nil {
		touch = now.Sub(e.used) > touchEvery
		e.used = now
	}
	c.mu.Unlock()
	if e == nil {
		return nil, false
	}
	f, err := os.Open(e.path)
	if err == nil {
		var info fs.FileInfo
		if info, err = f.Stat(); err == nil && info.Size() == e.size {
			if touch {
				_ = os.Chtimes(e.path, now, now) // only the order after a restart depends on it
			}
			return &File{
				File: f, Size: e.size, Duration: e.duration, Format: format, ETag: fmt.Sprintf(`"%s-%x"`, name, e.size),
			}, true
		}
		_ = f.Close() // it was only read
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[name] == e { // somebody deleted or changed the file
		_ = os.Remove(e.path) // it is not counted any more
		c.drop(name)
	}
	return nil, false
}

func (c *cache) has(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries[name] != nil
}

func (c *cache) bytes() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

func (c *cache) drop(name string) {
	if e := c.entries[name]; e != nil {
		c.total -= e.size
		delete(c.entries, name)
	}
}

// trim deletes the least recently used results until the rest and need more bytes fit in the quota
// and on the disk, and reports whether they do. c.mu must be held.
func (c *cache) trim(need int64) bool {
	fits := func() bool {
		if c.total+need > c.quota {
			return false
		}
		if c.free == nil {
			return true
		}
		free, known := c.free()
		return !known || free >= need+minFree
	}
	if fits() {
		return true
	}
	oldest := slices.SortedFunc(maps.Keys(c.entries), func(a, b string) int {
		return c.entries[a].used.Compare(c.entries[b].used)
	})
	for _, name := range oldest {
		if err := os.Remove(c.entries[name].path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		c.drop(name)
		if fits() {
			return true
		}
	}
	return false
}

// partial is a result in progress.
type partial struct {
	*os.File
	cache   *cache
	format  Format
	counted int64 // bytes that are part of the cache's total
	done    bool
}

// create creates the file of a result.
func (c *cache) create(f Format) (*partial, error) {
	file, err := os.CreateTemp(c.dir, "partial-*"+f.Extension())
	if err != nil {
		return nil, diskFault(fmt.Errorf("create a transcode: %w", err))
	}
	return &partial{File: file, cache: c, format: f}, nil
}

// account makes room for what has been written so far.
func (p *partial) account() error {
	info, err := p.Stat()
	if err != nil {
		return err
	}
	c := p.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total += info.Size() - p.counted
	p.counted = info.Size()
	if !c.trim(0) {
		return fault.New(fault.Unavailable, "there is no space for the transcode; raise --transcode-cache, free disk space, "+
			"or request the original")
	}
	return nil
}

// commit makes the result available under its name and returns its size.
func (p *partial) commit(name string, duration time.Duration) (int64, error) {
	if err := p.account(); err != nil {
		return 0, err
	}
	if err := p.Sync(); err != nil { // otherwise a power failure could leave the name without the content
		return 0, fmt.Errorf("sync a transcode: %w", err)
	}
	if err := p.Close(); err != nil {
		return 0, fmt.Errorf("close a transcode: %w", err)
	}
	path := filepath.Join(p.cache.dir, fileName(name, duration, p.format))
	if err := os.Rename(p.Name(), path); err != nil {
		return 0, fmt.Errorf("rename a transcode: %w", err)
	}
	p.done = true
	c := p.cache
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total -= p.counted
	c.drop(name)
	c.entries[name] = &entry{path, p.counted, duration, time.Now()}
	c.total += p.counted
	return p.counted, nil
}

// discard deletes the file unless it was committed.
func (p *partial) discard() error {
	if p.done {
		return nil
	}
	c := p.cache
	c.mu.Lock()
	c.total -= p.counted
	c.mu.Unlock()
	if err := p.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return errors.Join(err, os.Remove(p.Name()))
	}
	return os.Remove(p.Name())
}

// diskFault says what to do about a full disk.
func diskFault(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fault.Wrap(fault.Unavailable, err, "the disk of the data folder is full; free some space, then try again")
	}
	return err
}
