// Package player plays a queue of tracks.
//
// One goroutine, the one that calls Run, owns all mutable state (type core).
// Everything else talks to it through do and post, and reads the last
// published Status without waiting. The owner performs no I/O: opening a track and saving the state
// happen on other goroutines, so that a pause never waits for a slow network or disk.
package player

import (
	"cmp"
	"context"
	crand "crypto/rand"
	"iter"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/fault"
	"waxwing/internal/statefile"
)

// ErrClosed is returned by every command after Run has returned.
var ErrClosed = fault.New(fault.Unavailable, "the player is shutting down")

// Config is all a player needs.
type Config struct {
	Output  audio.Output
	Library Library
	// StateFile is the journal in which queue, place and settings outlive the process.
	StateFile string
	Disk      statefile.Disk // for StateFile; nil: the system's
	Gain      GainMode
	// Played is told, on the owner's goroutine and so without waiting, when a
	// track has been heard long enough to count as a play. The key names the listening: a
	// player that is restarted in the middle of a track may tell of it again under the same one.
	Played func(t Track, at time.Time, key string)
	Log    *slog.Logger
}

// Player is a queue, a deck and the goroutine that owns both.
type Player struct {
	cfg      Config
	restored *record
	saver    *saver
	deck     *audio.Deck
	inbox    chan func(*core)
	done     chan struct{}
	status   atomic.Pointer[Status]
	played   atomic.Int64
	skipped  atomic.Int64
}

// New restores the player that StateFile remembers, paused, or makes an empty one.
func New(cfg Config) (*Player, error) {
	if cfg.Disk == nil {
		cfg.Disk = statefile.System
	}
	j, restored, err := openJournal(cfg.Disk, cfg.StateFile)
	if err != nil {
		return nil, err
	}
	p := &Player{
		cfg: cfg, restored: restored, saver: newSaver(j, restored, cfg.Log),
		inbox: make(chan func(*core)), done: make(chan struct{}),
	}
	device := ""
	if restored != nil {
		device = restored.Device
	}
	p.deck = audio.NewDeck(cfg.Output, device)
	now := time.Now()
	p.status.Store(&Status{Index: -1, Repeat: RepeatOff, Volume: 100, UpdatedAt: now, SampledAt: now})
	p.publish(p.newCore(context.Background())).writeLater()
	return p, nil
}

// core is owned by Run. Nothing else may touch it.
type core struct {
	ctx   context.Context // ends with Run
	loads sync.WaitGroup
	queue queue

	playing bool
	ended   bool // the queue was heard to its end: the next Play begins with the first
	repeat  Repeat
	volume  int
	muted   bool

	cur     *load         // the current track, being opened or in the deck; nil until it is wanted
	ahead   *load         // the one that follows it
	aheadAt time.Time     // when to open that; zero: it is open, or none follows
	resume  time.Duration // where cur starts once it is open
	play    string        // names this listening of the current track
	counted bool          // it was reported as a play
	fails   int           // tracks that could not be played since one could
	err     string
	running bool
	jumps   uint64 // leaps of the playhead, so that each becomes an event

	retry      *time.Timer // for a catalog that is unreachable
	watchers   map[chan *Status]bool
	saved      record // what was last handed to the saver, with the jumps it had seen
	savedJumps uint64
}

// defaultVolume leaves headroom for the listener's own taste in both directions.
const defaultVolume = 80

func (p *Player) newCore(ctx context.Context) *core {
	c := &core{
		ctx: ctx, repeat: RepeatOff, volume: defaultVolume,
		queue:    newQueue(rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))),
		watchers: map[chan *Status]bool{},
		retry:    time.NewTimer(0),
		play:     crand.Text(),
	}
	c.retry.Stop()
	if r := p.restored; r != nil {
		c.queue.tracks, c.queue.order, c.queue.at, c.queue.shuffle = *r.Tracks, *r.Order, r.At, r.Shuffle
		c.repeat, c.volume, c.muted = r.Repeat, r.Volume, r.Muted
		c.resume, c.ended = r.Position, r.Ended
		c.play = cmp.Or(r.Play, c.play)
	}
	return c
}

// tickEvery is how often a playing player saves its place: a crash costs at most a second of it.
const tickEvery = 500 * time.Millisecond

// Run plays until ctx is done. It must be called exactly once.
func (p *Player) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	c := p.newCore(ctx)
	p.deck.SetVolume(c.volumeFactor())
	saved := make(chan struct{})
	saverCtx, stopSaver := context.WithCancel(context.WithoutCancel(ctx))
	go func() { defer close(saved); p.saver.run(saverCtx) }()
	timer := time.NewTimer(time.Hour)
	defer func() {
		timer.Stop()
		c.retry.Stop()
		p.saver.submit(p.record(c), true)
		close(p.done) // releases blocked senders first
		cancel()
		c.loads.Wait()
		p.deck.Close()
		stopSaver()
		<-saved
	}()
	for {
		select {
		case <-ctx.Done():
			return nil
		case f := <-p.inbox:
			p.poll(c) // a command acts on what the listener hears now
			f(c)
		case opened := <-p.deck.Opened():
			p.outputChanged(c, p.deck.Install(opened))
		case <-p.deck.Changed():
		case <-timer.C:
		}
		again := shorterWait(p.poll(c), p.openAhead(c))
		if c.running {
			p.tick(c)
			again = shorterWait(again, tickEvery)
		}
		p.publish(c).writeLater()
		if timer.Stop(); again > 0 {
			timer.Reset(again)
		}
	}
}

// shorterWait is the shorter of two waits, where 0 stands for none.
func shorterWait(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return a + b
	}
	return min(a, b)
}

// do runs f on the owner and waits until what it changed is saved. When it returns, the new Status is visible; saved
// is why it could not be saved.
func (p *Player) do(ctx context.Context, f func(*core) error) (saved, err error) {
	type answer struct {
		saving *ticket
		err    error
	}
	reply := make(chan answer, 1)
	select {
	case p.inbox <- func(c *core) {
		err := f(c)
		p.poll(c)
		reply <- answer{p.publish(c), err}
	}:
		a := <-reply
		return a.saving.wait(), a.err
	case <-p.done:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// transport runs a command that acts on the sound. It succeeds although the state cannot be
// saved: a full disk is no reason to refuse a pause. The saver logs it.
func (p *Player) transport(ctx context.Context, f func(*core) error) error {
	_, err := p.do(ctx, f)
	return err
}

// edit runs a command whose effect is meant to last; it succeeds only when that is saved.
func (p *Player) edit(ctx context.Context, f func(*core) error) error {
	saved, err := p.do(ctx, f)
	if err == nil && saved != nil {
		err = fault.Wrap(fault.Unavailable, saved, "the change was made but could not be saved: check the disk of the data folder")
	}
	return err
}

// post hands f to the owner without waiting and reports whether it was taken.
func (p *Player) post(f func(*core)) bool {
	select {
	case p.inbox <- f:
		return true
	case <-p.done:
		return false
	}
}

// Status returns the newest snapshot. It never waits.
func (p *Player) Status() *Status { return p.status.Load() }

// Position is what the listener hears at this moment. It never waits.
func (p *Player) Position() time.Duration {
	st := p.status.Load()
	if st.cue != nil {
		if at, _, ok := p.deck.Position(st.cue); ok {
			return st.clamp(at)
		}
	}
	return st.Position
}

// Underruns counts how often the sound stopped because samples came too late.
func (p *Player) Underruns() int64 { return p.deck.Underruns() }

// Updates yields the current Status and then newer ones. A slow reader skips
// to the newest and can never hold up anything. It ends with ctx or the player.
func (p *Player) Updates(ctx context.Context) iter.Seq[*Status] {
	return func(yield func(*Status) bool) {
		ch := make(chan *Status, 1)
		if !p.post(func(c *core) { c.watchers[ch] = true; ch <- p.Status() }) {
			return
		}
		defer p.post(func(c *core) { delete(c.watchers, ch) })
		for {
			select {
			case s := <-ch:
				if !yield(s) {
					return
				}
			case <-p.done:
				return
			case <-ctx.Done():
				return
			}
		}
	}
}
