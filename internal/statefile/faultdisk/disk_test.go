package faultdisk_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"waxwing/internal/statefile"
	"waxwing/internal/statefile/faultdisk"
	"waxwing/internal/testenv"
)

func newDisk(t *testing.T, root string) *faultdisk.Disk {
	t.Helper()
	d, err := faultdisk.New(root)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestPowerCutTearsUnsyncedData(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	content := bytes.Repeat([]byte("x"), 5*512)
	var whole, torn, empty, missing int
	for range 200 {
		path := filepath.Join(t.TempDir(), "state")
		d := newDisk(t, filepath.Dir(path))
		f, err := d.Create(path, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Close(), d.PowerCut(rnd)); err != nil {
			t.Fatal(err)
		}
		switch got, err := os.ReadFile(path); {
		case errors.Is(err, os.ErrNotExist):
			missing++
		case bytes.Equal(got, content):
			whole++
		case len(got) == 0:
			empty++
		default:
			torn++
		}
	}
	if min(whole, torn, empty, missing) < 10 {
		t.Errorf("%d whole, %d torn, %d empty, %d missing; want at least 10 of each", whole, torn, empty, missing)
	}
}

// The power is cut at every call of a replacement, many times each.
func TestReplacedFileIsOldOrNewAfterAPowerCut(t *testing.T) {
	rnd := rand.New(rand.NewPCG(testenv.Seed(t), 0))
	old, replacement := bytes.Repeat([]byte("old "), 700), bytes.Repeat([]byte("new "), 900)
	cuts, violations := 0, 0
	for calls := range 8 {
		for range 40 {
			path := filepath.Join(t.TempDir(), "state")
			if err := statefile.Write(path, old, 0o600); err != nil {
				t.Fatal(err)
			}
			d := newDisk(t, filepath.Dir(path))
			d.CutAfter(calls)
			acknowledged := statefile.Replace(d, path, replacement, 0o600) == nil
			if err := d.PowerCut(rnd); err != nil {
				t.Fatal(err)
			}
			cuts++
			got, err := os.ReadFile(path)
			if err != nil || acknowledged && !bytes.Equal(got, replacement) || !bytes.Equal(got, old) &&
				!bytes.Equal(got, replacement) {
				violations++
				t.Errorf("cut after %d calls, acknowledged %v: got %d bytes, error %v; want the old or the new content",
					calls, acknowledged, len(got), err)
			}
		}
	}
	testenv.Report(t, testenv.PowerLoss, testenv.Tally{Inputs: cuts, Faults: cuts, Violations: violations,
		Note: testenv.TriedOf(cuts, 200, "cuts") + ": one file replaced, cut at each of its calls"})
}

func TestFailedReplacementKeepsTheOldFile(t *testing.T) {
	for op := faultdisk.Create; op <= faultdisk.Rename; op++ {
		for _, errno := range []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS, syscall.EACCES} {
			path := filepath.Join(t.TempDir(), "state")
			if err := statefile.Write(path, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			d := newDisk(t, filepath.Dir(path))
			d.Fail(errno, op)
			err := statefile.Replace(d, path, []byte("new"), 0o600)
			if op == faultdisk.Append { // not used by a replacement
				if err != nil {
					t.Error(err)
				}
				continue
			}
			if !errors.Is(err, errno) {
				t.Errorf("operation %d fails: got %v, want %v", op, err, errno)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != "old" {
				t.Errorf("content after operation %d failed with %v: got %q, error %v; want old", op, errno, got, err)
			}
			if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
				t.Errorf("files after operation %d failed with %v: got %v, error %v; want 1", op, errno, left, err)
			}
			d.Fail(nil)
			if err := statefile.Replace(d, path, []byte("new"), 0o600); err != nil {
				t.Errorf("replacement after %v: got %v, want no error", errno, err)
			}
		}
	}
}
