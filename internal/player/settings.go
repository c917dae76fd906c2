package player

import "context"

// Gain returns which ReplayGain values playback applies.
func (p *Player) Gain() GainMode { return *p.gain.Load() }

// SetGain changes which ReplayGain values playback applies, from the next track that is opened on.
// After a restart the configured mode is in effect again.
func (p *Player) SetGain(mode GainMode) { p.gain.Store(&mode) }

// ClearError removes the message about what could not be played.
func (p *Player) ClearError(ctx context.Context) error {
	return p.transport(ctx, func(c *core) error {
		c.err = ""
		return nil
	})
}
