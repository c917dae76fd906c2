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

// TestDiskRefusesPictures: a disk that refuses to write costs the cache, never a picture. What a user gives is refused in a
// sentence, or kept whole.
func TestDiskRefusesPictures(t *testing.T) {
	const quota = 1 << 20
	given := pngBytes(t, twoColours(200, 200))
	faults, inputs := 0, 0
	for refusal, ops := range map[error][]faultdisk.Op{
		syscall.EIO:    {faultdisk.Create, faultdisk.Write, faultdisk.Sync, faultdisk.Rename, faultdisk.Remove, faultdisk.SyncDir},
		syscall.ENOSPC: {faultdisk.Create, faultdisk.Write},
		syscall.EROFS:  {faultdisk.Create},
		syscall.EACCES: {faultdisk.Create},
	} {
		for _, op := range ops {
			t.Run(fmt.Sprint(refusal, op), func(t *testing.T) {
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
					got, err := s.Get(t.Context(), strings.Repeat(fmt.Sprint(n), 16), art.Thumbnail)
					if err != nil || len(got.Bytes) < 500 {
						t.Fatalf("picture %d: %d bytes, %v", n, len(got.Bytes), err)
					}
					return got.Bytes
				}
				disk.Refuse(refusal, op)
				first := picture(1)
				_, err = s.Save(given)
				if kind, _ := fault.Of(err); err != nil && (kind != fault.Unavailable || !errors.Is(err, refusal)) {
					t.Errorf("it is refused with %v", err)
				}
				faults += disk.Refused()
				disk.Refuse(nil)
				if !bytes.Equal(picture(1), first) {
					t.Error("the picture is another one afterwards")
				}
				picture(2)
				hash, err := s.Save(given)
				if err != nil {
					t.Fatal(err)
				}
				if got, err := s.Get(t.Context(), hash, art.Original); err != nil || !bytes.Equal(got.Bytes, given) {
					t.Errorf("what was given is %d bytes, %v", len(got.Bytes), err)
				}
				if used := folderSize(t, dir); used < int64(len(first)+len(given)) || used > quota {
					t.Errorf("%d bytes on disk: nothing is kept again", used)
				}
			})
		}
	}
	testenv.Report(t, "R3", testenv.Tally{Inputs: inputs, Faults: faults, Note: "input/output errors below every write of the pictures; no room, no permission and a read-only disk where they come"})
}
