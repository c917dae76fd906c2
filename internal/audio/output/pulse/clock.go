package pulse

import (
	"time"

	"waxwing/internal/audio"
)

// maxGuess is how long the clock runs on without news, should even the watch over the
// server not come to a verdict: see stallTime.
const maxGuess = 2 * time.Second

// clock is the listener's place between two reports of the server.
type clock struct {
	cuts   uint64 // cuts carried out so far; the last began epoch
	epoch  uint64
	rate   int
	pulled int64 // frames of the epoch that were pulled

	heard    float64   // frames heard
	at       time.Time // at this moment
	moving   bool      // and going on since
	reported int64     // the furthest place ever reported in this epoch
}

// read tells the place at now. While sound moves the last frame is not reported as
// heard: that is for the owner to say, a little later, so that a player that stops
// on hearing it does not clip the end.
func (c *clock) read(now time.Time) audio.Clock {
	heard, moving := c.heard, c.moving
	limit := c.pulled
	if moving {
		since := now.Sub(c.at)
		moving = since < maxGuess
		heard += min(since, maxGuess).Seconds() * float64(c.rate)
		limit--
	}
	c.reported = max(c.reported, min(int64(heard), limit))
	return audio.Clock{Epoch: c.epoch, Heard: c.reported, Running: moving}
}

// left is the time until all that was pulled is heard.
func (c *clock) left(now time.Time) time.Duration {
	frames := float64(c.pulled) - c.heard
	return time.Duration(frames/float64(c.rate)*float64(time.Second)) - now.Sub(c.at)
}
