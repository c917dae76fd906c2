package player

import (
	"context"
	"crypto/rand"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/internal/audio"
	"waxwing/internal/fault"
)

// load is a track on its way from the catalog into the deck. Its result is used only
// while core still points to it; a newer command simply points elsewhere.
type load struct {
	track  Track
	album  bool // at album gain
	cancel context.CancelFunc
	done   bool
	cue    *audio.Cue // set once open
	err    error      // or why it could not be
	tries  int
}

// A catalog that is unreachable is asked again soon, then ever less often.
const (
	firstRetry = 500 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// open starts opening the track at index beside the owner.
func (p *Player) open(c *core, index int) *load {
	l := &load{track: c.queue.tracks[index], album: p.cfg.Gain.albumGain(&c.queue, index)}
	p.fetch(c, l)
	return l
}

func (p *Player) fetch(c *core, l *load) {
	ctx, cancel := context.WithCancel(c.ctx)
	l.cancel, l.done, l.err = cancel, false, nil
	l.tries++
	c.loads.Go(func() {
		src, gain, err := p.openTrack(ctx, l.track)
		var cue *audio.Cue
		if err == nil {
			cue = p.deck.Cue(src, p.cfg.Gain.factor(gain, l.album), cancel)
		} else {
			cancel()
		}
		if !p.post(func(c *core) { p.loaded(c, l, cue, err) }) && cue != nil {
			cue.Close()
		}
	})
}

// openTrack opens a track and reads its gain at the same time. A catalog that is unreachable for either fails both, so that
// the load is retried; a gain that cannot be read for another reason leaves the track as it was recorded.
func (p *Player) openTrack(ctx context.Context, t Track) (audio.Source, catalogapi.Gain, error) {
	if p.cfg.Gain == GainOff {
		src, err := p.cfg.Library.Open(ctx, t)
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
	src, err := p.cfg.Library.Open(ctx, t)
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
		p.cfg.Log.Warn("cannot read the gain of a track; it plays without", "track", t.ID, "err", r.err)
	}
	return src, r.gain, nil
}

// loaded takes the result of a load, unless a newer command has made it stale.
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
		p.deck.Load(cue, c.resume)
		p.lookAhead(c)
	case err == nil:
		p.deck.Follow(cue)
	}
}

// cancelLoad forgets a load and what it brought. A cue that is in the deck is the deck's to close.
func (c *core) cancelLoad(l *load) {
	if l != nil && !l.done {
		l.cancel()
	}
}

// loadCurrent makes the queue's current track the one that is heard, from the given place on.
func (p *Player) loadCurrent(c *core, from time.Duration) {
	c.retry.Stop()
	c.aheadAt = time.Time{}
	c.ended, c.resume = false, from
	if from == 0 { // taken up in the middle, it is the same listening still
		c.restartListen()
	}
	c.jumps++
	index := c.queue.index()
	old, l := c.cur, c.ahead
	switch id := c.queue.current().ID; {
	case old != nil && old.cue != nil && old.track.ID == id:
		p.deck.Seek(from)
		p.lookAhead(c)
		return
	case l != nil && l.track.ID == id:
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
		p.deck.Unload() // the old track falls silent at once, however long the new one takes
	}
}

// unload leaves nothing loaded, not playing; the place to resume from is kept.
func (p *Player) unload(c *core, from time.Duration) {
	c.retry.Stop()
	c.cancelLoad(c.cur)
	c.cancelLoad(c.ahead)
	c.cur, c.ahead, c.aheadAt, c.resume = nil, nil, time.Time{}, from
	if from == 0 {
		c.restartListen()
	}
	c.jumps++
	p.deck.Unload()
	p.stopPlayback(c)
}

// stopPlayback stops playing.
func (p *Player) stopPlayback(c *core) {
	c.playing = false
	p.deck.Pause()
}

// loadFailed deals with a current track that cannot be played: a catalog that is unreachable is waited for,
// anything else is skipped.
func (p *Player) loadFailed(c *core, err error) {
	kind, sentence := fault.Of(err)
	title := c.cur.track.Title
	if kind == fault.Unavailable {
		wait := min(firstRetry<<min(c.cur.tries-1, 10), lastRetry)
		c.err = "waiting for the catalog: " + sentence
		p.cfg.Log.Warn("cannot load the track yet", "track", c.cur.track.ID, "again_in", wait, "err", err)
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
		follow = RepeatOff // the same again would fail again
	}
	switch {
	case c.fails >= len(c.queue.tracks):
		c.err = "nothing in the queue can be played; the last one was " + c.err
		c.fails = 0
		p.unload(c, 0)
	case c.queue.advance(follow):
		p.loadCurrent(c, 0)
	default:
		p.unload(c, 0)
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

// poll brings the core up to date with the deck. It returns when to poll again, 0 for when the deck says so.
func (p *Player) poll(c *core) time.Duration {
	r := p.deck.Poll()
	p.outputChanged(c, r.OutputChange)
	c.running = r.Running
	switch {
	case r.Joined != nil:
		p.countPlay(c)
		c.queue.advance(c.repeat)
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
			p.cfg.Log.Warn("a damaged track broke off", "track", c.cur.track.ID, "title", c.cur.track.Title, "err", r.Failure)
			c.err = "“" + c.cur.track.Title + "” broke off: the file is damaged there"
		}
		if c.queue.advance(c.repeat) {
			p.loadCurrent(c, 0)
			break
		}
		c.ended = true
		c.jumps++
		p.stopPlayback(c)
	}
	return r.Again
}

// A play counts when half a track or playedAfter of it was heard, whichever is less.
const playedAfter = 30 * time.Second

// tick saves the place and looks whether the track counts as played by now.
func (p *Player) tick(c *core) {
	p.countPlay(c)
	if now := p.position(c); now-c.saved.Position >= tickEvery || now < c.saved.Position {
		c.saved = p.record(c)
		p.saver.submit(c.saved, false).writeLater()
	}
}

// restartListen begins another listening, which counts by itself.
func (c *core) restartListen() { c.play, c.counted = rand.Text(), false }

func (p *Player) countPlay(c *core) {
	if c.cur == nil || c.cur.cue == nil {
		return
	}
	heard := c.cur.cue.Heard()
	if heard > 0 {
		c.fails = 0
	}
	length := c.cur.track.Duration
	if length <= 0 {
		length = c.cur.cue.Length()
	}
	if !c.counted && heard > 0 && heard >= min(playedAfter, length/2) {
		c.counted = true
		p.played.Add(1)
		if p.cfg.Played != nil {
			p.cfg.Played(c.cur.track, time.Now(), c.play)
		}
	}
}
