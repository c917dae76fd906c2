package player

import (
	"context"
	"strings"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/client"
	"waxwing/internal/audio"
)

// Track is a song in the queue: of the catalog, or of the web.
type Track struct {
	ID           string        `json:"id"`
	Title        string        `json:"title"`
	Artist       string        `json:"artist"`            // as printed on the release
	Credits      string        `json:"credits,omitempty"` // the artists, one per line; "": Artist alone
	Album        string        `json:"album"`
	AlbumID      string        `json:"album_id"` // neighbours of the same album play at album gain
	CoverURL     string        `json:"cover_url"`
	ThumbnailURL string        `json:"thumbnail_url"`
	Duration     time.Duration `json:"duration"`
	URL          string        `json:"url,omitempty"` // of a track of the web, which no catalog has
	Changed      *Changes      `json:"changed,omitempty"`
}

// Artists lists the artists of the track.
func (t Track) Artists() []string {
	switch {
	case t.Credits != "":
		return strings.Split(t.Credits, "\n")
	case t.Artist != "":
		return []string{t.Artist}
	}
	return nil
}

// clamp limits a position to the length of the track, if that is known.
func (t Track) clamp(at time.Duration) time.Duration {
	if t.Duration > 0 {
		return min(at, t.Duration)
	}
	return at
}

// SongQuery selects and orders songs of the catalog.
type SongQuery = client.SongQuery

// Selection selects songs for the queue; exactly one field is set.
type Selection struct {
	TrackIDs   []string
	PlaylistID string
	ArtistID   string
	AlbumID    string
	Songs      *SongQuery // all songs of the catalog that it selects, in its order
}

// Library is the player's view of the catalog. The methods may block on the network and obey ctx.
// Their errors are faults: NotFound for an unknown id, Unavailable when the catalog is unreachable.
type Library interface {
	// Track returns one song.
	Track(ctx context.Context, id string) (Track, error)
	// Tracks resolves a selection in its own order.
	Tracks(ctx context.Context, sel Selection) ([]Track, error)
	// DefaultTracks returns what to play when nothing is selected: trending songs, then the newest,
	// at most limit. An empty catalog has none.
	DefaultTracks(ctx context.Context, limit int) ([]Track, error)
	// Open starts to fetch and decode a track.
	Open(ctx context.Context, t Track) (audio.Source, error)
	// Gain reads the ReplayGain values of a track; those that are unknown are nil.
	Gain(ctx context.Context, t Track) (catalogapi.Gain, error)
}
