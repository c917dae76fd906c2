//go:build !linux

package testenv

import "testing"

// Disk is a file system of the test's own that can be made to fail, on Linux alone.
type Disk struct{ Dir string }

// SmallDisk leaves the test out.
func SmallDisk(t testing.TB, _ string) *Disk {
	t.Helper()
	skipOrFail(t, "test skipped: needs Linux to mount a file system")
	return nil
}

// ThinDisk leaves the test out.
func ThinDisk(t testing.TB, size string) *Disk { t.Helper(); return SmallDisk(t, size) }

// Fill, Free and ReadOnly are never reached.
func (*Disk) Fill()         {}
func (*Disk) Free()         {}
func (*Disk) ReadOnly(bool) {}

// FailCalls leaves the test out.
func FailCalls(t testing.TB, _ int, _ string, _, _ []string) (heal func() int) {
	t.Helper()
	skipOrFail(t, "test skipped: needs Linux to make system calls fail")
	return nil
}
