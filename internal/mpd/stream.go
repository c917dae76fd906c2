package mpd

import (
	"strings"

	"waxwing/internal/access"
	"waxwing/internal/fault"
	"waxwing/internal/player"
)

// isStream reports whether a URI is that of a stream.
func isStream(uri string) bool {
	lower := strings.ToLower(clip(uri, 8))
	return strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://")
}

// addStream adds a URL to the queue, at a position argument. Like every way to make the player
// connect somewhere, it needs a permission of its own.
func (s *session) addStream(url, at string) ([]int, error) {
	if hasControl(url) {
		return nil, ack(codeArg, "Malformed URI")
	}
	if err := s.permit(command{need: access.Streams}, "add a URL"); err != nil {
		return nil, err
	}
	t, err := s.player().WebTrack(url, "")
	if err != nil {
		return nil, err
	}
	return s.insertTracks([]player.Track{t}, at)
}

// queueFull converts the error of a full queue.
func queueFull(err error) error {
	if kind, message := fault.Of(err); kind == fault.Conflict {
		return ack(codeQueueFull, "%s", message)
	}
	return err
}
