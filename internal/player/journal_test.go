package player

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"waxwing/internal/statefile"
)

func sample(n int, position time.Duration) record {
	tracks, order := []Track{}, []int{}
	for i := range n {
		tracks = append(tracks, Track{ID: "t", Title: "Title"})
		order = append(order, n-1-i)
	}
	return record{Tracks: &tracks, Order: &order, At: n - 1, Position: position, Repeat: RepeatAll, Volume: 40}
}

// The journal is truncated and damaged at every byte. The state read is always one that was
// written.
func TestDamagedJournalRestoresAWrittenState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j, restored, err := openJournal(statefile.System, path)
	if err != nil || restored != nil {
		t.Fatalf("new journal: got state %+v, error %v; want neither", restored, err)
	}
	written := map[time.Duration]bool{}
	for i := range 4 {
		r := sample(2+i, time.Duration(i+1)*time.Second)
		line := r
		if err := j.append(line, func() record { return r }); err != nil {
			t.Fatal(err)
		}
		written[r.Position] = true
	}
	if err := j.sync(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, content []byte) *record {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := readJournal(path)
		if err != nil || r != nil && (!written[r.Position] || !r.valid()) {
			t.Fatalf("%s: got %+v, error %v; want a state that was written, or none", what, r, err)
		}
		return r
	}
	for cut := range len(whole) {
		check("truncated journal", whole[:cut])
		damaged := bytes.Clone(whole)
		damaged[cut] ^= 0x20
		check("damaged journal", damaged)
	}
	if r := check("complete journal", whole); r == nil || r.Position != 4*time.Second {
		t.Fatalf("complete journal: got %+v, want position 4s", r)
	}
}

func TestJournalStaysSmallAndReadable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j, _, err := openJournal(statefile.System, path)
	if err != nil {
		t.Fatal(err)
	}
	whole := sample(100, 0)
	for i := range 20_000 {
		whole.Position = time.Duration(i) * time.Second
		line := whole
		if i > 0 {
			line.Tracks, line.Order = nil, nil
		}
		if err := j.append(line, func() record { return whole }); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > 2*compactAt {
		t.Fatalf("journal size: got %d, error %v; want at most %d", info.Size(), err, 2*compactAt)
	}
	if err := j.sync(); err != nil {
		t.Fatal(err)
	}
	_, r, err := openJournal(statefile.System, path)
	if err != nil || r == nil || r.Position != 19_999*time.Second || len(*r.Tracks) != 100 {
		t.Fatalf("reopened journal: got %+v, error %v; want position 19999s and 100 tracks", r, err)
	}
}

func TestJournalWritesANewFileAfterAFailedWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	j, _, err := openJournal(statefile.System, path)
	if err != nil {
		t.Fatal(err)
	}
	r := sample(3, time.Second)
	if err := j.append(r, func() record { return r }); err != nil {
		t.Fatal(err)
	}
	_ = j.file.Close() // the next write fails, as on a failing disk
	if err := j.append(r, func() record { return r }); err == nil {
		t.Fatal("write to a closed file: got no error, want one")
	}
	if err := j.append(r, func() record { return r }); err != nil {
		t.Fatal(err)
	}
	if err := j.sync(); err != nil {
		t.Fatal(err)
	}
	if back, err := readJournal(path); err != nil || back == nil || back.Position != time.Second {
		t.Fatalf("journal after a failed write: got %+v, error %v; want position 1s", back, err)
	}
}
