package player

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/fault"
	"waxwing/internal/stream"
)

// Changes are what was changed of the track of one item. They are never modified once published.
type Changes struct {
	From  time.Duration `json:"from,omitempty"`  // where the part that is played begins
	To    time.Duration `json:"to,omitempty"`    // where it ends; 0: at the end of the track
	Whole time.Duration `json:"whole,omitempty"` // length of the whole track; 0: unknown
	Tags  []Tag         `json:"tags,omitempty"`  // of a track of the web
}

// Tag describes a track of the web.
type Tag struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// maxTags limits the tags of a track.
const maxTags = 64

// Part returns the part of the track that is played; false if that is all of it. to is 0 if it has
// no end of its own.
func (t Track) Part() (from, to time.Duration, part bool) {
	if t.Changed == nil {
		return 0, 0, false
	}
	return t.Changed.From, t.Changed.To, t.Changed.From > 0 || t.Changed.To > 0
}

// Tags returns a copy of the tags that a client gave to the track.
func (t Track) Tags() []Tag {
	if t.Changed == nil {
		return nil
	}
	return slices.Clone(t.Changed.Tags)
}

// soundsLike reports whether two tracks play the same samples.
func (t Track) soundsLike(o Track) bool {
	from, to, _ := t.Part()
	otherFrom, otherTo, _ := o.Part()
	return t.ID == o.ID && from == otherFrom && to == otherTo
}

// partOf limits a source to the part of the track that is played.
func (t Track) partOf(src audio.Source, err error) (audio.Source, error) {
	from, to, part := t.Part()
	if err != nil || !part || src.Info().Frames < 0 && t.URL != "" { // a live stream has no parts
		return src, err
	}
	return audio.Part(src, from, to)
}

// bounded returns valid changes within the limits, or nil.
func (c *Changes) bounded() *Changes {
	if c == nil || c.From < 0 || c.To < 0 || c.To > 0 && c.To < c.From || c.From > maxDuration || c.To > maxDuration {
		return nil
	}
	out := &Changes{From: c.From, To: c.To, Whole: min(max(c.Whole, 0), maxDuration)}
	for _, tag := range c.Tags[:min(len(c.Tags), maxTags)] {
		out.Tags = append(out.Tags, Tag{clip(tag.Name, maxID), clip(tag.Value, maxText)})
	}
	if out.From == 0 && out.To == 0 && len(out.Tags) == 0 {
		return nil
	}
	return out
}

// SetPart makes the item at index play a part of its track; two zeros stand for all of it. A part
// that begins behind the end is Invalid.
func (e *Edit) SetPart(index int, from, to time.Duration) error {
	if err := e.checkRange(index, index+1); err != nil {
		return err
	}
	t := e.queue.tracks[index]
	changed := t.changes()
	if _, _, part := t.Part(); !part {
		changed.Whole = t.Duration
	}
	if whole := changed.Whole; whole > 0 {
		if from > whole {
			return fault.New(fault.Invalid, "the part begins behind the end of the track")
		}
		if to >= whole {
			to = 0
		}
	}
	changed.From, changed.To = from, to
	t.Duration = changed.Whole
	switch {
	case to > 0:
		t.Duration = to - from
	case changed.Whole > 0:
		t.Duration = changed.Whole - from
	}
	t.Changed = changed.bounded()
	e.queue.set(index, t)
	return nil
}

// SetTags describes the item at index, which must be a track of the web: others are a Conflict.
// Title, and Name or Artist, are what is displayed until the server of the track says more.
func (e *Edit) SetTags(index int, tags []Tag) error {
	if err := e.checkRange(index, index+1); err != nil {
		return err
	}
	t := e.queue.tracks[index]
	if t.URL == "" {
		return fault.New(fault.Conflict, "the tags of a song are those of its file")
	}
	if len(tags) > maxTags {
		return fault.New(fault.Invalid, "a track has at most %d tags", maxTags)
	}
	changed := t.changes()
	changed.Tags = tags
	t.Changed = changed.bounded()
	given := func(names ...string) string {
		for _, name := range names {
			for _, tag := range tags {
				if strings.EqualFold(tag.Name, name) {
					return clip(tag.Value, maxText)
				}
			}
		}
		return ""
	}
	if t.Title = given("Title"); t.Title == "" {
		if u, err := url.Parse(t.URL); err == nil {
			t.Title = clip(stream.Name(u), maxText)
		}
	}
	t.Artist, t.Album = given("Name", "Artist"), given("Album")
	others := slices.Delete(slices.Clone(e.queue.tracks), index, index+1)
	if err := fits(others, []Track{t}); err != nil {
		return err
	}
	e.queue.set(index, t)
	return nil
}

// changes returns a copy of the changes of a track.
func (t Track) changes() Changes {
	if t.Changed == nil {
		return Changes{}
	}
	return *t.Changed
}

// set replaces the track of an item.
func (q *queue) set(index int, t Track) {
	q.version++
	q.tracks, q.items = slices.Clone(q.tracks), slices.Clone(q.items)
	q.tracks[index] = t
	q.items[index].Version = q.version
}
