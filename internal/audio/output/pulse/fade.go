package pulse

import "time"

// A change of volume is made in steps, because the server applies each one between two samples, and
// a single big step is a click.
const (
	fadeSteps = 5
	fadeEvery = 4 * time.Millisecond
)

// fade is a change of volume under way.
type fade struct {
	now, goal uint32
	left      int       // remaining steps
	next      time.Time // time of the next step; zero: none
}

// to begins a change from one volume to another: in steps if it is audible, else at once.
func (f *fade) to(from, goal uint32, heard bool) {
	if f.next.IsZero() {
		f.now = from
	}
	f.goal, f.left, f.next = goal, 1, time.Now()
	if heard {
		f.left = fadeSteps
	}
}

// step returns the volume to set now.
func (f *fade) step(now time.Time) uint32 {
	f.now += uint32((int64(f.goal) - int64(f.now)) / int64(f.left))
	f.left--
	f.next = now.Add(fadeEvery)
	if f.left == 0 {
		f.next = time.Time{}
	}
	return f.now
}
