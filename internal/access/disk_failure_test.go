package access_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/fault"
	"waxwing/internal/statefile/faultdisk"
	"waxwing/internal/testenv"
)

// The test creates and revokes tokens until the power fails at a random disk call (row R2 of the
// trust table: acknowledged changes survive). Every acknowledged token must be valid afterwards,
// and every acknowledged revocation must hold.
func TestAcknowledgedTokenChangesSurviveAPowerFailure(t *testing.T) {
	rnd := rand.New(rand.NewPCG(testenv.Seed(t), 0))
	cuts := 200
	if testenv.Long() {
		cuts = 5000
	}
	acknowledged, violations := 0, 0
	for range cuts {
		path := filepath.Join(t.TempDir(), "tokens.json")
		disk, err := faultdisk.New(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		disk.CutAfter(rnd.IntN(40))
		s, err := access.OpenOn(disk, path, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		var live, revoked []string // secrets
		ids := map[string]string{}
		for !disk.Dead() {
			if len(live) > 0 && rnd.IntN(3) == 0 {
				i := rnd.IntN(len(live))
				secret := live[i]
				live = append(live[:i:i], live[i+1:]...) // until acknowledged, either outcome is correct
				if _, err := s.Revoke(t.Context(), ids[secret]); err == nil {
					revoked = append(revoked, secret)
				}
				continue
			}
			n := access.NewToken{Name: fmt.Sprint("t", len(ids)), Permissions: access.Read}
			token, secret, err := s.Create(t.Context(), n)
			if err == nil {
				live, ids[secret] = append(live, secret), token.ID
			}
		}
		if err := disk.PowerCut(rnd); err != nil {
			t.Fatal(err)
		}
		reopened, err := access.Open(path, slog.New(slog.DiscardHandler))
		if err != nil {
			violations++
			t.Error(err)
			continue
		}
		acknowledged += len(live) + len(revoked)
		for _, secret := range live {
			if _, err := reopened.Check(secret); err != nil {
				violations++
				t.Errorf("an acknowledged token is missing: %v", err)
			}
		}
		for _, secret := range revoked {
			if _, err := reopened.Check(secret); err == nil {
				violations++
				t.Error("a revoked token is valid again")
			}
		}
	}
	testenv.Report(t, testenv.PowerLoss, testenv.Tally{
		Inputs: acknowledged, Faults: cuts, Violations: violations,
		Note: testenv.TriedOf(cuts, 200, "cuts") + ": tokens created and revoked",
	})
}

// The test makes every disk call fail in turn (row R3 of the trust table: failing disks).
func TestFailingDiskKeepsTheTokens(t *testing.T) {
	faults, inputs := 0, 0
	for _, errno := range []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS, syscall.EACCES} {
		for op := faultdisk.Create; op <= faultdisk.SyncDir; op++ {
			if op == faultdisk.Append || op == faultdisk.Remove {
				continue // a successful change does not call these
			}
			path := filepath.Join(t.TempDir(), "tokens.json")
			disk, err := faultdisk.New(filepath.Dir(path))
			if err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			s, err := access.OpenOn(disk, path, slog.New(slog.NewTextHandler(&log, nil)))
			if err != nil {
				t.Fatal(err)
			}
			_, secret, err := s.Create(t.Context(), access.NewToken{Name: "before", Permissions: access.Read})
			if err != nil {
				t.Fatal(err)
			}
			disk.Fail(errno, op)
			inputs++
			_, _, err = s.Create(t.Context(), access.NewToken{Name: "during", Permissions: access.Read})
			if kind, _ := fault.Of(err); kind != fault.Unavailable || !errors.Is(err, errno) {
				t.Errorf("disk call %d failing with %v: got %v, want an Unavailable fault", op, errno, err)
			}
			if _, err := s.Check(secret); err != nil {
				t.Errorf("disk call %d failing with %v: an older token is refused: %v", op, errno, err)
			}
			disk.Fail(nil)
			_, _, err = s.Create(t.Context(), access.NewToken{Name: "after", Permissions: access.Read})
			if err != nil {
				t.Errorf("after the disk recovered from %v: %v", errno, err)
			}
			if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 2 {
				t.Errorf("the folder holds %v, %v; want the file and its lock", left, err)
			}
			faults += disk.Failures()
		}
	}
	testenv.Report(t, testenv.FailingDisks, testenv.Tally{
		Inputs: inputs, Faults: faults, Note: "tokens, four errors on each call of a change",
	})
}

// A full disk must not keep the owner from revoking a token.
func TestRevocationTakesEffectOnAFullDisk(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens.json")
	disk, err := faultdisk.New(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	s, err := access.OpenOn(disk, path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	token, secret, err := s.Create(t.Context(), access.NewToken{Name: "thief", Permissions: access.Read})
	if err != nil {
		t.Fatal(err)
	}
	stream := s.TokenContext(token.ID)
	disk.Fail(syscall.ENOSPC, faultdisk.Create)
	_, err = s.Revoke(t.Context(), token.ID)
	if kind, text := fault.Of(err); kind != fault.Unavailable || !errors.Is(err, access.ErrNotSaved) ||
		!strings.Contains(text, "cannot be saved") {
		t.Errorf("got %v (%s), want ErrNotSaved and a sentence that says so", err, text)
	}
	if stream.Err() == nil {
		t.Error("an open stream of the token goes on")
	}
	if _, err := s.Check(secret); err == nil {
		t.Error("the token is accepted after its revocation")
	}
	ctx, stop := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() {
		if err := s.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	disk.Fail(nil)
	saved := func() bool {
		other, err := access.Open(path, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		_, err = other.Check(secret)
		return err != nil
	}
	for deadline := time.Now().Add(20 * time.Second); !saved(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the revocation was not saved within 20 s of the disk having space again")
		}
	}
	stop()
	run.Wait()
}
