// Package player plays a queue of tracks.
//
// One goroutine, the one that calls Run, owns all mutable state (type core). Others send it
// functions through do and post, and read the last published Status without blocking. The owner
// performs no I/O: other goroutines open tracks and save the state, so that a pause never waits for
// a slow network or disk.
//
// The queue is a list of items. Each has an id that it keeps wherever it moves, also across a
// crash, and the version of the queue at which it or its index last changed: a client that knows
// version V needs the items with a higher one, and the length, to follow ([Status.Items],
// [Status.QueueVersion]). [Player.Edit] changes the queue by ids or indices in one step;
// [Player.Insert] does so with tracks of the catalog.
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
	"waxwing/internal/stream"
)

// ErrClosed is returned by every command after Run has returned.
var ErrClosed = fault.New(fault.Unavailable, "the player is shutting down")

// Config configures a player.
type Config struct {
	Output  audio.Output
	Library Library
	// StateFile is the journal that stores queue, position and settings across restarts.
	StateFile string
	Disk      statefile.Disk // for StateFile; nil: the system's
	Gain      GainMode
	// Played is called when enough of a track was heard to count as a play. It runs on the owner's
	// goroutine and must not block. The key identifies the listen: after a restart in mid-track the
	// same play may be reported again, with the same key.
	Played func(t Track, at time.Time, key string)
	// Streams plays from the web; nil: the player does not. StreamCover is the address of a picture
	// for its tracks.
	Streams     *stream.Client
	StreamCover string
	// Personal stores likes and ratings; nil: they are unknown.
	Personal PersonalLibrary
	Log      *slog.Logger
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
	gain     atomic.Pointer[GainMode]
	played   atomic.Int64
	skipped  atomic.Int64
	removed  removedWeb

	personalRequests chan struct{} // capacity 1
}

// New returns a player with the state saved in StateFile, paused, or an empty one.
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
		inbox: make(chan func(*core)), done: make(chan struct{}), personalRequests: make(chan struct{}, 1),
	}
	p.SetGain(cfg.Gain)
	device := ""
	if restored != nil {
		device = restored.Device
		for i, t := range *restored.Tracks {
			(*restored.Tracks)[i] = p.withCover(t)
		}
	}
	p.deck = audio.NewDeck(cfg.Output, device)
	now := time.Now()
	p.status.Store(&Status{Index: -1, Volume: 100, UpdatedAt: now, SampledAt: now})
	p.publish(p.newCore(context.Background())).writeLater()
	return p, nil
}

// core is owned by Run. Nothing else may touch it.
type core struct {
	ctx   context.Context // ends with Run
	loads sync.WaitGroup
	queue queue

	playing   bool
	stopped   bool // not started, or stopped: nothing is open, and the position is 0
	ended     bool // the queue has ended: the next Play starts at the first track
	repeat    Repeat
	stopAfter Mode
	consume   Mode
	volume    int
	muted     bool

	cur     *load         // the current track, being opened or in the deck; nil until it is needed
	ahead   *load         // the following track
	aheadAt time.Time     // when to open that; zero: it is open, or there is none
	resume  time.Duration // where cur starts once it is open
	play    string        // key of the current listen
	counted bool          // it was reported as played
	fails   int           // consecutive tracks that could not be played
	err     string
	running bool
	jumps   uint64 // changes of position other than by playing; each is an event

	undo []earlier // the last ones, oldest first

	personal   Personal // what the user thinks of the track personalOf
	personalOf string   // "": unknown

	retry      *time.Timer // for a catalog that is unreachable
	watchers   map[chan *Status]bool
	saved      record // the state last passed to the saver, and the jumps at that time
	savedJumps uint64
}

// defaultVolume leaves room in both directions.
const defaultVolume = 80

func (p *Player) newCore(ctx context.Context) *core {
	c := &core{
		ctx: ctx, stopped: true, repeat: RepeatOff, stopAfter: ModeOff, consume: ModeOff, volume: defaultVolume,
		queue:    newQueue(rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))),
		watchers: map[chan *Status]bool{},
		retry:    time.NewTimer(0),
		play:     crand.Text(),
	}
	c.retry.Stop()
	if r := p.restored; r != nil {
		c.queue.tracks, c.queue.order, c.queue.at, c.queue.shuffle = *r.Tracks, *r.Order, r.At, r.Shuffle
		c.queue.items, c.queue.version, c.queue.lastID = *r.Items, r.Version, r.LastItem
		c.repeat, c.volume, c.muted = r.Repeat, r.Volume, r.Muted
		c.stopped, c.stopAfter, c.consume = r.Stopped, r.StopAfter, r.Consume
		c.resume, c.ended = r.Position, r.Ended
		c.play = cmp.Or(r.Play, c.play)
	}
	return c
}

// tickEvery is how often the position is saved during playback: a crash loses at most a second.
const tickEvery = 500 * time.Millisecond

// Run plays until ctx is done. It must be called exactly once.
func (p *Player) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	c := p.newCore(ctx)
	p.deck.SetVolume(c.volumeFactor())
	saved := make(chan struct{})
	saverCtx, stopSaver := context.WithCancel(context.WithoutCancel(ctx))
	go func() { defer close(saved); p.saver.run(saverCtx) }()
	c.loads.Go(func() { p.followPersonal(ctx) })
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
			p.poll(c) // so that the command acts on the current position
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

// shorterWait returns the shorter of two waits; 0 means none.
func shorterWait(a, b time.Duration) time.Duration {
	if a == 0 || b == 0 {
		return a + b
	}
	return min(a, b)
}

// do runs f on the owner's goroutine and waits until the new state is saved. When it returns, the
// new Status is visible. err is the error of f, saveErr that of saving.
func (p *Player) do(ctx context.Context, f func(*core) error) (saveErr, err error) {
	type result struct {
		saving *ticket
		err    error
	}
	done := make(chan result, 1)
	select {
	case p.inbox <- func(c *core) {
		err := f(c)
		p.poll(c)
		done <- result{p.publish(c), err}
	}:
		r := <-done
		return r.saving.wait(), r.err
	case <-p.done:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// transport runs a command that controls playback. It succeeds even if the state cannot be saved,
// because a full disk must not prevent a pause; the saver logs the error.
func (p *Player) transport(ctx context.Context, f func(*core) error) error {
	_, err := p.do(ctx, f)
	return err
}

// edit runs a command that changes the queue or a setting. It fails if the state cannot be saved.
func (p *Player) edit(ctx context.Context, f func(*core) error) error {
	saveErr, err := p.do(ctx, f)
	if err == nil && saveErr != nil {
		err = fault.Wrap(fault.Unavailable, saveErr,
			"the change was made but could not be saved: check the disk of the data folder")
	}
	return err
}

// post makes the owner run f, without waiting for it. It reports false after Run has returned.
func (p *Player) post(f func(*core)) bool {
	select {
	case p.inbox <- f:
		return true
	case <-p.done:
		return false
	}
}

// Status returns the newest snapshot. It does not block.
func (p *Player) Status() *Status { return p.status.Load() }

// Position returns the position that the listener hears now. It does not block.
func (p *Player) Position() time.Duration {
	st := p.status.Load()
	if st.cue != nil {
		if at, _, ok := p.deck.Position(st.cue); ok {
			return at
		}
	}
	return st.Position
}

// Underruns counts how often playback stopped because samples came too late.
func (p *Player) Underruns() int64 { return p.deck.Underruns() }

// Updates yields the current Status and then newer ones. A slow reader skips to the newest and
// never delays the player. The sequence ends with ctx or the player.
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
