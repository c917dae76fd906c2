// Package faultdisk simulates power cuts and failing disks for tests.
//
// A Disk writes through to a real folder and records what was synced. CutAfter and PowerCut change
// the folder to a state that a power cut may leave. It assumes no more than POSIX guarantees: data
// that was not synced is kept, lost or torn at sectors of 512 bytes, and names that were not synced
// are old or new, independently of each other.
package faultdisk

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"waxwing/internal/statefile"
)

// ErrNoPower is the error of every call after a power cut.
var ErrNoPower = errors.New("power cut")

// Op is a disk operation.
type Op int

// The operations that can fail.
const (
	Create Op = iota
	Append
	Write
	Sync
	Rename
	Remove
	SyncDir
)

// Disk is a statefile.Disk with faults.
type Disk struct {
	root string

	mu       sync.Mutex
	names    map[string][]*content // history of each name since it was last synced; nil: no such file
	left     int                   // calls until the power cut; negative: never
	dead     bool
	errs     map[Op]error
	failures int
}

var _ statefile.Disk = (*Disk)(nil)

// New returns a disk over the folder root. The existing content counts as synced.
func New(root string) (*Disk, error) {
	d := &Disk{root: root, names: map[string][]*content{}, left: -1}
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		d.names[path] = []*content{{synced: data}}
		return err
	})
	return d, err
}

// CutAfter cuts the power after the given number of calls.
func (d *Disk) CutAfter(calls int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left = calls
}

// Fail makes the operations ops fail with err; nil makes all work again.
func (d *Disk) Fail(err error, ops ...Op) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.errs = map[Op]error{}
	for _, op := range ops {
		if err != nil {
			d.errs[op] = err
		}
	}
}

// Failures returns how many calls have failed.
func (d *Disk) Failures() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failures
}

// Dead reports whether the power was cut.
func (d *Disk) Dead() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dead
}

// check returns the error of the next call, if it has to fail. The caller holds mu.
func (d *Disk) check(op Op) error {
	if d.left == 0 {
		d.dead = true
	}
	if d.dead {
		return ErrNoPower
	}
	if d.left > 0 {
		d.left--
	}
	if err := d.errs[op]; err != nil {
		d.failures++
		return err
	}
	return nil
}

// PowerCut cuts the power, if CutAfter has not, and changes the folder to a state that may be found
// afterwards. Files that this disk never touched stay unchanged.
func (d *Disk) PowerCut(rnd *rand.Rand) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dead = true
	for path, history := range d.names {
		found := history[rnd.IntN(len(history))]
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if found == nil {
			continue
		}
		if err := os.WriteFile(path, found.afterCut(rnd), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// current returns the content of a name. The caller holds mu.
func (d *Disk) current(path string) *content {
	if history := d.names[path]; len(history) > 0 {
		return history[len(history)-1]
	}
	return nil
}

// set sets the content of a name. The caller holds mu.
func (d *Disk) set(path string, c *content) {
	if len(d.names[path]) == 0 {
		d.names[path] = []*content{nil}
	}
	d.names[path] = append(d.names[path], c)
}

// Create implements statefile.Disk.
func (d *Disk) Create(path string, perm os.FileMode) (statefile.File, error) {
	return d.open(Create, path, func() (statefile.File, error) { return statefile.System.Create(path, perm) })
}

// Append implements statefile.Disk.
func (d *Disk) Append(path string) (statefile.File, error) {
	return d.open(Append, path, func() (statefile.File, error) { return statefile.System.Append(path) })
}

func (d *Disk) open(op Op, path string, open func() (statefile.File, error)) (statefile.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.check(op); err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	real, err := open()
	if err != nil {
		return nil, err
	}
	if op == Create || d.current(path) == nil {
		d.set(path, &content{})
	}
	return &file{disk: d, real: real, path: path, content: d.current(path)}, nil
}

// Rename implements statefile.Disk.
func (d *Disk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.check(Rename); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	d.set(to, d.current(from))
	d.set(from, nil)
	return nil
}

// Remove implements statefile.Disk.
func (d *Disk) Remove(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.check(Remove); err != nil {
		return &os.PathError{Op: "remove", Path: path, Err: err}
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	d.set(path, nil)
	return nil
}

// SyncDir implements statefile.Disk.
func (d *Disk) SyncDir(dir string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.check(SyncDir); err != nil {
		return &os.PathError{Op: "sync", Path: dir, Err: err}
	}
	for path, history := range d.names {
		if filepath.Dir(path) == dir {
			d.names[path] = slices.Clone(history[len(history)-1:])
		}
	}
	return nil
}
