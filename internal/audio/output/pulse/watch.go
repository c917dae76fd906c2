package pulse

import "time"

const (
	// stallTime is how long the server may leave a question for the time unanswered before the sound counts as
	// stopped. Together with pollMoving it is well below the second within which listeners must know.
	stallTime = 450 * time.Millisecond
	// checkEvery is one part of it.
	checkEvery = stallTime / 9
)

// watch tells a server that is stuck from one that is busy. Time counts in checks of our own, so that on a machine
// without a processor to spare, where we look late, the server has as much more time to answer.
type watch struct {
	next    time.Time // when to look again; zero: nothing is awaited
	checks  int       // without a word since the question
	stalled bool      // the verdict; a word of the server takes it back
}

// begin starts the watch with a question, unless an earlier one is still waiting.
func (w *watch) begin(now time.Time) {
	if w.next.IsZero() && !w.stalled {
		w.next, w.checks = now.Add(checkEvery), 0
	}
}

// heard ends the watch: the server has said something. If that was not the answer, the next question begins anew.
func (w *watch) heard() { *w = watch{} }

// look reports whether this look is the one by which the server counts as stuck.
func (w *watch) check(now time.Time) bool {
	if w.next.IsZero() || now.Before(w.next) {
		return false
	}
	w.next = now.Add(checkEvery)
	w.checks++
	if w.checks < int(stallTime/checkEvery) {
		return false
	}
	w.next, w.stalled = time.Time{}, true
	return true
}
