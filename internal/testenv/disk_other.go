//go:build !linux

package testenv

import "testing"

// Disk is a file system that can be made to fail; only Linux supports it.
type Disk struct{ Dir string }

// SmallDisk skips the test.
func SmallDisk(t testing.TB, _ string) *Disk {
	t.Helper()
	skipOrFail(t, "test skipped: needs Linux to mount a file system")
	return nil
}

// ThinDisk skips the test.
func ThinDisk(t testing.TB, size string) *Disk { t.Helper(); return SmallDisk(t, size) }

// Fill, Free and ReadOnly are never called.
func (*Disk) Fill()         {}
func (*Disk) Free()         {}
func (*Disk) ReadOnly(bool) {}

// FailCalls skips the test.
func FailCalls(t testing.TB, _ int, _ string, _, _ []string) (heal func() int) {
	t.Helper()
	skipOrFail(t, "test skipped: needs Linux to make system calls fail")
	return nil
}
