package player

import (
	"context"

	"waxwing/internal/audio"
	"waxwing/internal/fault"
	"waxwing/internal/stream"
)

// WebTrack returns a URL as a track for Edit.Insert. Its id depends on the URL alone. name is what
// to display; "": a part of the URL. A URL that cannot be played is Invalid, one whose address the
// player must not connect to is Forbidden. Callers check that the user may play from the web.
func (p *Player) WebTrack(url, name string) (Track, error) {
	if p.cfg.Streams == nil {
		return Track{}, fault.New(fault.Conflict, "this player does not play from the web")
	}
	u, err := p.cfg.Streams.Policy.Parse(url)
	if err != nil {
		return Track{}, err
	}
	if name == "" {
		name = stream.Name(u)
	}
	return p.withCover(Track{ID: stream.ID(url), Title: clip(name, maxText), URL: url}), nil
}

// withCover gives a track of the web its cover, at the present address of this player.
func (p *Player) withCover(t Track) Track {
	if t.URL != "" {
		t.CoverURL, t.ThumbnailURL = p.cfg.StreamCover, p.cfg.StreamCover
	}
	return t
}

// openWeb opens a track of the web and reports what becomes known of it.
func (p *Player) openWeb(ctx context.Context, l *load) (audio.Source, error) {
	if p.cfg.Streams == nil {
		return nil, fault.New(fault.Invalid, "this player does not play from the web")
	}
	return p.cfg.Streams.Open(ctx, l.track.URL, func(info stream.Info) {
		p.post(func(*core) { l.web = &info })
	})
}

// web returns what is known of the current track if that is one of the web and open, or nil.
func (c *core) web() *stream.Info {
	if c.cur == nil || c.queue.empty() || !c.cur.track.soundsLike(c.queue.current()) {
		return nil
	}
	return c.cur.web
}

// described returns a track with what its server says of it.
func described(t Track, web *stream.Info) Track {
	if web == nil || t.URL == "" {
		return t
	}
	t.Duration = web.Length
	switch {
	case web.Title != "":
		t.Title, t.Artist = clip(web.Title, maxText), clip(web.Station, maxText)
	case web.Station != "":
		t.Title = clip(web.Station, maxText)
	}
	return t
}

// sameWeb reports whether two values are equal; nil is unknown.
func sameWeb(a, b *stream.Info) bool { return a == b || a != nil && b != nil && *a == *b }
