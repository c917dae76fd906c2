package art

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"waxwing/internal/statefile"
)

// cache is an LRU cache of files in a folder, bounded by quota. Files may be deleted at any time;
// writes are atomic.
type cache struct {
	disk  statefile.Disk
	dir   string
	quota int64

	mu    sync.Mutex
	files map[string]*entry
	total int64
}

type entry struct {
	size int64
	used time.Time
}

func openCache(disk statefile.Disk, dir string, quota int64) (*cache, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the picture cache: %w", err)
	}
	c := &cache{disk: disk, dir: dir, quota: quota, files: map[string]*entry{}}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return nil // deleted meanwhile
		}
		if filepath.Ext(path) != ".jpg" {
			return os.Remove(path) // left over from an interrupted write
		}
		name := d.Name()[:len(d.Name())-len(".jpg")]
		c.files[name] = &entry{info.Size(), info.ModTime()}
		c.total += info.Size()
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the picture cache: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trim()
	return c, nil
}

// path distributes the files over folders by the first two characters of their names.
func (c *cache) path(name string) string { return filepath.Join(c.dir, name[:2], name+".jpg") }

func (c *cache) get(name string) ([]byte, bool) {
	c.mu.Lock()
	e := c.files[name]
	if e != nil {
		e.used = time.Now()
	}
	c.mu.Unlock()
	if e == nil {
		return nil, false
	}
	b, err := os.ReadFile(c.path(name))
	if err != nil || int64(len(b)) != e.size {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.drop(name)
		return nil, false
	}
	return b, true
}

// put stores b if it can. Errors only cost the cache entry.
func (c *cache) put(name string, b []byte) {
	size := int64(len(b))
	if size > c.quota/4 {
		return
	}
	path := c.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return
	}
	err := statefile.Replace(c.disk, path, b, 0o600)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(name)
	if err != nil {
		_ = c.disk.Remove(path) // it is not counted any more
		return
	}
	c.files[name] = &entry{size, time.Now()}
	c.total += size
	c.trim()
}

func (c *cache) drop(name string) {
	if e := c.files[name]; e != nil {
		c.total -= e.size
		delete(c.files, name)
	}
}

// trim deletes the least recently used files until a tenth of the quota is free. c.mu must be
// held.
func (c *cache) trim() {
	if c.total <= c.quota {
		return
	}
	names := slices.SortedFunc(maps.Keys(c.files), func(a, b string) int {
		return c.files[a].used.Compare(c.files[b].used)
	})
	for _, name := range names {
		if c.total <= c.quota/10*9 {
			return
		}
		if err := c.disk.Remove(c.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		c.drop(name)
	}
}
