package pulse

import (
	"time"

	"waxwing/internal/audio"
)

// maxGuess is how long the clock advances without a report of the server, if the watch does not
// detect a stalled server first: see stallTime.
const maxGuess = 2 * time.Second

// clock is the position of the listener between two reports of the server.
type clock struct {
	cuts   uint64 // cuts applied so far; the last began epoch
	epoch  uint64
	rate   int
	pulled int64 // frames of the epoch that were pulled

	heard    float64   // frames heard
	at       time.Time // at this time
	moving   bool      // and advancing since
	reported int64     // the highest position returned in this epoch
}

// read returns the position at now. While audio is playing the last frame does not count as heard:
// the core reports it a little later, so that a player that stops then does not clip the end.
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

// left is the time until everything that was pulled is heard.
func (c *clock) left(now time.Time) time.Duration {
	frames := float64(c.pulled) - c.heard
	return time.Duration(frames/float64(c.rate)*float64(time.Second)) - now.Sub(c.at)
}
