package testenv

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Disk is a file system of the test's own that can be made to fail.
type Disk struct {
	Dir string

	t     testing.TB
	below string // what Fill fills
}

// SmallDisk mounts a file system of the given size, as in "24m". Where nobody may mount, as in many
// containers, the test is left out even under CI=true: no package could mend that, and the same faults are injected below the
// stores by package faultdisk, which needs no right.
func SmallDisk(t testing.TB, size string) *Disk {
	t.Helper()
	dir := t.TempDir()
	mount(t, "mount a small file system", "-t", "tmpfs", "-o", "size="+size, "tmpfs", dir)
	return &Disk{Dir: dir, t: t, below: dir}
}

// ThinDisk mounts a file system that believes in more room than there is below it: when that is filled, programs can write,
// but the disk answers with an input/output error when what they wrote is to reach it.
func ThinDisk(t testing.TB, size string) *Disk {
	t.Helper()
	NeedsTool(t, "mkfs.ext2")
	below := SmallDisk(t, size).Dir
	image, dir := filepath.Join(below, "image"), t.TempDir()
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, 256<<20); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mkfs.ext2", "-q", "-b", "4096", image).CombinedOutput(); err != nil {
		t.Fatalf("make a file system: %v\n%s", err, out)
	}
	mount(t, "mount a file system from a file", "-o", "loop,errors=continue", image, dir)
	return &Disk{Dir: dir, t: t, below: below}
}

func mount(t testing.TB, what string, args ...string) {
	t.Helper()
	NeedsTool(t, "mount", "umount")
	dir := args[len(args)-1]
	if out, err := exec.Command("mount", args...).CombinedOutput(); err != nil {
		skip(t, "test skipped: needs permission to "+what+": "+strings.TrimSpace(string(out)))
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
}

// Fill takes all the room there is, to the last byte, until Free.
func (d *Disk) Fill() {
	d.t.Helper()
	f, err := os.Create(d.filler())
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	for _, chunk := range []int{1 << 20, 4096, 1} {
		for {
			if _, err := f.Write(make([]byte, chunk)); errors.Is(err, syscall.ENOSPC) {
				break
			} else if err != nil {
				d.t.Fatal(err)
			}
		}
	}
}

// Free gives the room back.
func (d *Disk) Free() {
	d.t.Helper()
	if err := os.Remove(d.filler()); err != nil {
		d.t.Fatal(err)
	}
}

func (d *Disk) filler() string { return filepath.Join(d.below, "filler") }

// ReadOnly lets nobody write, or everybody again. No file on it may be open for writing.
func (d *Disk) ReadOnly(on bool) {
	d.t.Helper()
	how := map[bool]string{true: "remount,ro", false: "remount,rw"}[on]
	if out, err := exec.Command("mount", "-o", how, d.Dir).CombinedOutput(); err != nil {
		d.t.Fatalf("%s: %v\n%s", how, err, out)
	}
}
