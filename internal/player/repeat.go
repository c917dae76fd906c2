package player

import (
	"strings"

	"waxwing/internal/fault"
)

// Repeat is what follows the natural end of a track.
type Repeat string

const (
	RepeatOff Repeat = "off" // stop after the last track
	RepeatOne Repeat = "one" // the same track
	RepeatAll Repeat = "all" // the first track after the last
	RepeatOn  Repeat = "on"  // as RepeatAll; set by clients with an on/off switch
)

// ParseRepeat normalizes the words that other players use for the same four settings.
func ParseRepeat(word string) (Repeat, error) {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "off", "none", "false", "0":
		return RepeatOff, nil
	case "one", "track", "single":
		return RepeatOne, nil
	case "all", "playlist", "context", "queue":
		return RepeatAll, nil
	case "on", "true", "1":
		return RepeatOn, nil
	}
	return "", fault.New(fault.Invalid, "repeat must be one of off, one, all, on")
}

// wraps reports whether the queue starts over after its last track.
func (r Repeat) wraps() bool { return r == RepeatAll || r == RepeatOn }
