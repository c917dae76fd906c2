package subsonic

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// States of playback that apps report.
const (
	stateStarting = "starting"
	statePlaying  = "playing"
	statePaused   = "paused"
	stateStopped  = "stopped"
)

const (
	maxPlaying = 1024 // keys
	// overdue is how long after its end a song still counts as playing.
	overdue = 30 * time.Minute
	// longHeard is how long a song must play to count, unless it is shorter than twice that.
	longHeard = 30 * time.Second
)

// nowPlaying holds what apps say that they play, by key.
type nowPlaying struct {
	mu    sync.Mutex
	byKey map[string]*playback
}

// playback is the song that an app plays.
type playback struct {
	key      catalog.Key
	song     string
	length   time.Duration
	number   int64 // distinguishes apps in replies
	begun    time.Time
	reported time.Time // position and state are of this time
	position time.Duration
	rate     float64
	state    string
	precise  bool          // the app reports its position
	heard    time.Duration // so far, without what follows reported
	silent   bool          // it must not become a play
	counted  bool
}

// positionAt returns the position at a time.
func (p *playback) positionAt(now time.Time) time.Duration {
	if p.state != statePlaying {
		return p.position
	}
	return min(p.length, p.position+time.Duration(float64(now.Sub(p.reported))*p.rate))
}

// heardAt returns how long the song was heard until a time.
func (p *playback) heardAt(now time.Time) time.Duration {
	if p.state != statePlaying {
		return p.heard
	}
	return p.heard + min(now.Sub(p.reported), p.length)
}

// isPlay reports whether a song was heard long enough to count.
func (p *playback) isPlay(now time.Time) bool {
	return !p.silent && !p.counted && p.heardAt(now) >= min(longHeard, p.length/2)
}

// ended reports whether the app stopped, or seems to have.
func (p *playback) ended(now time.Time) bool {
	left := p.length - p.position
	return p.state == stateStopped || now.Sub(p.reported) > left+overdue
}

// replace makes p the playback of its key and returns the one before, or nil.
func (n *nowPlaying) replace(p *playback, now time.Time) (before *playback) {
	n.mu.Lock()
	defer n.mu.Unlock()
	before = n.byKey[p.key.ID]
	if n.byKey == nil {
		n.byKey = make(map[string]*playback)
	}
	if before != nil {
		p.number = before.number
	} else {
		for id, other := range n.byKey {
			if other.ended(now) && len(n.byKey) >= maxPlaying {
				delete(n.byKey, id)
			}
			p.number = max(p.number, other.number)
		}
		p.number++
		if len(n.byKey) >= maxPlaying {
			return nil // an entry less in a list that nobody reads to its end
		}
	}
	n.byKey[p.key.ID] = p
	return before
}

// of returns what the apps of a user play, the last report first.
func (n *nowPlaying) of(user string, now time.Time) []playback {
	n.mu.Lock()
	defer n.mu.Unlock()
	var list []playback
	for _, p := range n.byKey {
		if p.key.Owner.ID == user && !p.ended(now) && p.key.Live(now) {
			list = append(list, *p)
		}
	}
	slices.SortFunc(list, func(a, b playback) int { return b.reported.Compare(a.reported) })
	return list
}

// get returns a copy of the playback of a key.
func (n *nowPlaying) get(key string) (playback, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.byKey[key]
	if p == nil {
		return playback{}, false
	}
	return *p, true
}

// setPlaying records that an app plays a song, without its position.
func (s *server) setPlaying(ctx context.Context, c *call, id string) error {
	song, err := s.store.FullSong(ctx, c.viewer, id)
	if err != nil {
		return err
	}
	now := time.Now()
	s.playing.replace(&playback{
		key: c.key, song: song.ID, length: time.Duration(song.Duration) * time.Millisecond, begun: now, reported: now,
		rate: 1, state: statePlaying, silent: true,
	}, now)
	return nil
}

// reportPlayback records the position of an app. A song that was heard long enough becomes a play.
func (s *server) reportPlayback(ctx context.Context, c *call) error {
	for _, name := range []string{"mediaId", "mediaType", "positionMs", "state"} {
		if _, err := c.required(name); err != nil {
			return err
		}
	}
	state := c.get("state")
	if !slices.Contains([]string{stateStarting, statePlaying, statePaused, stateStopped}, state) {
		return fault.New(fault.Invalid, "the parameter state must be starting, playing, paused or stopped")
	}
	if kind := c.get("mediaType"); kind != "song" {
		return fault.New(fault.NotFound, "there is no media of the type %.40q; this server has songs only", kind)
	}
	position, err := c.int("positionMs", 0, 0, 1<<40)
	if err != nil {
		return err
	}
	rate := 1.0
	if text := c.get("playbackRate"); text != "" {
		if rate, err = strconv.ParseFloat(text, 64); err != nil || !(rate > 0 && rate <= 100) {
			return fault.New(fault.Invalid, "the parameter playbackRate must be a number above 0")
		}
	}
	song, err := s.store.FullSong(ctx, c.viewer, c.get("mediaId"))
	if err != nil {
		return err
	}
	now := time.Now()
	next := &playback{
		key: c.key, song: song.ID, length: time.Duration(song.Duration) * time.Millisecond, begun: now, reported: now,
		position: time.Duration(position) * time.Millisecond, rate: rate, state: state, precise: true,
		silent: c.bool("ignoreScrobble", false),
	}
	before, known := s.playing.get(c.key.ID)
	if known && before.precise {
		if err := s.countHeard(ctx, c, &before, now); err != nil {
			return err
		}
		if before.song == next.song && state != stateStarting && before.state != stateStopped {
			next.begun, next.heard, next.counted = before.begun, before.heardAt(now), before.counted
		}
	}
	s.playing.replace(next, now)
	return nil
}

// countHeard records a play if the song of a playback was heard long enough.
func (s *server) countHeard(ctx context.Context, c *call, p *playback, now time.Time) error {
	if !p.isPlay(now) {
		return nil
	}
	p.counted = true
	begun := strconv.FormatInt(p.begun.UnixMilli(), 10)
	return s.recordPlay(ctx, catalog.Play{
		SongID: p.song, Listener: c.viewer, PlayedAt: p.begun, Source: c.key.Name,
		Idempotency: "subsonic " + c.key.ID + " " + p.song + " " + begun,
	})
}

// getNowPlaying lists what the apps of this user play. What others play is their own business.
func (s *server) getNowPlaying(ctx context.Context, c *call) error {
	now := time.Now()
	e := c.out
	e.object("nowPlaying")
	e.list("entry")
	for _, p := range s.playing.of(c.key.Owner.ID, now) {
		song, err := s.store.FullSong(ctx, c.viewer, p.song)
		if err != nil {
			return err
		}
		e.item()
		e.str("username", p.key.Owner.Username)
		e.int("minutesAgo", int64(now.Sub(p.begun)/time.Minute))
		e.int("playerId", p.number)
		e.str("playerName", p.key.Name)
		if e.open && p.precise {
			e.str("state", p.state)
			e.int("positionMs", p.positionAt(now).Milliseconds())
			e.float("playbackRate", p.rate)
		}
		s.song(e, &song)
		e.end()
	}
	e.endList()
	e.end()
	return nil
}
