package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"

	"waxwing/api/catalogapi"
)

// Like likes a song, album, artist or playlist for the user of the key. Like all changes it needs a
// key with the permission write.
func (c *Catalog) Like(ctx context.Context, id string) error {
	return c.transport().do(ctx, http.MethodPut, apiPath("me", "likes", id), nil, nil)
}

// Unlike removes a like.
func (c *Catalog) Unlike(ctx context.Context, id string) error {
	return c.transport().do(ctx, http.MethodDelete, apiPath("me", "likes", id), nil, nil)
}

// Rate rates a song, album, artist or playlist from 1 to 5; 0 removes the rating.
func (c *Catalog) Rate(ctx context.Context, id string, rating int) error {
	in := catalogapi.NewRating{Rating: rating}
	return c.transport().do(ctx, http.MethodPut, apiPath("me", "ratings", id), in, nil)
}

// Likes returns a page of what the user of the key likes. kind is song, album, artist or playlist.
func (c *Catalog) Likes(ctx context.Context, kind string, page, limit int) (catalogapi.LikeList, error) {
	return get[catalogapi.LikeList](ctx, c.transport(), with(paged(apiPath("me", "likes"), page, limit), "type", kind))
}

// History returns a page of the plays of the user of the key, newest first.
func (c *Catalog) History(ctx context.Context, page, limit int) (catalogapi.HistoryList, error) {
	return get[catalogapi.HistoryList](ctx, c.transport(), paged(apiPath("me", "history"), page, limit))
}

// DeletePlay deletes one play of the history.
func (c *Catalog) DeletePlay(ctx context.Context, id string) error {
	return c.transport().do(ctx, http.MethodDelete, apiPath("me", "history", id), nil, nil)
}

// DeleteHistory deletes all plays of the user of the key.
func (c *Catalog) DeleteHistory(ctx context.Context) error {
	return c.transport().do(ctx, http.MethodDelete, apiPath("me", "history")+"?all=true", nil, nil)
}

// Top returns a page of what the user of the key played most. kind is song, album or artist; period
// is 7d, 30d, 1y or all.
func (c *Catalog) Top(ctx context.Context, kind, period string, page, limit int) (catalogapi.TopList, error) {
	path := with(with(paged(apiPath("me", "top"), page, limit), "type", kind), "range", period)
	return get[catalogapi.TopList](ctx, c.transport(), path)
}

// SongForMe returns one song with what the user of the key did with it. A catalog that is too old
// leaves Me nil or refuses the request.
func (c *Catalog) SongForMe(ctx context.Context, id string) (catalogapi.Song, error) {
	out, err := get[catalogapi.SongReply](ctx, c.transport(), apiPath("songs", id)+"?with=me")
	return out.Song, err
}

// SongsForMe returns a page of all songs with what the user of the key did with each.
func (c *Catalog) SongsForMe(ctx context.Context, page, limit int) (catalogapi.SongList, error) {
	return get[catalogapi.SongList](ctx, c.transport(),
		pagedQuery(apiPath("songs"), values("with", "me"), page, limit))
}

// PersonalVersions follows what the user of the key likes, rates and plays: it yields an opaque
// version at once and after each change. Errors are as in [Player.Events].
func (c *Catalog) PersonalVersions(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		path := apiPath("events")
		for v, err := range events[catalogapi.PersonalVersion](ctx, c.transport(), path, "personal") {
			if !yield(v.Version, err) {
				return
			}
		}
	}
}

// with adds a parameter to a path.
func with(path, name, value string) string {
	u, err := url.Parse(path)
	if err != nil || value == "" {
		return path
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}
