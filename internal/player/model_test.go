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
// clock, without decks, loads or files.
type model struct {
	ids     []string
	order   []int
	at      int
	playing bool
	ended   bool
	repeat  Repeat
	shuffle bool
	pos     time.Duration
}

func (m *model) cur() string {
	if len(m.ids) == 0 {
		return ""
	}
	return m.ids[m.order[m.at]]
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
		switch {
		case m.repeat == RepeatOne:
			m.pos = 0
		case m.at+1 < len(m.order):
			m.at, m.pos = m.at+1, 0
		case m.repeat.wraps():
			m.order, m.at, m.pos = newRound(), 0, 0
		default:
			m.playing, m.ended, m.pos = false, true, length
		}
	}
}

func (m *model) play(length time.Duration) bool {
	if len(m.ids) == 0 {
		return false
	}
	if !m.playing && m.ended {
		m.at, m.pos = 0, 0
	}
	m.playing, m.ended = true, false
	return true
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
	"add", "insert", "remove", "move", "jump", "clear", "replace", "restart", "wait"}

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
	m := &model{repeat: RepeatOff}
	var lastVersion uint64
	for i, c := range history {
		if mismatch := m.step(r, c, length); mismatch != "" {
			return fmt.Sprintf("step %d %v: %s", i, c, mismatch)
		}
		r.advance(c.wait)
		m.advance(c.wait, length, r.order)
		// Near a track boundary the result depends on the device's buffer: advance past the boundary
		// and let loads finish.
		const edge = 150 * time.Millisecond
		for m.playing && (length-m.pos < edge || m.pos < edge) {
			r.advance(2 * edge)
			m.advance(2*edge, length, r.order)
		}
		if mismatch := m.differs(r); mismatch != "" {
			return fmt.Sprintf("step %d %v: %s", i, c, mismatch)
		}
		if c.op != "restart" && r.Status().Version < lastVersion {
			return fmt.Sprintf("status version: got %d, want at least %d", r.Status().Version, lastVersion)
		}
		lastVersion = r.Status().Version
	}
	return ""
}

// order returns the player's play order. A random order cannot be predicted, only checked.
func (r *rig) order() (order []int) {
	r.post(func(c *core) { order = slices.Clone(c.queue.order) })
	synctest.Wait()
	return order
}

// differs compares everything that clients see, and returns the first difference or "".
func (m *model) differs(r *rig) string {
	st := r.Status()
	cur, _ := st.Current()
	if cur.ID != m.cur() || st.Playing != m.playing || st.Shuffle != m.shuffle || st.Repeat != m.repeat ||
		!slices.Equal(ids(st.Queue), m.ids) {
		return fmt.Sprintf("state: got track %q, playing %v, shuffle %v, repeat %v, queue %v; "+
			"want %q, %v, %v, %v, %v (status error %q)",
			cur.ID, st.Playing, st.Shuffle, st.Repeat, ids(st.Queue), m.cur(), m.playing, m.shuffle, m.repeat, m.ids, st.Error)
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
func (m *model) step(r *rig, c command, length time.Duration) string {
	n := len(m.ids)
	id := "t" + strconv.Itoa(c.a)
	index := c.a
	at := func(i int) string { // the id that a client would send for index i
		if i < n {
			return m.ids[i]
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
		fill(m, r.library)
		_, err = r.Play(r.ctx)
		m.play(length)
		m.adopt(r)
	case "toggle":
		var playing bool
		fill(m, r.library)
		playing, err = r.Toggle(r.ctx)
		if m.playing {
			m.playing = false
		} else {
			m.play(length)
		}
		if playing != m.playing {
			return fmt.Sprintf("toggle: got playing %v, want %v", playing, m.playing)
		}
		m.adopt(r)
	case "pause":
		err = r.Pause(r.ctx)
		m.playing = false
	case "next", "previous":
		by := +1
		err = nil
		if c.op == "next" {
			err = r.Next(r.ctx)
		} else {
			by, err = -1, r.Previous(r.ctx)
		}
		if n == 0 {
			want = fault.Conflict
		} else {
			m.goTo((m.at + by + n) % n)
		}
	case "seek":
		to := time.Duration(c.a) * 900 * time.Millisecond
		_, err = r.Seek(r.ctx, to)
		if n == 0 {
			want = fault.Conflict
		} else {
			m.pos, m.ended = min(to, length), false
		}
	case "playTrack":
		err = r.PlayTrack(r.ctx, id)
		i := slices.Index(m.ids, id)
		if n > 0 && m.cur() == id {
			i = m.order[m.at]
		}
		if i < 0 {
			i = m.insert([]string{id})
		}
		m.goTo(slices.Index(m.order, i))
		m.playing = true
		m.adopt(r)
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
	case "add", "insert":
		where := AtEnd
		names := []string{id, "t" + strconv.Itoa(c.b)}
		if c.op == "insert" {
			where = AtNext
		}
		_, err = r.Add(r.ctx, Selection{TrackIDs: names}, where)
		if c.op == "insert" || n == 0 {
			m.insert(names)
			m.adopt(r)
		} else {
			m.ids = slices.Concat(m.ids, names)
			m.order = append(slices.Clone(m.order), n, n+1)
			if m.shuffle {
				if mismatch := m.adoptExtendedOrder(r.order()); mismatch != "" {
					return mismatch
				}
			}
		}
	case "remove":
		err = r.Remove(r.ctx, index, at(index))
		if index >= n {
			want = fault.Conflict
		} else {
			m.remove(index)
		}
	case "move":
		err = r.Move(r.ctx, index, c.b, at(index))
		switch {
		case index >= n:
			want = fault.Conflict
		case c.b >= n:
			want = fault.Invalid
		default:
			m.move(index, c.b)
		}
	case "jump":
		err = r.Jump(r.ctx, index, at(index))
		if index >= n {
			want = fault.Conflict
		} else {
			m.goTo(slices.Index(m.order, index))
			m.playing = true
		}
	case "clear":
		err = r.Clear(context.Background())
		*m = model{repeat: m.repeat, shuffle: m.shuffle}
	case "replace":
		names := []string{id, "t" + strconv.Itoa(c.b), "t3"}
		err = r.Replace(r.ctx, Selection{TrackIDs: names}, c.b%3, c.a%2 == 0)
		*m = model{repeat: m.repeat, shuffle: m.shuffle, ids: names, order: []int{0, 1, 2}, at: c.b % 3, playing: c.a%2 == 0}
		m.adopt(r)
	}
	if got, _ := fault.Of(err); (err != nil) != (want != fault.Internal) || err != nil && got != want {
		return fmt.Sprintf("error: got %v, want kind %d", err, want)
	}
	return ""
}
