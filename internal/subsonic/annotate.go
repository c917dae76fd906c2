package subsonic

import (
	"context"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// setStarred returns the endpoint that likes or unlikes songs, albums and artists: all of them, or
// none.
func (s *server) setStarred(liked bool) endpoint {
	return func(ctx context.Context, c *call) error {
		ids := slices.Concat(c.params["id"], c.params["albumId"], c.params["artistId"])
		if len(ids) == 0 {
			return missing("id")
		}
		return s.store.SetLiked(ctx, c.viewer, liked, ids...)
	}
}

func (s *server) setRating(ctx context.Context, c *call) error {
	id, err := c.required("id")
	if err != nil {
		return err
	}
	text, err := c.required("rating")
	if err != nil {
		return err
	}
	rating, err := strconv.Atoi(text)
	if err != nil {
		return fault.New(fault.Invalid, "the parameter rating must be a whole number from 0 to 5")
	}
	return s.store.SetRating(ctx, c.viewer, rating, id)
}

// playsAtOnce is how many plays of one request are recorded together.
const playsAtOnce = 64

// scrobble records plays, or the song that plays now. A play is identified by the key, the song and
// the time, so that an app can repeat a request.
func (s *server) scrobble(ctx context.Context, c *call) error {
	ids, times := c.params["id"], c.params["time"]
	if len(ids) == 0 {
		return missing("id")
	}
	if len(times) > 0 && len(times) != len(ids) {
		return fault.New(fault.Invalid, "there must be a time for each id")
	}
	if !c.bool("submission", true) {
		return s.setPlaying(ctx, c, ids[len(ids)-1])
	}
	now := time.Now()
	plays := make([]catalog.Play, len(ids))
	for i, id := range ids {
		plays[i] = catalog.Play{SongID: id, Listener: c.viewer, PlayedAt: now, Source: c.key.Name}
		if len(times) == 0 {
			continue
		}
		ms, err := strconv.ParseInt(times[i], 10, 64)
		if err != nil || ms < 0 {
			return fault.New(fault.Invalid, "the parameter time must be milliseconds since 1970")
		}
		plays[i].PlayedAt = time.UnixMilli(ms)
		plays[i].Idempotency = "subsonic " + c.key.ID + " " + id + " " + times[i]
	}
	if err := s.store.CheckSongs(ctx, ids); err != nil { // all or none
		return err
	}
	for some := range slices.Chunk(plays, playsAtOnce) {
		together, ctx := errgroup.WithContext(ctx)
		for _, play := range some {
			together.Go(func() error { return s.recordPlay(ctx, play) })
		}
		if err := together.Wait(); err != nil {
			return err
		}
	}
	return nil
}

func (s *server) recordPlay(ctx context.Context, play catalog.Play) error {
	counted, err := s.store.RecordPlay(ctx, play)
	s.plays.Count(counted, err)
	return err
}
