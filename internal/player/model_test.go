package player

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"waxwing/internal/fault"
	"waxwing/internal/testenv"
)

// model is the simplest possible player: a list, a play order and a playhead that moves with the
// clock, without decks, loads or files. Both lists have ids of items.
type model struct {
	list, order []int
	track       map[int]string // of each item
	priority    map[int]int
	last        int // the last id given to an item
	at          int
	playing     bool
	stopped     bool
	ended       bool
	repeat      Repeat
	stopAfter   Mode
	consume     Mode
	shuffle     bool
	pos         time.Duration
}

// cur is the current item; 0 when the list is empty.
func (m *model) cur() int {
	if len(m.list) == 0 {
		return 0
	}
	return m.order[m.at]
}

// advance moves the time; newRound returns the order of a new shuffled round.
func (m *model) advance(d, length time.Duration, newRound func() []int) {
	for m.playing && d > 0 {
		left := length - m.pos
		if d < left {
			m.pos += d
			return
		}
		d -= left
		m.endTrack(length, newRound)
	}
}

// endTrack is the natural end of a track.
func (m *model) endTrack(length time.Duration, newRound func() []int) {
	ended, consumes, follow := m.cur(), m.consume != ModeOff, m.repeat
	switch {
	case consumes && len(m.list) == 1:
		follow = RepeatOff
	case consumes && follow == RepeatOne:
		follow = RepeatAll
	}
	if m.stopAfter != ModeOff {
		m.playing, m.stopAfter = false, m.stopAfter.used()
	}
	m.pos = 0
	switch {
	case follow == RepeatOne:
	case m.at+1 < len(m.order):
		m.at++
	case follow.wraps():
		if consumes {
			m.drop(ended)
		}
		m.order, m.at = newRound(), 0
	default:
		m.playing, m.ended, m.pos = false, true, length
	}
	if !consumes {
		return
	}
	m.consume = m.consume.used()
	if m.ended {
		m.drop(ended)
		m.at, m.pos, m.stopped, m.ended = 0, 0, true, len(m.list) > 0
	} else if slices.Contains(m.list, ended) {
		m.drop(ended)
	}
}

func (m *model) play() {
	if !m.playing && m.ended {
		m.at, m.pos = 0, 0
	}
	m.playing, m.stopped, m.ended = true, false, false
}

func (m *model) goTo(at int) { m.at, m.pos, m.ended = at, 0, false }

// command is one step of a history.
type command struct {
	op   string
	a, b int
	wait time.Duration
}

func (c command) String() string { return fmt.Sprintf("%s(%d,%d)+%v", c.op, c.a, c.b, c.wait) }

var ops = []string{"play", "playTrack", "pause", "toggle", "next", "previous", "seek", "shuffle", "repeat",
	"add", "insert", "remove", "move", "jump", "clear", "replace", "restart", "wait", "stop", "modes", "insertAt",
	"removeRange", "moveRange", "swap", "shuffleList", "priority", "playItem"}

var commands = rapid.Custom(func(t *rapid.T) command {
	return command{
		op: rapid.SampledFrom(ops).Draw(t, "op"),
		a:  rapid.IntRange(0, 7).Draw(t, "a"), b: rapid.IntRange(0, 7).Draw(t, "b"),
		wait: time.Duration(rapid.IntRange(0, 10).Draw(t, "wait")) * 700 * time.Millisecond,
	}
})

// TestPlayerBehavesLikeTheModel runs random histories on a player with a recording device and a
// fake clock, and compares what clients see with the model after every step.
func TestPlayerBehavesLikeTheModel(t *testing.T) {
	if err := flag.Set("rapid.seed", strconv.FormatUint(testenv.Seed(t), 10)); err != nil {
		t.Fatal(err)
	}
	tried, steps := 0, 0
	defer func() {
		violations := 0
		if t.Failed() {
			violations = 1
		}
		testenv.Report(t, testenv.Model, testenv.Tally{Inputs: tried, Violations: violations,
			Note: fmt.Sprintf("%s, with %d commands, compared with the model after each",
				testenv.TriedOf(tried, 10_000, "random histories"), steps)})
	}()
	rapid.Check(t, func(rt *rapid.T) {
		history := rapid.SliceOfN(commands, 1, 12).Draw(rt, "history")
		tried, steps = tried+1, steps+len(history)
		var mismatch string
		synctest.Test(t, func(t *testing.T) { mismatch = replay(t, history) })
		if mismatch != "" {
			rt.Fatalf("history %v: %s", history, mismatch)
		}
	})
}

// replay runs a history and returns the first difference from the model, or "".
func replay(t *testing.T, history []command) string {
	const length = 4100 * time.Millisecond
	r := newRig(t, &toneLibrary{size: 8, length: length, rate: 500})
	m := newModel()
	var lastVersion uint64
	var follower follower
	for i, c := range history {
		if mismatch := m.step(r, c); mismatch != "" {
			return fmt.Sprintf("step %d %v: %s", i, c, mismatch)
		}
		for left := c.wait; left > 0; left -= oneEnd {
			r.advance(min(left, oneEnd))
			m.advance(min(left, oneEnd), length, r.order)
		}
		// Near a track boundary the result depends on the device's buffer: advance past the boundary
		// and let loads finish.
		const edge = 150 * time.Millisecond
		for m.playing && (length-m.pos < edge || m.pos < edge) {
			r.advance(2 * edge)
			m.advance(2*edge, length, r.order)
		}
		mismatch := m.differs(r)
		if mismatch == "" {
			mismatch = follower.update(r.Status())
		}
		if mismatch != "" {
			return fmt.Sprintf("step %d %v: %s", i, c, mismatch)
		}
		if c.op != "restart" && r.Status().Version < lastVersion {
			return fmt.Sprintf("status version: got %d, want at least %d", r.Status().Version, lastVersion)
		}
		lastVersion = r.Status().Version
	}
	return ""
}

// oneEnd is a time in which at most one track ends, so that the model can copy each random order.
const oneEnd = 3500 * time.Millisecond

// follower rebuilds the queue from the items whose version is higher than the last one it knows.
type follower struct {
	items   []Item
	version uint64
}

func (f *follower) update(st *Status) string {
	if st.QueueVersion < f.version {
		return fmt.Sprintf("queue version: got %d, want at least %d", st.QueueVersion, f.version)
	}
	f.items = append(f.items, make([]Item, len(st.Items))...)[:len(st.Items)]
	for i, item := range st.Items {
		if item.Version > f.version {
			f.items[i] = item
		}
	}
	f.version = st.QueueVersion
	if !slices.Equal(f.items, st.Items) {
		return fmt.Sprintf("queue rebuilt from changes: got %v, want %v", f.items, st.Items)
	}
	return ""
}

// order returns the player's play order as items. A random order cannot be predicted, only checked.
func (r *rig) order() (order []int) {
	r.post(func(c *core) {
		for _, i := range c.queue.order {
			order = append(order, c.queue.items[i].ID)
		}
	})
	synctest.Wait()
	return order
}

// differs compares everything that clients see, and returns the first difference or "".
func (m *model) differs(r *rig) string {
	st := r.Status()
	cur, _ := st.Current()
	const form = "track %q, item %d, playing %v, stopped %v, shuffle %v, repeat %v, stop after %v, consume %v, queue %v"
	got := fmt.Sprintf(form, cur.ID, st.CurrentItem(), st.Playing, st.Stopped, st.Shuffle, st.Repeat, st.StopAfter,
		st.Consume, entries(st))
	stopped := m.stopped || m.ended || len(m.list) == 0
	want := fmt.Sprintf(form, m.track[m.cur()], m.cur(), m.playing, stopped, m.shuffle, m.repeat, m.stopAfter,
		m.consume, m.entries())
	if got != want {
		return fmt.Sprintf("state: got %s; want %s (status error %q)", got, want, st.Error)
	}
	if pos := r.Position(); (pos-m.pos).Abs() > 100*time.Millisecond || pos > cur.Duration {
		return fmt.Sprintf("position: got %v, want %v (playing %v)", pos, m.pos, m.playing)
	}
	if order := r.order(); !slices.Equal(order, m.order) {
		return fmt.Sprintf("play order: got %v, want %v", order, m.order)
	}
	return ""
}

// step executes one command on both sides and compares the results.
func (m *model) step(r *rig, c command) string {
	n := len(m.list)
	id := "t" + strconv.Itoa(c.a)
	index := c.a
	at := func(i int) string { // the id that a client would send for index i
		if i < n {
			return m.track[m.list[i]]
		}
		return "t0"
	}
	var err error
	want := fault.Internal // means "no error" here
	switch c.op {
	case "wait":
	case "restart":
		r.stop()
		r.start()
		m.playing = false
	case "play":
		_, err = r.Play(r.ctx)
		m.fill(r)
		m.play()
	case "toggle":
		var playing bool
		playing, err = r.Toggle(r.ctx)
		m.fill(r)
		if m.playing {
			m.playing = false
		} else {
			m.play()
		}
		if playing != m.playing {
			return fmt.Sprintf("toggle: got playing %v, want %v", playing, m.playing)
		}
	case "pause":
		err = r.Pause(r.ctx)
		m.playing = false
	case "stop":
		err = r.Stop(r.ctx)
		m.playing, m.stopped, m.pos = false, true, 0
	case "modes":
		modes := []Mode{ModeOff, ModeOn, ModeOnce}
		m.stopAfter, m.consume = modes[c.a%3], modes[c.b%3]
		err = r.SetModes(r.ctx, &m.stopAfter, &m.consume)
	case "next", "previous":
		by := +1
		if c.op == "next" {
			err = r.Next(r.ctx)
		} else {
			by, err = -1, r.Previous(r.ctx)
		}
		if n == 0 {
			want = fault.Conflict
		} else {
			m.skip(by)
		}
	case "seek":
		to := time.Duration(c.a) * 900 * time.Millisecond
		_, err = r.Seek(r.ctx, to)
		if n == 0 {
			want = fault.Conflict
		} else {
			m.pos, m.ended, m.stopped = min(to, 4100*time.Millisecond), false, false
		}
	case "playTrack":
		err = r.PlayTrack(r.ctx, id)
		item := slices.IndexFunc(m.list, func(item int) bool { return m.track[item] == id })
		switch {
		case n > 0 && m.track[m.cur()] == id:
			m.goTo(m.at)
		case item >= 0:
			m.goTo(slices.Index(m.order, m.list[item]))
		default:
			first := m.last + 1
			m.insertNext(r, id)
			m.goTo(slices.Index(m.order, first))
		}
		m.playing, m.stopped = true, false
	case "shuffle":
		on := c.a%2 == 0
		err = r.SetShuffle(r.ctx, on)
		if on != m.shuffle {
			m.shuffle = on
			if mismatch := m.reorder(r); mismatch != "" {
				return mismatch
			}
		}
	case "repeat":
		m.repeat = []Repeat{RepeatOff, RepeatOne, RepeatAll, RepeatOn}[c.a%4]
		err = r.SetRepeat(r.ctx, m.repeat)
	case "clear":
		err = r.Clear(context.Background())
		m.clear()
	case "replace":
		names := []string{id, "t" + strconv.Itoa(c.b), "t3"}
		err = r.Replace(r.ctx, Selection{TrackIDs: names}, c.b%3, c.a%2 == 0)
		m.clear()
		m.list = m.create(names...)
		m.start(r, c.b%3)
		m.playing, m.stopped = c.a%2 == 0, c.a%2 != 0
	case "remove":
		err = r.remove(index, at(index))
		if index >= n {
			want = fault.Conflict
		} else {
			m.remove(m.list[index])
		}
	case "move":
		err = r.move(index, c.b, at(index))
		switch {
		case index >= n:
			want = fault.Conflict
		case c.b >= n:
			want = fault.Invalid
		default:
			m.move(index, index+1, c.b)
		}
	case "jump":
		err = r.jump(index, at(index))
		if index >= n {
			want = fault.Conflict
		} else {
			m.goTo(slices.Index(m.order, m.list[index]))
			m.playing, m.stopped = true, false
		}
	default:
		return m.edit(r, c)
	}
	return wantKind(err, want)
}

// wantKind describes an error of another kind than want; Internal stands for none.
func wantKind(err error, want fault.Kind) string {
	if got, _ := fault.Of(err); (err != nil) != (want != fault.Internal) || err != nil && got != want {
		return fmt.Sprintf("error: got %v, want kind %d", err, want)
	}
	return ""
}
