package player

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"waxwing/internal/statefile"
)

func itemIDs(st *Status) (all []int) {
	for _, item := range st.Items {
		all = append(all, item.ID)
	}
	return all
}

// A killed process leaves the journal as it is after the last acknowledged command.
func TestItemIDsSurviveACrash(t *testing.T) {
	bubble(t, func(r *rig) {
		_, err := r.insert(atEnd, "t1", "t2", "t1", "t3")
		r.ok(err)
		r.ok(r.Edit(r.ctx, func(q *Edit) error { return q.Move(3, 4, 0) }))
		r.ok(r.Edit(r.ctx, func(q *Edit) error { return q.SetPriority(9, 2) }))
		r.ok(r.remove(1, "t1"))
		r.ok(r.SetModes(r.ctx, new(ModeOnce), new(ModeOn)))
		before := r.Status()
		journal, err := os.ReadFile(r.config.StateFile)
		r.ok(err)
		r.stop()
		r.ok(os.WriteFile(r.config.StateFile, journal, 0o600))
		r.start()
		st := r.Status()
		if !slices.Equal(itemIDs(st), []int{4, 2, 3}) || st.Items[1].Priority != 9 || !st.Stopped ||
			st.StopAfter != ModeOnce || st.Consume != ModeOn {
			t.Errorf("state after a crash: got items %v, stopped %v, stop after %v, consume %v; "+
				"want 4, 2 with priority 9, 3, stopped, once, on", st.Items, st.Stopped, st.StopAfter, st.Consume)
		}
		if st.QueueVersion <= before.QueueVersion || st.Items[0].Version <= before.QueueVersion {
			t.Errorf("versions after a crash: got %d of the queue and %d of an item, want more than %d",
				st.QueueVersion, st.Items[0].Version, before.QueueVersion)
		}
		r.ok(r.Clear(r.ctx))
		items, err := r.insert(atEnd, "t1")
		r.ok(err)
		if !slices.Equal(items, []int{5}) {
			t.Errorf("id after a crash: got %v, want 5, which no item had", items)
		}
	})
}

// oldJournal is what a version without ids of items has written.
const oldJournal = `{"tracks":[{"id":"t1","title":"One","artist":"","album":"","album_id":"","cover_url":"",` +
	`"thumbnail_url":"","duration":10000000000},{"id":"t2","title":"Two","artist":"","album":"","album_id":"",` +
	`"cover_url":"","thumbnail_url":"","duration":10000000000}],"order":[1,0],"at":1,"position":3000000000,` +
	`"play":"K","ended":false,"shuffle":true,"repeat":"all","volume":40,"muted":false,"device":""}`

func TestJournalsOfOlderVersionsAreRead(t *testing.T) {
	line := func(body string) string {
		return fmt.Sprintf("%08x %s\n", crc32.ChecksumIEEE([]byte(body)), body)
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, &toneLibrary{size: 10, length: 10 * time.Second})
		r.stop()
		r.config.StateFile = filepath.Join(t.TempDir(), "old.journal")
		r.ok(os.WriteFile(r.config.StateFile, []byte(line(oldJournal)), 0o600))
		r.start()
		r.wantState("t1", false, 3*time.Second)
		st := r.Status()
		if !slices.Equal(itemIDs(st), []int{1, 2}) || st.Stopped || st.StopAfter != ModeOff || st.Consume != ModeOff ||
			!st.Shuffle || st.Volume != 40 {
			t.Errorf("old journal: got %+v; want items 1 and 2, paused, modes off, shuffle, volume 40", st)
		}
		items, err := r.insert(atEnd, "t3")
		r.ok(err)
		r.stop()
		r.start()
		if !slices.Equal(items, []int{3}) || !slices.Equal(itemIDs(r.Status()), []int{1, 2, 3}) {
			t.Errorf("after adding to an old queue: got new %v, all %v; want 3 and 1 2 3", items, itemIDs(r.Status()))
		}
		r.stop()
		// A line of the older version after those of this one: its tracks have no ids yet.
		whole, err := os.ReadFile(r.config.StateFile)
		r.ok(err)
		r.ok(os.WriteFile(r.config.StateFile, append(whole, line(oldJournal)...), 0o600))
		r.start()
		if got := itemIDs(r.Status()); !slices.Equal(got, []int{1, 2}) {
			t.Errorf("items after the older version has run: got %v, want 1 and 2", got)
		}
	})
}

func TestStopReleasesTheOutput(t *testing.T) {
	bubble(t, func(r *rig) {
		r.ok(errOf(r.Play(r.ctx)))
		r.advance(3 * time.Second)
		opened := r.dev.Opens()
		r.ok(r.Stop(r.ctx))
		r.advance(time.Second)
		r.wantState("t0", false, 0)
		if st := r.Status(); !st.Stopped || r.dev.Streams() != 0 {
			t.Errorf("after a stop: got stopped %v and %d open streams, want true and none", st.Stopped, r.dev.Streams())
		}
		r.ok(errOf(r.Play(r.ctx)))
		r.advance(2 * time.Second)
		r.wantState("t0", true, 2*time.Second)
		if got := r.dev.Opens(); got != opened+1 {
			t.Errorf("streams opened after a stop: got %d, want 1", got-opened)
		}
	})
}

func TestStopAfterTrackPausesAtTheNext(t *testing.T) {
	bubble(t, func(r *rig) {
		r.ok(r.SetModes(r.ctx, new(ModeOnce), nil))
		r.ok(errOf(r.Play(r.ctx)))
		r.advance(15 * time.Second)
		r.wantState("t1", false, 0)
		if st := r.Status(); st.StopAfter != ModeOff || st.Stopped {
			t.Errorf("after one track: got stop after %v, stopped %v; want off, false", st.StopAfter, st.Stopped)
		}
		r.ok(errOf(r.Play(r.ctx)))
		r.advance(15 * time.Second)
		r.wantState("t2", true, 5*time.Second)
	})
}

// Tracks that are added one by one are written once each, not with all others.
func TestAddingTracksOneByOneWritesLittle(t *testing.T) {
	bubble(t, func(r *rig) {
		disk := &countingDisk{Disk: statefile.System}
		r.stop()
		r.config.Disk = disk
		r.start()
		const n = 1500
		for i := range n {
			_, err := r.insert(atEnd, "t"+strconv.Itoa(i%10))
			r.ok(err)
		}
		if limit := int64(n * 2000); disk.written.Load() > limit {
			t.Errorf("bytes written for %d additions: got %d, want at most %d", n, disk.written.Load(), limit)
		}
		want := itemIDs(r.Status())
		journal, err := os.ReadFile(r.config.StateFile)
		r.ok(err)
		r.stop()
		r.ok(os.WriteFile(r.config.StateFile, journal, 0o600)) // as after a crash
		r.start()
		if got := itemIDs(r.Status()); !slices.Equal(got, want) || len(got) != n || len(r.Status().Queue) != n {
			t.Errorf("items after a crash: got %d, want the same %d", len(got), len(want))
		}
	})
}

// countingDisk counts the bytes written to files.
type countingDisk struct {
	statefile.Disk
	written atomic.Int64
}

func (d *countingDisk) Append(path string) (statefile.File, error) {
	f, err := d.Disk.Append(path)
	return &countingFile{f, d}, err
}

type countingFile struct {
	statefile.File
	disk *countingDisk
}

func (f *countingFile) Write(p []byte) (int, error) {
	f.disk.written.Add(int64(len(p)))
	return f.File.Write(p)
}
