package playerhttp

import (
	"context"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"waxwing/api/playerapi"
	"waxwing/internal/httpkit"
	"waxwing/internal/lyrics"
	"waxwing/internal/player"
)

// lyrics replies with the lyrics of the current track.
func (s *server) lyrics(r *http.Request, _ httpkit.None) (playerapi.TrackLyrics, error) {
	out := playerapi.TrackLyrics{Lyrics: []playerapi.Lyrics{}}
	t, ok := s.player.Status().Current()
	if !ok || s.cfg.Lyrics == nil {
		return out, nil
	}
	out.TrackID = &t.ID
	found, err := s.cfg.Lyrics(r.Context(), t.ID)
	for _, l := range found {
		out.Lyrics = append(out.Lyrics, wireLyrics(l))
	}
	return out, err
}

func wireLyrics(l lyrics.Lyrics) playerapi.Lyrics {
	out := playerapi.Lyrics{
		Synced: l.Synced, Offset: wireMillis(l.Offset), Lines: make([]playerapi.LyricLine, len(l.Lines)),
	}
	if l.Lang != "" {
		out.Lang = &l.Lang
	}
	for i, line := range l.Lines {
		out.Lines[i].Text = line.Text
		if l.Synced {
			start := wireMillis(line.Start)
			out.Lines[i].Start = &start
		}
		for _, w := range line.Words {
			out.Lines[i].Words = append(out.Lines[i].Words, playerapi.LyricWord{Start: wireMillis(w.Start), Text: w.Text})
		}
	}
	return out
}

func wireMillis(d time.Duration) int { return int(d.Milliseconds()) }

// lyricFollower finds the line that is sung now. It sleeps until the next line, or until the
// player or the catalog reports a change; without synced lyrics or while nothing plays it has no
// timer.
type lyricFollower struct {
	fetch          func(ctx context.Context, id string) ([]lyrics.Lyrics, error)
	player         *player.Player
	now            func() (*player.Status, time.Duration)
	catalogChanged func() <-chan struct{}
}

func (s *server) newLyricWatch() *watch[playerapi.Lyric] {
	if s.cfg.Lyrics == nil {
		return newWatch[playerapi.Lyric]("lyric", nil)
	}
	f := lyricFollower{
		fetch: s.cfg.Lyrics, player: s.player, now: s.now,
		catalogChanged: func() <-chan struct{} { _, changed := s.catalogWatch.current(); return changed },
	}
	return newWatch("lyric", f.follow)
}

// fetchedLyrics is the result of a fetch.
type fetchedLyrics struct {
	track  string
	lyrics lyrics.Lyrics // the first synced text; empty if there is none
	failed bool
}

const (
	// lyricRetry is how long the follower waits after it could not read lyrics.
	lyricRetry = 5 * time.Second
	// shortestSleep bounds how often the follower looks if the position stands still.
	shortestSleep = 5 * time.Millisecond
)

func (f lyricFollower) follow(ctx context.Context, publish func(playerapi.Lyric)) {
	ctx, cancel := context.WithCancel(ctx)
	var others sync.WaitGroup
	defer others.Wait()
	defer cancel()
	changed := make(chan struct{}, 1)
	others.Go(func() {
		for range f.player.Updates(ctx) {
			select {
			case changed <- struct{}{}:
			default: // the loop below reads the newest state
			}
		}
	})
	fetched := make(chan fetchedLyrics)
	read := func(track string) {
		others.Go(func() {
			result := f.read(ctx, track)
			select {
			case fetched <- result:
			case <-ctx.Done():
			}
		})
	}
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var cur fetchedLyrics
	var sent *playerapi.Lyric
	for catalog := f.catalogChanged(); ; {
		st, position := f.now()
		track, _ := st.Current()
		if track.ID != cur.track {
			cur = fetchedLyrics{track: track.ID}
			if track.ID != "" {
				read(track.ID)
			}
		}
		line, wait := lineAt(cur, position)
		if (sent != nil || len(cur.lyrics.Lines) > 0) && (sent == nil || !reflect.DeepEqual(*sent, line)) {
			publish(line)
			sent = &line
		}
		timer.Stop()
		switch {
		case cur.failed && st.Running:
			timer.Reset(lyricRetry)
		case st.Running && wait > 0:
			timer.Reset(max(wait, shortestSleep))
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-timer.C:
			if cur.failed {
				cur.failed = false
				read(cur.track)
			}
		case <-catalog: // the lyrics may be others now
			catalog = f.catalogChanged()
			if cur.track != "" {
				read(cur.track)
			}
		case result := <-fetched:
			if result.track == cur.track && !(result.failed && len(cur.lyrics.Lines) > 0) {
				cur = result
			}
		}
	}
}

// read fetches the first synced text of a track.
func (f lyricFollower) read(ctx context.Context, track string) fetchedLyrics {
	out := fetchedLyrics{track: track}
	found, err := f.fetch(ctx, track)
	out.failed = err != nil
	for _, l := range found {
		if l.Synced && len(l.Lines) > 0 {
			out.lyrics = l
			break
		}
	}
	return out
}

// lineAt returns the event for a position, and how long playback takes to the next line; 0: there
// is none.
func lineAt(cur fetchedLyrics, position time.Duration) (line playerapi.Lyric, wait time.Duration) {
	l := cur.lyrics
	line.Index = -1
	if cur.track != "" {
		line.TrackID = &cur.track
	}
	if len(l.Lines) == 0 {
		return line, 0
	}
	first, next := l.At(position)
	if first >= 0 {
		texts := make([]string, 0, next-first)
		for _, sung := range l.Lines[first:next] {
			texts = append(texts, sung.Text)
		}
		text, start := strings.Join(texts, "\n"), wireMillis(l.Due(first))
		line.Index, line.Start, line.Text = first, &start, &text
	}
	if next < len(l.Lines) {
		due := l.Due(next)
		start := wireMillis(due)
		line.NextStart, wait = &start, due-position
	}
	return line, wait
}
