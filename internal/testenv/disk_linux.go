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

// Disk is a mounted file system that can be made to fail. It is unmounted at the end of the test.
type Disk struct {
	Dir string

	t     testing.TB
	below string // the directory that Fill fills
}

// SmallDisk mounts a file system of the given size, as in "24m". Without permission to mount, as in
// many containers, the test is skipped even if CI=true; package faultdisk injects the same faults
// below the stores and needs no permission.
func SmallDisk(t testing.TB, size string) *Disk {
	t.Helper()
	dir := t.TempDir()
	mount(t, "mount a small file system", "-t", "tmpfs", "-o", "size="+size, "tmpfs", dir)
	return &Disk{Dir: dir, t: t, below: dir}
}

// ThinDisk mounts a file system that is larger than the space below it. When that space is full,
// programs can still write, but get an input/output error when the data is flushed.
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
		t.Fatalf("create a file system: %v\n%s", err, out)
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

// Fill uses up all free space, to the last byte, until Free.
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

// Free frees the space that Fill used up.
func (d *Disk) Free() {
	d.t.Helper()
	if err := os.Remove(d.filler()); err != nil {
		d.t.Fatal(err)
	}
}

func (d *Disk) filler() string { return filepath.Join(d.below, "filler") }

// ReadOnly remounts the file system read-only, or writable again. No file on it may be open for
// writing.
func (d *Disk) ReadOnly(on bool) {
	d.t.Helper()
	how := map[bool]string{true: "remount,ro", false: "remount,rw"}[on]
	if out, err := exec.Command("mount", "-o", how, d.Dir).CombinedOutput(); err != nil {
		d.t.Fatalf("%s: %v\n%s", how, err, out)
	}
}
