package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"waxwing/internal/fault"
	"waxwing/internal/statefile"
)

// planFile is in the data folder while a restore replaces files. Whoever opens the folder completes
// the plan first, so that nobody reads a mixture of old and new files.
const planFile = "restore.json"

// plan says what is left of a restore. Names are relative to the data folder.
type plan struct {
	Replaced string   `json:"replaced"` // folder for the old files
	New      []string `json:"new"`      // unpacked in stagedDir; those that are not there any more are in use
	Remove   []string `json:"remove"`   // not in the backup
}

func readPlan(dir string) (p plan, err error) {
	text, err := os.ReadFile(filepath.Join(dir, planFile))
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("%s is damaged: %w", planFile, err)
	}
	for _, name := range slices.Concat([]string{p.Replaced}, p.New, p.Remove) {
		if !filepath.IsLocal(name) {
			return p, fmt.Errorf("%s is damaged: it names %q", planFile, name)
		}
	}
	return p, nil
}

// write makes the plan permanent. From now on the restore is completed, not undone.
func (p plan) write(disk statefile.Disk, dir string) error {
	text, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode the plan of the restore: %w", err)
	}
	if err := disk.SyncDir(dir); err != nil { // the names of stagedDir and of the folder for old files
		return fmt.Errorf("restore: %w", err)
	}
	return statefile.Replace(disk, filepath.Join(dir, planFile), text, 0o600)
}

// Finish completes a restore of the data folder that was interrupted. Call it before the files are
// opened. It waits for a restore that is under way.
func Finish(dir string) error {
	_, planned := os.Lstat(filepath.Join(dir, planFile))
	_, staged := os.Lstat(filepath.Join(dir, stagedDir))
	if planned != nil && staged != nil {
		return nil
	}
	unlock, err := lockRestore(dir, planned == nil)
	if errors.Is(err, errRestoring) {
		return nil // nothing is replaced yet
	}
	if err != nil {
		return err
	}
	defer unlock()
	return finish(statefile.System, dir)
}

var errRestoring = fault.New(fault.Conflict, "a restore of the data folder is running; wait for it to end")

// lockRestore reserves the data folder for one restore. If another holds it, lockRestore waits for
// a while, or returns errRestoring at once.
func lockRestore(dir string, wait bool) (unlock func(), err error) {
	lock := flock.New(filepath.Join(dir, "restore.lock"), flock.SetPermissions(0o600))
	held, err := lock.TryLock()
	if err == nil && !held && wait {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		held, err = lock.TryLockContext(ctx, 50*time.Millisecond)
		if errors.Is(err, context.DeadlineExceeded) {
			err = nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("lock the data folder for a restore: %w", err)
	}
	if !held {
		return nil, errRestoring
	}
	return func() { _ = lock.Close() }, nil // the lock also ends with the process
}

// finish performs what is left of the plan and removes the rest of an interrupted restore. The
// caller holds the lock.
func finish(disk statefile.Disk, dir string) error {
	staged := filepath.Join(dir, stagedDir)
	p, err := readPlan(dir)
	none := errors.Is(err, fs.ErrNotExist)
	if err == nil {
		err = p.perform(disk, dir, staged)
	}
	if err != nil && !none {
		return fmt.Errorf("complete a restore: %w", err)
	}
	// The folder is last: its existence makes Finish try again.
	if err := errors.Join(statefile.Sweep(filepath.Join(dir, planFile)), os.RemoveAll(staged)); err != nil {
		return fmt.Errorf("remove the files of a restore: %w", err)
	}
	return nil
}

// perform moves the old files out of the data folder, then the new ones into it, then removes the
// plan. Each step is synced before the next, and each can be repeated.
func (p plan) perform(disk statefile.Disk, dir, staged string) error {
	replaced := filepath.Join(dir, p.Replaced)
	touched := map[string]bool{dir: true, replaced: true, staged: true}
	move := func(from, to string) error {
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		touched[filepath.Dir(from)], touched[filepath.Dir(to)] = true, true
		if err := disk.Rename(from, to); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	sync := func() error {
		for path := range touched {
			if err := disk.SyncDir(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
	for _, name := range p.Remove {
		if err := move(filepath.Join(dir, name), filepath.Join(replaced, name)); err != nil {
			return err
		}
	}
	var left []string
	for _, name := range p.New {
		_, err := os.Lstat(filepath.Join(staged, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is in the data folder already
		}
		if err != nil {
			return err
		}
		left = append(left, name)
		if err := move(filepath.Join(dir, name), filepath.Join(replaced, name)); err != nil {
			return err
		}
	}
	if err := sync(); err != nil {
		return err
	}
	for _, name := range left {
		if err := move(filepath.Join(staged, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	if err := sync(); err != nil {
		return err
	}
	if err := disk.Remove(filepath.Join(dir, planFile)); err != nil {
		return err
	}
	return disk.SyncDir(dir)
}
