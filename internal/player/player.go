// Package player plays a queue of tracks.
package player

import (
	"context"
	"iter"
	"time"
)

// Player is a queue, a deck and one goroutine that owns both.
type Player struct{}

// Run plays until ctx is done. It must be called exactly once.
func (p *Player) Run(ctx context.Context) error { panic("unwritten") }

// Status returns the newest snapshot. It never waits.
func (p *Player) Status() *Status { panic("unwritten") }

// Position is what the listener hears at this moment. It never waits.
func (p *Player) Position() time.Duration { panic("unwritten") }

// Updates yields the current Status and then newer ones. A slow reader skips
// to the newest and can never hold up anything. It ends with ctx or the player.
func (p *Player) Updates(ctx context.Context) iter.Seq[*Status] { panic("unwritten") }

// Play resumes, starts or fills the queue, and returns the id of the track that plays.
// An empty queue over an empty catalog is a Conflict.
func (p *Player) Play(ctx context.Context) (id string, err error) { panic("unwritten") }

// PlayTrack jumps to the track if it is queued, else inserts it after the
// current one and plays it. Unknown ids are NotFound and change nothing.
func (p *Player) PlayTrack(ctx context.Context, id string) error { panic("unwritten") }

// Pause silences the player. Pausing what is not playing changes nothing.
func (p *Player) Pause(ctx context.Context) error { panic("unwritten") }

// Toggle pauses what plays and plays what does not; it returns the resulting state.
func (p *Player) Toggle(ctx context.Context) (playing bool, err error) { panic("unwritten") }

// Next and Previous move by one in play order and wrap at the ends. An empty queue is a Conflict.
func (p *Player) Next(ctx context.Context) error     { panic("unwritten") }
func (p *Player) Previous(ctx context.Context) error { panic("unwritten") }

// Seek moves the playhead, clamped to the end of the track, and returns where it went. Nothing loaded is a Conflict.
func (p *Player) Seek(ctx context.Context, to time.Duration) (time.Duration, error) {
	panic("unwritten")
}

// SetShuffle, SetRepeat and SetVolume change settings that outlive a restart. nil leaves a value as it is.
func (p *Player) SetShuffle(ctx context.Context, on bool) error                 { panic("unwritten") }
func (p *Player) SetRepeat(ctx context.Context, r Repeat) error                 { panic("unwritten") }
func (p *Player) SetVolume(ctx context.Context, volume *int, muted *bool) error { panic("unwritten") }

// Place says where Add puts tracks.
type Place string

const (
	AtNext Place = "next" // right after the current track
	AtEnd  Place = "end"
)

// Add resolves sel and queues it; it returns how many tracks were added.
func (p *Player) Add(ctx context.Context, sel Selection, at Place) (int, error) { panic("unwritten") }

// Replace swaps the whole queue for sel with the track at index loaded, playing if play is true.
func (p *Player) Replace(ctx context.Context, sel Selection, index int, play bool) error {
	panic("unwritten")
}

// Remove, Move and Jump act on the item at an index, which must still be the track id: a stale
// index is a Conflict, never the wrong song.
func (p *Player) Remove(ctx context.Context, index int, id string) error  { panic("unwritten") }
func (p *Player) Move(ctx context.Context, from, to int, id string) error { panic("unwritten") }
func (p *Player) Jump(ctx context.Context, index int, id string) error    { panic("unwritten") }
func (p *Player) Clear(ctx context.Context) error                         { panic("unwritten") }

// OutputDevice is one place the player can play to.
type OutputDevice struct {
	ID, Name string
	Active   bool
}

// Outputs lists the devices; SetOutput moves playback to one of them without losing the place.
func (p *Player) Outputs(ctx context.Context) ([]OutputDevice, error) { panic("unwritten") }
func (p *Player) SetOutput(ctx context.Context, id string) error      { panic("unwritten") }
