package art_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"waxwing/internal/art"
	"waxwing/internal/fault"
	"waxwing/internal/statefile/faultdisk"
	"waxwing/internal/testenv"
)

// A failing disk costs the cache, never a picture. Saving a user's picture fails with a fault, or
// stores all of it.
func TestFailingDiskServesAllPictures(t *testing.T) {
	const quota = 1 << 20
	upload := pngBytes(t, twoColours(200, 200))
	faults, inputs := 0, 0
	for errno, ops := range map[error][]faultdisk.Op{
		syscall.EIO: {
			faultdisk.Create, faultdisk.Write, faultdisk.Sync, faultdisk.Rename, faultdisk.Remove, faultdisk.SyncDir,
		},
		syscall.ENOSPC: {faultdisk.Create, faultdisk.Write},
		syscall.EROFS:  {faultdisk.Create},
		syscall.EACCES: {faultdisk.Create},
	} {
		for _, op := range ops {
			t.Run(fmt.Sprint(errno, op), func(t *testing.T) {
				dir := t.TempDir()
				disk, err := faultdisk.New(dir)
				if err != nil {
					t.Fatal(err)
				}
				s, err := art.OpenOn(disk, dir, quota, func(_ context.Context, hash string) (art.Source, error) {
					return art.Source{Seed: "artist\x1f" + hash}, nil
				})
				if err != nil {
					t.Fatal(err)
				}
				picture := func(n int) []byte {
					t.Helper()
					inputs++
					got, err := s.Get(t.Context(), art.Request{Hash: strings.Repeat(fmt.Sprint(n), 16), Size: art.Thumbnail})
					if err != nil || len(got.Bytes) < 500 {
						t.Fatalf("picture %d: got %d bytes, %v", n, len(got.Bytes), err)
					}
					return got.Bytes
				}
				disk.Fail(errno, op)
				first := picture(1)
				_, err = s.Save(upload)
				if kind, _ := fault.Of(err); err != nil && (kind != fault.Unavailable || !errors.Is(err, errno)) {
					t.Errorf("Save returned %v, want an Unavailable fault", err)
				}
				faults += disk.Failures()
				disk.Fail(nil)
				if !bytes.Equal(picture(1), first) {
					t.Error("the picture differs after the disk recovered")
				}
				picture(2)
				hash, err := s.Save(upload)
				if err != nil {
					t.Fatal(err)
				}
				got, err := s.Get(t.Context(), art.Request{Hash: hash, Size: art.Original})
				if err != nil || !bytes.Equal(got.Bytes, upload) {
					t.Errorf("the saved picture has %d bytes, %v; want %d", len(got.Bytes), err, len(upload))
				}
				if used := folderSize(t, dir); used < int64(len(first)+len(upload)) || used > quota {
					t.Errorf("got %d bytes on disk, want the pictures cached again", used)
				}
			})
		}
	}
	// Row R3 of the trust table: failing disks.
	testenv.Report(t, testenv.FailingDisks, testenv.Tally{
		Inputs: inputs, Faults: faults,
		Note: "pictures: I/O errors in every call of a write; full, read-only and forbidden disks",
	})
}
