package player

import (
	"context"
	"strings"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/internal/audio"
)

// Track is what the player knows about a song in its queue.
type Track struct {
	ID           string        `json:"id"`
	Title        string        `json:"title"`
	Artist       string        `json:"artist"`            // as it is written on the record
	Credits      string        `json:"credits,omitempty"` // each artist's name on a line of its own, where Artist is not the only one
	Album        string        `json:"album"`
	AlbumID      string        `json:"album_id"` // neighbours with the same one are played at album gain
	CoverURL     string        `json:"cover_url"`
	ThumbnailURL string        `json:"thumbnail_url"`
	Duration     time.Duration `json:"duration"`
}

// Artists lists those who made the track, one by one.
func (t Track) Artists() []string {
	switch {
	case t.Credits != "":
		return strings.Split(t.Credits, "\n")
	case t.Artist != "":
		return []string{t.Artist}
	}
	return nil
}

// Selection names songs to put into the queue; exactly one field is set.
type Selection struct {
	TrackIDs   []string
	PlaylistID string
	ArtistID   string
	AlbumID    string
}

// Library is the player's view of the catalog. All methods may wait for the network and obey ctx;
// their errors are fault errors: NotFound for an unknown id, Unavailable when the catalog is unreachable.
type Library interface {
	// Track looks one song up.
	Track(ctx context.Context, id string) (Track, error)
	// Tracks resolves a selection in its own order.
	Tracks(ctx context.Context, sel Selection) ([]Track, error)
	// DefaultTracks gives something to play to a listener who named nothing: trending
	// songs, then the newest, at most limit. An empty catalog gives none.
	DefaultTracks(ctx context.Context, limit int) ([]Track, error)
	// Open starts fetching and decoding a track.
	Open(ctx context.Context, t Track) (audio.Source, error)
	// Gain reads the ReplayGain values of a track; those that are unknown are nil.
	Gain(ctx context.Context, t Track) (catalogapi.Gain, error)
}
