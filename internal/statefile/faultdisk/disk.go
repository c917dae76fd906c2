// Package faultdisk is a disk for tests that loses power and refuses work on cue.
//
// It writes through to a real folder, so that whoever reads sees what any program would see. Beside
// that it remembers what was synced: Cut and Settle turn the folder into one that a power
// cut could leave behind. It assumes no more of a file system than POSIX promises: data that was
// not synced is kept, lost or torn at sectors of 512 bytes, and names that were not synced are
// old or new, each by itself and in no order.
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

// ErrNoPower is what every call gets after the cut, if anybody were there to see it.
var ErrNoPower = errors.New("the power is gone")

// Op is a kind of call.
type Op int

// The kinds of calls that can be refused.
const (
	Create Op = iota
	Append
	Write
	Sync
	Rename
	Remove
	SyncDir
)

// Disk is a statefile.Disk with faults. Make it with New.
type Disk struct {
	root string

	mu      sync.Mutex
	names   map[string][]*content // history of each name since it was last synced; nil: no such file
	left    int                   // calls until the power goes; negative: never
	dead    bool
	refuse  map[Op]error
	refused int
}

var _ statefile.Disk = (*Disk)(nil)

// New makes a disk of the folder root. What is in it already is on disk for good.
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

// CutAfter takes the power away after so many more calls. The next one is not carried out.
func (d *Disk) CutAfter(calls int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left = calls
}

// Refuse makes the named kinds of calls fail with err; nil lets all work again.
func (d *Disk) Refuse(err error, ops ...Op) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refuse = map[Op]error{}
	for _, op := range ops {
		if err != nil {
			d.refuse[op] = err
		}
	}
}

// Refused is how many calls were refused so far.
func (d *Disk) Refused() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.refused
}

// Dead reports whether the power is gone.
func (d *Disk) Dead() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dead
}

// admit decides about one call. The caller holds mu.
func (d *Disk) admit(op Op) error {
	if d.left == 0 {
		d.dead = true
	}
	if d.dead {
		return ErrNoPower
	}
	if d.left > 0 {
		d.left--
	}
	if err := d.refuse[op]; err != nil {
		d.refused++
		return err
	}
	return nil
}

// Settle takes the power away, if it is not gone yet, and leaves in the folder what might be found when
// it is back. Files that this disk never touched stay as they are.
func (d *Disk) Settle(rnd *rand.Rand) error {
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

// now is the content that a name leads to at present. The caller holds mu.
func (d *Disk) now(path string) *content {
	if history := d.names[path]; len(history) > 0 {
		return history[len(history)-1]
	}
	return nil
}

// set changes what a name leads to. The caller holds mu.
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
	if err := d.admit(op); err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	real, err := open()
	if err != nil {
		return nil, err
	}
	if op == Create || d.now(path) == nil {
		d.set(path, &content{})
	}
	return &file{disk: d, real: real, path: path, content: d.now(path)}, nil
}

// Rename implements statefile.Disk.
func (d *Disk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.admit(Rename); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	d.set(to, d.now(from))
	d.set(from, nil)
	return nil
}

// Remove implements statefile.Disk.
func (d *Disk) Remove(path string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.admit(Remove); err != nil {
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
	if err := d.admit(SyncDir); err != nil {
		return &os.PathError{Op: "sync", Path: dir, Err: err}
	}
	for path, history := range d.names {
		if filepath.Dir(path) == dir {
			d.names[path] = slices.Clone(history[len(history)-1:])
		}
	}
	return nil
}
