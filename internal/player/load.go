package player

import (
	"context"
	"crypto/rand"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/internal/audio"
	"waxwing/internal/fault"
	"waxwing/internal/stream"
)

// load is a track that is being opened, or is open. Its result is used only while core refers to
// it: a newer command makes core refer to another load.
type load struct {
	track  Track
	album  bool // at album gain
	cancel context.CancelFunc
	done   bool
	cue    *audio.Cue   // set once open
	err    error        // set if opening failed
	web    *stream.Info // what is known of a track of the web
	tries  int
}

// Delays between attempts to reach the catalog; they double from the first to the last.
const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// open starts to open the track at index on another goroutine.
func (p *Player) open(c *core, index int) *load {
	l := &load{track: c.queue.tracks[index], album: p.Gain().albumGain(&c.queue, index)}
	p.fetch(c, l)
	return l
}

func (p *Player) fetch(c *core, l *load) {
	ctx, cancel := context.WithCancel(c.ctx)
	l.cancel, l.done, l.err = cancel, false, nil
	l.tries++
	c.loads.Go(func() {
		src, gain, err := p.openTrack(ctx, l)
		var cue *audio.Cue
		if err == nil {
			cue = p.deck.Cue(src, p.Gain().factor(gain, l.album), cancel)
		} else {
			cancel()
		}
		if !p.post(func(c *core) { p.loaded(c, l, cue, err) }) && cue != nil {
			cue.Close()
		}
	})
}

// openTrack opens a track and reads its gain at the same time. If the catalog is unreachable for
// either, both fail and the load is retried. After any other error of the gain the track plays
// without gain.
func (p *Player) openTrack(ctx context.Context, l *load) (audio.Source, catalogapi.Gain, error) {
	t := l.track
	if t.URL != "" {
		src, err := t.partOf(p.openWeb(ctx, l))
		return src, catalogapi.Gain{}, err
	}
	if p.Gain() == GainOff {
		src, err := t.partOf(p.cfg.Library.Open(ctx, t))
		return src, catalogapi.Gain{}, err
	}
	type result struct {
		gain catalogapi.Gain
		err  error
	}
	read := make(chan result, 1)
	gainCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		gain, err := p.cfg.Library.Gain(gainCtx, t)
		read <- result{gain, err}
	}()
	src, err := t.partOf(p.cfg.Library.Open(ctx, t))
	if err != nil {
		cancel()
		<-read
		return nil, catalogapi.Gain{}, err
	}
	r := <-read
	switch kind, _ := fault.Of(r.err); {
	case r.err == nil:
	case kind == fault.Unavailable || ctx.Err() != nil:
		_ = src.Close() // it was only read from
		return nil, catalogapi.Gain{}, r.err
	default:
		p.cfg.Log.Warn("cannot read the gain of a track; playing it without", "track", t.ID, "err", r.err)
	}
	return src, r.gain, nil
}

// loaded uses the result of a load, unless a newer command has made it stale.
func (p *Player) loaded(c *core, l *load, cue *audio.Cue, err error) {
	if l != c.cur && l != c.ahead {
		if cue != nil {
			cue.Close()
		}
		return
	}
	l.done, l.cue, l.err = true, cue, err
	switch {
	case l == c.cur && err != nil:
		p.loadFailed(c, err)
	case l == c.cur:
		if l.tries > 1 {
			c.err = ""
		}
		if l.web != nil && l.web.Live {
			c.resume = 0
		}
		p.deck.Load(cue, c.resume)
		p.lookAhead(c)
	case err == nil:
		p.deck.Follow(cue)
	}
}

// cancelLoad cancels a load that is still being opened. The deck closes a cue that was loaded.
func (c *core) cancelLoad(l *load) {
	if l != nil && !l.done {
		l.cancel()
	}
}

// loadCurrent plays the queue's current track from the given position, or opens it first.
func (p *Player) loadCurrent(c *core, from time.Duration) {
	c.retry.Stop()
	c.aheadAt = time.Time{}
	c.ended, c.resume = false, from
	if from == 0 { // from the middle on, it is still the same listen
		c.restartListen()
	}
	c.jumps++
	index := c.queue.index()
	old, l := c.cur, c.ahead
	switch track := c.queue.current(); {
	case old != nil && old.cue != nil && old.track.soundsLike(track):
		p.deck.Seek(from)
		p.lookAhead(c)
		return
	case l != nil && l.track.soundsLike(track):
		c.ahead = nil
	default:
		l = nil
	}
	c.cancelLoad(old)
	if l == nil {
		c.cancelLoad(c.ahead)
		c.ahead = nil
		l = p.open(c, index)
	}
	c.cur = l
	switch {
	case l.cue != nil:
		p.deck.Load(l.cue, from)
		p.lookAhead(c)
	case l.done:
		p.deck.Unload()
		p.loadFailed(c, l.err)
	default:
		p.deck.Unload() // stop the old track at once, however long the new one takes to open
	}
}

// unload stops playback and unloads everything.
func (p *Player) unload(c *core) {
	c.retry.Stop()
	c.cancelLoad(c.cur)
	c.cancelLoad(c.ahead)
	c.cur, c.ahead, c.aheadAt, c.resume, c.stopped = nil, nil, time.Time{}, 0, true
	c.restartListen()
	c.jumps++
	p.deck.Unload()
	p.stopPlayback(c)
}

func (p *Player) stopPlayback(c *core) {
	c.playing = false
	p.deck.Pause()
}

// loadFailed handles a current track that cannot be opened: it retries while the catalog is
// unreachable, and skips the track after any other error.
func (p *Player) loadFailed(c *core, err error) {
	kind, sentence := fault.Of(err)
	title := c.cur.track.Title
	if kind == fault.Unavailable {
		wait := min(firstRetry<<min(c.cur.tries-1, 10), lastRetry)
		c.err = "waiting for the catalog: " + sentence
		p.cfg.Log.Warn("cannot load the track yet; will retry", "track", c.cur.track.ID, "retry_in", wait, "err", err)
		l := c.cur
		c.retry = time.AfterFunc(wait, func() {
			p.post(func(c *core) {
				if l == c.cur && l.done && l.cue == nil {
					p.fetch(c, l)
				}
			})
		})
		return
	}
	if kind == fault.Internal {
		sentence = "the file cannot be played"
	}
	p.skipped.Add(1)
	p.cfg.Log.Warn("skipped a track that cannot be played", "track", c.cur.track.ID, "title", title, "err", err)
	c.err = "skipped “" + title + "”: " + sentence
	c.fails++
	follow := c.repeat
	if follow == RepeatOne {
		follow = RepeatOff // the same track would fail again
	}
	switch {
	case c.fails >= len(c.queue.tracks):
		c.err = "nothing in the queue can be played; the last one was " + c.err
		c.fails = 0
		p.unload(c)
	case c.queue.advance(follow):
		p.loadCurrent(c, 0)
	default:
		p.unload(c)
		c.ended = true
	}
}

// outputChanged reports an output that is unavailable, or available again, to clients and the log.
func (p *Player) outputChanged(c *core, change audio.OutputChange) {
	if change.Lost != nil {
		c.err = "the sound output is unavailable; playback resumes when it is available again"
		p.cfg.Log.Warn("lost the sound output", "err", change.Lost)
	}
	if change.Back {
		c.err = ""
		p.cfg.Log.Info("the sound output is available again")
	}
}

// poll updates the core from the deck. It returns the time until the next poll; 0: when the deck
// signals a change.
func (p *Player) poll(c *core) time.Duration {
	r := p.deck.Poll()
	p.outputChanged(c, r.OutputChange)
	c.running = r.Running
	switch {
	case r.Joined != nil:
		p.countPlay(c)
		c.advance()
		c.cur, c.ahead = c.ahead, nil
		c.resume, c.fails, c.err = 0, 0, ""
		c.restartListen()
		c.jumps++
		p.lookAhead(c)
		return max(r.Again, time.Millisecond)
	case r.Ended != nil && c.cur != nil && r.Ended == c.cur.cue:
		p.countPlay(c)
		if r.Failure != nil && r.Ended.Heard() == 0 {
			p.loadFailed(c, r.Failure)
			break
		}
		if r.Failure != nil {
			p.cfg.Log.Warn("a damaged track ended early", "track", c.cur.track.ID, "title", c.cur.track.Title, "err", r.Failure)
			c.err = "“" + c.cur.track.Title + "” ended early: the file is damaged there"
		}
		p.trackEnded(c)
	}
	return r.Again
}

// A track counts as played once half of it or playedAfter was heard, whichever is less.
const playedAfter = 30 * time.Second

// tick saves the position and counts the play when it is due.
func (p *Player) tick(c *core) {
	p.countPlay(c)
	if now := p.position(c); now-c.saved.Position >= tickEvery || now < c.saved.Position {
		c.saved = p.record(c)
		p.saver.submit(c.saved, false).writeLater()
	}
}

// restartListen begins another listen of the current track, which counts as a play of its own.
func (c *core) restartListen() { c.play, c.counted = rand.Text(), false }

// countPlay reports a play once enough of the current track was heard.
func (p *Player) countPlay(c *core) {
	if c.cur == nil || c.cur.cue == nil {
		return
	}
	heard := c.cur.cue.Heard()
	if heard > 0 {
		c.fails = 0
	}
	if c.cur.track.URL != "" {
		return // no catalog knows it
	}
	after := playedAfter
	if d := c.cur.track.Duration; d > 0 { // 0: the catalog does not know it
		after = min(after, d/2)
	}
	if !c.counted && heard >= after {
		c.counted = true
		p.played.Add(1)
		if p.cfg.Played != nil {
			p.cfg.Played(c.cur.track, time.Now(), c.play)
		}
	}
}
