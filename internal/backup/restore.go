package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"waxwing/internal/statefile"
)

// stagedDir is the folder in the data folder into which a restore unpacks. Without a plan it is
// the rest of a restore that was interrupted before it changed anything.
const stagedDir = ".restore"

// Restore replaces the content of the data folder dir with a backup, after it has verified all of
// it. prepare may change the unpacked files before that. The files that Restore replaces are moved
// to the folder replaced. If the process is killed, the data folder has the old state, or Finish
// gives it the new one. The caller makes sure that no server uses the data folder.
func Restore(ctx context.Context, path, dir string, l Layout, prepare func(staged string) error) (
	s Summary, replaced string, err error,
) {
	unlock, err := lockRestore(dir, true)
	if err != nil {
		return Summary{}, "", err
	}
	defer unlock()
	if err := finish(statefile.System, dir); err != nil {
		return Summary{}, "", err
	}
	staged := filepath.Join(dir, stagedDir)
	if err := os.Mkdir(staged, 0o700); err != nil {
		return Summary{}, "", fmt.Errorf("prepare the restore: %w", err)
	}
	defer func() {
		if _, perr := readPlan(dir); errors.Is(perr, fs.ErrNotExist) { // else Finish needs the files
			err = errors.Join(err, os.RemoveAll(staged))
		}
	}()
	if s, err = unpack(ctx, path, staged, l); err != nil {
		return s, "", err
	}
	if err := prepare(staged); err != nil {
		return s, "", err
	}
	p, err := l.plan(staged)
	if err != nil {
		return s, "", err
	}
	if p.Replaced, err = replacedDir(dir, time.Now()); err != nil {
		return s, "", err
	}
	if err := errors.Join(syncTree(staged), p.write(statefile.System, dir)); err != nil {
		return s, "", err
	}
	return s, filepath.Join(dir, p.Replaced), finish(statefile.System, dir)
}

// plan lists what a restore of the unpacked files replaces. The write-ahead log of the old catalog
// is moved first: beside the new catalog it would damage it.
func (l Layout) plan(staged string) (p plan, err error) {
	names := slices.Concat([]string{l.Catalog + "-wal", l.Catalog + "-shm", l.Catalog}, l.Files, l.Dirs)
	for _, name := range names {
		switch _, err := os.Lstat(filepath.Join(staged, name)); {
		case err == nil:
			p.New = append(p.New, name)
		case errors.Is(err, fs.ErrNotExist):
			p.Remove = append(p.Remove, name)
		default:
			return p, fmt.Errorf("restore: %w", err)
		}
	}
	for _, side := range names[:2] {
		if slices.Contains(p.New, side) {
			return p, fmt.Errorf("restore: the unpacked catalog is still open: %s exists", side)
		}
	}
	return p, nil
}

// replacedDir creates a folder for the files that a restore replaces and returns its name, which is
// not taken by another restore in the same second.
func replacedDir(dir string, at time.Time) (string, error) {
	first := "before-restore-" + at.UTC().Format("20060102T150405")
	for name, n := first, 2; ; name, n = fmt.Sprintf("%s-%d", first, n), n+1 {
		err := os.Mkdir(filepath.Join(dir, name), 0o700)
		if err == nil {
			return name, nil
		}
		if !errors.Is(err, os.ErrExist) {
			return "", fmt.Errorf("create a folder for the replaced files: %w", err)
		}
	}
}

// syncTree makes all files below dir survive a power cut.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("restore: %w", err)
		}
		if d.IsDir() {
			return statefile.System.SyncDir(path)
		}
		f, err := statefile.System.Append(path)
		if err != nil {
			return fmt.Errorf("restore: %w", err)
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
