package pulse

import "time"

const (
	// stallTime is how long the server may leave a timing request without a reply before playback
	// counts as stopped. With pollMoving it is well below a second, within which clients must know.
	stallTime = 450 * time.Millisecond
	// checkEvery is the interval of the checks.
	checkEvery = stallTime / 9
)

// watch distinguishes a stalled server from a busy machine. It counts its own checks instead of
// time, so that on an overloaded machine, where they are late, the server has more time to reply.
type watch struct {
	next    time.Time // time of the next check; zero: no reply is awaited
	checks  int       // checks without any message since the request
	stalled bool      // the server counts as stalled until its next message
}

// begin starts the watch with a request, unless an earlier one is pending.
func (w *watch) begin(now time.Time) {
	if w.next.IsZero() && !w.stalled {
		w.next, w.checks = now.Add(checkEvery), 0
	}
}

// received ends the watch: the server has sent a message. If it was not the reply, the next request
// begins another.
func (w *watch) received() { *w = watch{} }

// check counts a check and reports whether the server counts as stalled from this one on.
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
