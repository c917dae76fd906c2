package player

import (
	"errors"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"waxwing/internal/fault"
	"waxwing/internal/statefile"
	"waxwing/internal/statefile/faultdisk"
	"waxwing/internal/testenv"
)

// cuts returns the number of power cuts to try.
// cuts is how many power cuts each test simulates.
func cuts() int { return testenv.Size(60, 200, 5000) }

// The power is cut at a random disk operation. The state read afterwards was written, and is not
// older than the last one synced.
func TestJournalSurvivesPowerCuts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(testenv.Seed(t), 0))
	violations := 0
	for range cuts() {
		path := filepath.Join(t.TempDir(), "j")
		disk, err := faultdisk.New(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		disk.CutAfter(rnd.IntN(60))
		j, _, err := openJournal(disk, path)
		if err != nil {
			t.Fatal(err)
		}
		var written, synced time.Duration
		for i := time.Duration(1); !disk.Dead(); i++ {
			r := sample(1+rnd.IntN(30), i)
			if j.append(r, func() record { return r }) == nil {
				written = i
			}
			if rnd.IntN(20) == 0 {
				j.discardFile() // as after a failed write: the next record goes to a new file
			}
			if rnd.IntN(4) == 0 && j.sync() == nil && j.file != nil {
				synced = written
			}
		}
		if err := disk.PowerCut(rnd); err != nil {
			t.Fatal(err)
		}
		_, found, err := openJournal(statefile.System, path)
		var at time.Duration
		if found != nil {
			at = found.Position
		}
		if err != nil || at < synced || at > written+1 || found != nil && !found.valid() {
			violations++
			t.Errorf("state after a power cut: got %d, error %v; want %d (synced) to %d (written)", at, err, synced, written)
		}
	}
	testenv.Report(t, testenv.PowerLoss, testenv.Tally{Inputs: cuts(), Faults: cuts(), Violations: violations,
		Note: testenv.TriedOf(cuts(), 200, "cuts") + ": the player's journal"})
}

func TestPendingPlaysSurvivePowerCuts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(testenv.Seed(t), 0))
	violations := 0
	for range cuts() {
		path := filepath.Join(t.TempDir(), "plays")
		disk, err := faultdisk.New(filepath.Dir(path))
		if err != nil {
			t.Fatal(err)
		}
		disk.CutAfter(rnd.IntN(40))
		p, err := NewPlays(nil, disk, path, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		saved := 0
		for n := 1; !disk.Dead(); n++ {
			p.Add(Track{ID: "so_" + strings.Repeat("x", 30)}, time.Now(), strings.Repeat("k", n))
			if p.save(); !p.failing {
				saved = n
			}
		}
		if err := disk.PowerCut(rnd); err != nil {
			t.Fatal(err)
		}
		back, err := NewPlays(nil, statefile.System, path, slog.New(slog.DiscardHandler))
		if err != nil || len(back.pending) < saved || len(back.pending) > saved+1 {
			violations++
			t.Errorf("pending plays after a power cut: got %d, error %v; want %d", len(back.pending), err, saved)
		}
	}
	testenv.Report(t, testenv.PowerLoss, testenv.Tally{Inputs: cuts(), Faults: cuts(), Violations: violations,
		Note: testenv.TriedOf(cuts(), 200, "cuts") + ": pending plays"})
}

// Each disk operation fails once during playback.
func TestPlaybackContinuesOnAFailingDisk(t *testing.T) {
	faults := 0
	for _, errno := range []error{syscall.ENOSPC, syscall.EIO, syscall.EROFS, syscall.EACCES} {
		for _, ops := range [][]faultdisk.Op{
			{faultdisk.Create}, {faultdisk.Write}, {faultdisk.Sync}, {faultdisk.Rename}, {faultdisk.SyncDir}, {faultdisk.Append},
			{faultdisk.Create, faultdisk.Append, faultdisk.Write, faultdisk.Sync, faultdisk.Rename, faultdisk.Remove,
				faultdisk.SyncDir},
		} {
			synctest.Test(t, func(t *testing.T) { faults += playOnFailingDisk(t, errno, ops) })
		}
	}
	testenv.Report(t, testenv.FailingDisks, testenv.Tally{Inputs: 28, Faults: faults,
		Note: "the player's journal, four errors on seven sets of calls"})
}

// playOnFailingDisk plays while the operations ops fail, and returns how many calls failed.
func playOnFailingDisk(t *testing.T, errno error, ops []faultdisk.Op) int {
	path := filepath.Join(t.TempDir(), "player.journal")
	disk, err := faultdisk.New(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, &toneLibrary{size: 10, length: 10 * time.Second})
	r.stop()
	r.config.Disk, r.config.StateFile = disk, path
	disk.Fail(errno, ops...)
	r.start() // the disk fails from the start
	r.ok(errOf(r.Play(r.ctx)))
	r.advance(5 * time.Second)
	r.wantState("t0", true, 5*time.Second)

	err = r.SetVolume(r.ctx, ptr(11), nil)
	if kind, _ := fault.Of(err); err != nil && (kind != fault.Unavailable || !errors.Is(err, errno)) {
		t.Errorf("%v on %v: the edit returned %v, want nil or that error as unavailable", errno, ops, err)
	}
	r.ok(r.Pause(r.ctx)) // playback commands still work
	r.advance(time.Minute)
	if n := strings.Count(r.log.String(), "\n"); n != 1 || disk.Failures() == 0 {
		t.Errorf("%v on %v: got %d log lines in a minute and %d failed calls, want 1 line and some failures; log: %s",
			errno, ops, n, disk.Failures(), r.log.String())
	}
	disk.Fail(nil)
	r.advance(2 * time.Second) // the player saves again without a command
	if !strings.Contains(r.log.String(), "saved again") {
		t.Errorf("%v on %v: the log does not contain \"saved again\": %s", errno, ops, r.log.String())
	}
	found, err := readJournal(path)
	if err != nil || found == nil || found.Volume != 11 || (found.Position-5*time.Second).Abs() > 50*time.Millisecond {
		t.Errorf("%v on %v: saved state: got %+v, error %v; want volume 11, position 5s", errno, ops, found, err)
	}
	return disk.Failures()
}
