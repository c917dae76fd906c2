package player

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/client"
	"waxwing/internal/audio"
	"waxwing/internal/audio/decode"
	"waxwing/internal/fault"
	"waxwing/internal/spool"
)

// Remote is a Library over the catalog API. The player uses the catalog only through it, also when
// both run in one process.
type Remote struct {
	Catalog  *client.Catalog
	Decoders decode.Options
	SpoolDir string // for buffered tracks; "": the system's temporary folder
	// SpoolLimit limits the disk space for buffered tracks, in bytes; 0: DefaultSpoolLimit. A quarter
	// of the free space is another limit.
	SpoolLimit int64
	Log        *slog.Logger
}

// DefaultSpoolLimit is the default of Remote.SpoolLimit.
const DefaultSpoolLimit = 2 << 30

// BufferLimit is the disk space for one of the two tracks that are open at a time.
func (l Remote) BufferLimit() int64 {
	limit := cmp.Or(l.SpoolLimit, DefaultSpoolLimit)
	if free, ok := spool.FreeSpace(l.SpoolDir); ok {
		limit = min(limit, free/4)
	}
	return max(limit/2, spool.MinLimit)
}

// BoundedDecoders returns the decoders with the limits of disk space.
func (l Remote) BoundedDecoders() decode.Options {
	decoders := l.Decoders
	decoders.TempDir, decoders.TempLimit = l.SpoolDir, 2*l.BufferLimit()
	return decoders
}

// Track implements Library.
func (l Remote) Track(ctx context.Context, id string) (Track, error) {
	ctx, cancel := context.WithTimeout(ctx, replyTime)
	defer cancel()
	song, err := l.Catalog.Song(ctx, id)
	if err != nil {
		return Track{}, catalogFault(err, "there is no song "+clip(id, maxID))
	}
	t, ok := TrackOf(song).Bounded()
	if !ok {
		return Track{}, fault.WithCode(fault.Unavailable, fault.CatalogUnavailable,
			"the catalog sent a song without a valid id")
	}
	return t, nil
}

// Tracks implements Library.
func (l Remote) Tracks(ctx context.Context, sel Selection) ([]Track, error) {
	var list client.SongPage
	missing := ""
	switch {
	case sel.PlaylistID != "":
		missing = "there is no playlist " + sel.PlaylistID
		list = func(ctx context.Context, page, limit int) (catalogapi.SongList, error) {
			return l.playlistPage(ctx, sel.PlaylistID, page, limit)
		}
	case sel.ArtistID != "":
		missing = "there is no artist " + sel.ArtistID
		list = func(ctx context.Context, page, limit int) (catalogapi.SongList, error) {
			return l.Catalog.ArtistSongs(ctx, sel.ArtistID, page, limit)
		}
	case sel.AlbumID != "":
		missing = "there is no album " + sel.AlbumID
		list = func(ctx context.Context, page, limit int) (catalogapi.SongList, error) {
			return l.Catalog.AlbumSongs(ctx, sel.AlbumID, page, limit)
		}
	case sel.Songs != nil:
		missing = "the catalog has no list of songs"
		list = func(ctx context.Context, page, limit int) (catalogapi.SongList, error) {
			return l.Catalog.ListSongs(ctx, *sel.Songs, page, limit)
		}
	default:
		return l.tracksByID(ctx, sel.TrackIDs)
	}
	ctx, cancel := context.WithTimeout(ctx, selectionTime)
	defer cancel()
	var tracks []Track
	listed, text := 0, 0
	for song, err := range client.AllSongs(ctx, list) {
		if err != nil {
			return nil, catalogFault(err, missing)
		}
		if t, ok := TrackOf(song).Bounded(); ok && song.Available {
			tracks = append(tracks, t)
			text += textSize(tracks[len(tracks)-1:])
		}
		if listed++; len(tracks) == maxQueue || listed == maxListed || text > maxQueueText {
			break
		}
	}
	return tracks, nil
}

func (l Remote) tracksByID(ctx context.Context, ids []string) ([]Track, error) {
	tracks := make([]Track, 0, min(len(ids), maxQueue))
	for _, id := range ids {
		t, err := l.Track(ctx, id)
		if err != nil {
			return nil, err
		}
		tracks = append(tracks, t)
	}
	return tracks, nil
}

// playlistPage returns a page of a playlist's entries as songs.
func (l Remote) playlistPage(ctx context.Context, id string, page, limit int) (catalogapi.SongList, error) {
	entries, err := l.Catalog.PlaylistSongs(ctx, id, page, limit)
	if err != nil {
		return catalogapi.SongList{}, err
	}
	out := catalogapi.SongList{Page: entries.Page, Limit: entries.Limit, Total: entries.Total}
	for _, e := range entries.Songs {
		out.Songs = append(out.Songs, catalogapi.Song{
			ID: e.ID, Title: e.Title, Artist: e.Artist, Artists: e.Artists, Album: e.Album, AlbumID: e.AlbumID,
			CoverURL: e.CoverURL, ThumbnailURL: e.ThumbnailURL, Duration: e.Duration, Available: e.Available,
		})
	}
	return out, nil
}

const (
	firstScanBegins = 2 * time.Second        // how long a catalog may take to begin its first scan
	firstScanFinds  = 10 * time.Second       // and to find its first songs
	scanPoll        = 100 * time.Millisecond // interval of the requests meanwhile
)

// DefaultTracks implements Library with the catalog's trending songs. It waits for the first scan
// of an empty catalog, so that the very first play command works.
func (l Remote) DefaultTracks(ctx context.Context, limit int) ([]Track, error) {
	for begun := time.Now(); ; {
		mayFill := l.mayFill(ctx, time.Since(begun)) // first, so that the songs of a scan that ends now are found
		songs, err := l.trending(ctx, limit)
		if err != nil {
			return nil, catalogFault(err, "the catalog has no trending songs")
		}
		if len(songs) > 0 || !mayFill {
			var tracks []Track
			for _, song := range songs[:min(len(songs), limit)] {
				if t, ok := TrackOf(song).Bounded(); ok {
					tracks = append(tracks, t)
				}
			}
			return tracks, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(scanPoll):
		}
	}
}

func (l Remote) trending(ctx context.Context, limit int) ([]catalogapi.Song, error) {
	ctx, cancel := context.WithTimeout(ctx, replyTime)
	defer cancel()
	return l.Catalog.Trending(ctx, limit)
}

// mayFill reports whether an empty catalog may have songs soon.
func (l Remote) mayFill(ctx context.Context, waited time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, replyTime)
	defer cancel()
	scan, err := l.Catalog.Scan(ctx)
	switch {
	case err != nil:
		return false
	case scan.Running:
		return waited < firstScanFinds
	default:
		return scan.StartedAt == nil && waited < firstScanBegins
	}
}

// Open implements Library. The source is usable until ctx ends.
func (l Remote) Open(ctx context.Context, t Track) (audio.Source, error) {
	etag := ""
	fetch := func(ctx context.Context, offset int64) (io.ReadCloser, int64, error) {
		got, err := l.Catalog.StreamFrom(ctx, t.ID, offset, etag)
		if err != nil {
			return nil, 0, err
		}
		if got.Offset != offset || got.Size < 0 {
			_ = got.Body.Close() // not the requested range
			return nil, 0, errChanged
		}
		etag = got.ETag
		return got.Body, got.Size, nil
	}
	limit := l.BufferLimit()
	file, err := spool.Open(ctx, fetch, spool.Options{Dir: l.SpoolDir, Limit: limit, Final: isFinal, Log: l.Log})
	if status := client.StatusOf(err); status/100 == 3 {
		return nil, fault.Wrap(fault.Invalid, err, "the catalog replied with status %d instead of the file", status)
	}
	if err != nil {
		return nil, catalogFault(err, "the file is missing")
	}
	src, err := l.BoundedDecoders().Open(file)
	if err != nil {
		_ = file.Close() // it is only a buffer
		if errors.Is(err, decode.ErrNoFFmpeg) {
			return nil, fault.Wrap(fault.Invalid, err, "this format cannot be played without ffmpeg; "+
				"install ffmpeg on the computer that plays (package ffmpeg), then play it again")
		}
		if errors.Is(err, spool.ErrTooSlow) {
			return nil, fault.Wrap(fault.Invalid, err, "the catalog sends the file too slowly")
		}
		if errors.Is(err, audio.ErrUnsupported) {
			return nil, fault.Wrap(fault.Invalid, err, "this format cannot be played")
		}
		return nil, fault.Wrap(fault.Invalid, err, "the file is damaged")
	}
	return &spooled{src, file}, nil
}

// Gain implements Library.
func (l Remote) Gain(ctx context.Context, t Track) (catalogapi.Gain, error) {
	ctx, cancel := context.WithTimeout(ctx, replyTime)
	defer cancel()
	gain, err := l.Catalog.SongGain(ctx, t.ID)
	if client.StatusOf(err)/100 == 2 {
		return catalogapi.Gain{}, err // not a reason to wait for the catalog: the track plays without
	}
	if err != nil {
		return catalogapi.Gain{}, catalogFault(err, "there is no song "+t.ID)
	}
	return gain, nil
}

// errChanged ends the fetch of a file that was replaced in the catalog during playback.
var errChanged = errors.New("the file has changed during playback")

// isFinal reports whether retrying a failed fetch is useless.
func isFinal(err error) bool {
	status := client.StatusOf(err)
	return errors.Is(err, errChanged) || status >= 400 && status < 500 && status != http.StatusTooManyRequests
}

// spooled is a source that closes its buffer too.
type spooled struct {
	audio.Source
	file *spool.File
}

func (s *spooled) Close() error { return errors.Join(s.Source.Close(), s.file.Close()) }

// TrackOf converts a song of the catalog.
func TrackOf(s catalogapi.Song) Track {
	return Track{
		ID: s.ID, Title: s.Title, Artist: orEmpty(s.Artist), Credits: credits(s), Album: orEmpty(s.Album),
		AlbumID:  orEmpty(s.AlbumID),
		CoverURL: s.CoverURL, ThumbnailURL: s.ThumbnailURL, Duration: time.Duration(s.Duration) * time.Millisecond,
	}
}

// credits lists the artists of a song, one per line; "" if the artist field says the same.
func credits(s catalogapi.Song) string {
	if len(s.Artists) == 0 || len(s.Artists) == 1 && s.Artists[0].Name == orEmpty(s.Artist) {
		return ""
	}
	names := make([]string, len(s.Artists))
	for i, a := range s.Artists {
		names[i] = strings.ReplaceAll(a.Name, "\n", " ")
	}
	return strings.Join(names, "\n")
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// catalogFault classifies an error of the catalog; missing is the message for a 404.
func catalogFault(err error, missing string) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.WrapCode(fault.Unavailable, fault.CatalogUnavailable, err, "the catalog replies too slowly")
	}
	var e *client.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("request to the catalog: %w", err)
	}
	switch {
	case e.Status == http.StatusNotFound:
		return fault.Wrap(fault.NotFound, err, "%s", missing)
	case e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden:
		return fault.WrapCode(fault.Unavailable, fault.CatalogUnavailable, err, "the catalog rejects this player's key; "+
			"restart the player, with a new key if the catalog runs elsewhere")
	case e.Status/100 == 2:
		return fault.WrapCode(fault.Unavailable, fault.CatalogUnavailable, err, "the catalog sent an invalid reply")
	case e.Status == 0 || e.Status >= 500 || e.Status == http.StatusTooManyRequests:
		return fault.WrapCode(fault.Unavailable, fault.CatalogUnavailable, err,
			"the catalog cannot be reached; check that it is running")
	case e.Status == http.StatusBadRequest:
		return fault.Wrap(fault.Invalid, err, "%s", e.Message)
	}
	return fault.Wrap(fault.Unavailable, err,
		"the catalog replied with status %d; check the address of the catalog in the settings of the player", e.Status)
}
