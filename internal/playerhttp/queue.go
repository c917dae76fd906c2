package playerhttp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"sync"

	"waxwing/api/playerapi"
	"waxwing/api/timestamp"
	"waxwing/internal/access"
	"waxwing/internal/fault"
	"waxwing/internal/player"
)

// queues caches the items of the newest queue as JSON, so that a long queue is encoded when it
// changes and not when it is read.
type queues struct {
	mu      sync.Mutex
	items   []byte
	version uint64 // of the queue
}

// of returns the items of st's queue as a JSON array.
func (q *queues) of(st *player.Status) (items []byte, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.items != nil && q.version == st.QueueVersion {
		return q.items, nil
	}
	items, err = encode(wireItems(st.Queue))
	if err == nil && st.QueueVersion > q.version { // a late reader must not restore an old queue
		q.items, q.version = items, st.QueueVersion
	}
	return items, err
}

func wireItems(tracks []player.Track) []playerapi.QueueItem {
	items := make([]playerapi.QueueItem, len(tracks))
	for i, t := range tracks {
		items[i] = playerapi.QueueItem{
			ID: t.ID, Title: t.Title, Artist: t.Artist, Duration: wholeMillis(t.Duration) / 1000,
			CoverURL: t.CoverURL, ThumbnailURL: t.ThumbnailURL,
		}
	}
	return items
}

// encode is json.Marshal without the escapes that only matter inside HTML.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), err
}

func (s *server) playbackQueue(w http.ResponseWriter, _ *http.Request) error {
	st := s.player.Status()
	items, err := s.queues.of(st)
	if err != nil {
		return err
	}
	out := playerapi.Queue{
		Queue: []playerapi.QueueItem{}, CurrentIndex: st.Index, IsPlaying: st.Playing, Shuffle: st.Shuffle,
		Repeat: playerapi.Repeat(st.Repeat), UpdatedAt: timestamp.At(st.UpdatedAt),
	}
	if t, ok := st.Current(); ok {
		out.CurrentTrackID, out.CurrentTrackCoverURL = &t.ID, &t.CoverURL
	}
	frame, err := encode(out)
	if err != nil {
		return err
	}
	// The encoded items replace the empty list.
	head, tail, _ := bytes.Cut(frame, []byte("[]"))
	h := w.Header()
	h["Content-Type"] = []string{"application/json"}
	h["Cache-Control"] = []string{"no-store"}
	h["Content-Length"] = []string{strconv.Itoa(len(head) + len(items) + len(tail) + 1)}
	for _, part := range [][]byte{head, items, tail, {'\n'}} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// selection returns the tracks that a request names by exactly one of five fields. Tracks of the
// web need a permission of their own.
func selection(
	r *http.Request, trackIDs []string, playlist, artist, album, songs *string,
) (player.Selection, error) {
	var sel player.Selection
	named := 0
	if songs != nil {
		named++
		query, err := songQuery(*songs)
		if err != nil {
			return sel, err
		}
		sel.Songs = &query
	}
	if trackIDs != nil {
		named++
		sel.TrackIDs = trackIDs
		for _, id := range trackIDs {
			if id == "" {
				return sel, fault.New(fault.Invalid, "track_ids must not contain an empty string")
			}
		}
	}
	for _, one := range []struct {
		given *string
		into  *string
		name  string
	}{
		{playlist, &sel.PlaylistID, "playlist_id"},
		{artist, &sel.ArtistID, "artist_id"},
		{album, &sel.AlbumID, "album_id"},
	} {
		if one.given == nil {
			continue
		}
		if *one.given == "" {
			return sel, fault.New(fault.Invalid, "%s must be a non-empty string", one.name)
		}
		named++
		*one.into = *one.given
	}
	if named != 1 || trackIDs != nil && len(trackIDs) == 0 {
		return sel, fault.New(fault.Invalid,
			"exactly one of track_ids, playlist_id, artist_id, album_id and songs must be set")
	}
	if sel.UsesWeb() {
		return sel, needs(r, access.Streams)
	}
	return sel, nil
}

// songQuery parses a query as of GET /api/songs. The catalog checks the values.
func songQuery(text string) (q player.SongQuery, err error) {
	given, err := url.ParseQuery(text)
	if err != nil {
		return q, fault.New(fault.Invalid, "songs must be a query such as sort=title&genre=Rock")
	}
	for name, values := range given {
		switch name {
		case "sort":
			q.Sort = values[0]
		case "order":
			q.Order = values[0]
		case "genre":
			q.Genre = values[0]
		case "year":
			q.Year = values[0]
		case "format":
			q.Format = values[0]
		case "liked":
			q.Liked = values[0] == "true"
		default:
			return q, fault.New(fault.Invalid, "songs has an unknown parameter %q; it may have sort, order, genre, year, "+
				"format and liked", name)
		}
	}
	return q, nil
}
