package scan

import (
	"sync/atomic"
	"time"
)

// Phase is the phase of a scan.
type Phase string

// The phases in order.
const (
	Idle      Phase = "idle"    // no scan has run yet
	Listing   Phase = "listing" // walking the folders
	Reading   Phase = "reading" // new and changed files
	Finishing Phase = "finishing"
	Done      Phase = "done"
	Failed    Phase = "failed"
)

// Progress is a snapshot of a scan.
type Progress struct {
	Phase    Phase
	Started  time.Time // zero if no scan has run
	Finished time.Time // zero while running
	Found    int64     // audio files
	Total    int64     // files to read; 0 until they are counted
	Done     int64     // files read
	Problems int64
	Added    int64         // songs that are new to the catalog
	Changed  int64         // songs with a changed file or tags, including moved and restored ones
	Missing  int64         // songs whose file is missing since this scan
	Rate     float64       // files per second
	ETA      time.Duration // 0 if unknown
	Err      error
}

// Running reports whether the scan is running.
func (p Progress) Running() bool {
	return p.Phase == Listing || p.Phase == Reading || p.Phase == Finishing
}

// tracker counts the progress of one scan.
type tracker struct {
	started  time.Time
	phase    atomic.Value // Phase
	found    atomic.Int64
	total    atomic.Int64
	done     atomic.Int64
	problems atomic.Int64
	added    atomic.Int64
	changed  atomic.Int64
	missing  atomic.Int64
	reading  atomic.Int64 // Unix nanoseconds of the start of Reading
	finished atomic.Int64
	err      atomic.Value // errBox
}

type errBox struct{ err error }

func newTracker(started time.Time) *tracker {
	t := &tracker{started: started}
	t.phase.Store(Listing)
	if started.IsZero() {
		t.phase.Store(Idle)
	}
	t.err.Store(errBox{})
	return t
}

func (t *tracker) enter(p Phase) {
	if p == Reading {
		t.reading.Store(time.Now().UnixNano())
	}
	t.phase.Store(p)
}

func (t *tracker) finish(err error) {
	t.finished.Store(time.Now().UnixNano())
	t.err.Store(errBox{err})
	if err != nil {
		t.enter(Failed)
		return
	}
	t.enter(Done)
}

func (t *tracker) snapshot(now time.Time) Progress {
	p := Progress{
		Phase: t.phase.Load().(Phase), Started: t.started,
		Found: t.found.Load(), Total: t.total.Load(), Done: t.done.Load(), Problems: t.problems.Load(),
		Added: t.added.Load(), Changed: t.changed.Load(), Missing: t.missing.Load(),
		Err: t.err.Load().(errBox).err,
	}
	if f := t.finished.Load(); f != 0 {
		p.Finished = time.Unix(0, f)
		now = p.Finished
	}
	if start := t.reading.Load(); start != 0 && p.Done > 0 {
		took := now.Sub(time.Unix(0, start)).Seconds()
		p.Rate = float64(p.Done) / max(took, 0.001)
		if p.Running() && p.Total > p.Done {
			p.ETA = time.Duration(float64(p.Total-p.Done) / p.Rate * float64(time.Second))
		}
	}
	return p
}
