package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"waxwing/api/catalogapi"
)

// Playlists returns a page of the public playlists and the key owner's own.
func (c *Catalog) Playlists(ctx context.Context, page, limit int) (catalogapi.PlaylistList, error) {
	return get[catalogapi.PlaylistList](ctx, c.transport(), paged(apiPath("playlists"), page, limit))
}

// Playlist returns one playlist.
func (c *Catalog) Playlist(ctx context.Context, id string) (catalogapi.Playlist, error) {
	out, err := get[catalogapi.PlaylistReply](ctx, c.transport(), apiPath("playlists", id))
	return out.Playlist, err
}

// PlaylistRules returns the rules of a smart playlist, or nil for an ordinary one.
func (c *Catalog) PlaylistRules(ctx context.Context, id string) (*catalogapi.Rules, error) {
	out, err := get[catalogapi.PlaylistReply](ctx, c.transport(), apiPath("playlists", id)+"?with=rules")
	return out.Playlist.Rules, err
}

// PlaylistSongs returns a page of a playlist's entries.
func (c *Catalog) PlaylistSongs(ctx context.Context, id string, page, limit int) (catalogapi.PlaylistSongList, error) {
	return get[catalogapi.PlaylistSongList](ctx, c.transport(), paged(apiPath("playlists", id, "songs"), page, limit))
}

// CreatePlaylist creates a playlist for the owner of the key. Like all changes it needs a key with
// the permission write.
func (c *Catalog) CreatePlaylist(ctx context.Context, in catalogapi.NewPlaylist) (catalogapi.Playlist, error) {
	return c.sendPlaylist(ctx, http.MethodPost, apiPath("playlists"), in)
}

// ChangePlaylist changes the fields that are set in in.
func (c *Catalog) ChangePlaylist(
	ctx context.Context,
	id string,
	in catalogapi.PlaylistChange,
) (catalogapi.Playlist, error) {
	return c.sendPlaylist(ctx, http.MethodPatch, apiPath("playlists", id), in)
}

// DeletePlaylist removes a playlist.
func (c *Catalog) DeletePlaylist(ctx context.Context, id string) error {
	return c.transport().do(ctx, http.MethodDelete, apiPath("playlists", id), nil, nil)
}

// AddSongs inserts songs into a playlist before the entry at position; at the end if that is nil.
func (c *Catalog) AddSongs(
	ctx context.Context,
	id string,
	songIDs []string,
	position *int,
) (catalogapi.Playlist, error) {
	return c.sendPlaylist(
		ctx,
		http.MethodPost,
		apiPath("playlists", id, "songs"),
		catalogapi.AddSongs{SongIDs: songIDs, Position: position},
	)
}

// ReplaceSongs replaces all songs of a playlist.
func (c *Catalog) ReplaceSongs(ctx context.Context, id string, songIDs []string) (catalogapi.Playlist, error) {
	return c.sendPlaylist(ctx, http.MethodPut, apiPath("playlists", id, "songs"),
		catalogapi.ReplaceSongs{SongIDs: songIDs})
}

// MoveSong moves the entry at position from, which must still be songID, to position to.
func (c *Catalog) MoveSong(ctx context.Context, id string, from, to int, songID string) (catalogapi.Playlist, error) {
	return c.sendPlaylist(
		ctx,
		http.MethodPatch,
		apiPath("playlists", id, "songs", strconv.Itoa(from)),
		catalogapi.MoveSong{SongID: songID, To: to},
	)
}

// RemoveSong removes the entry at a position, which must still be songID.
func (c *Catalog) RemoveSong(
	ctx context.Context,
	id string,
	position int,
	songID string,
) (catalogapi.Playlist, error) {
	path := apiPath("playlists", id, "songs", strconv.Itoa(position)) + "?" + url.Values{"song_id": {songID}}.Encode()
	return c.sendPlaylist(ctx, http.MethodDelete, path, nil)
}

// sendPlaylist sends a change of a playlist and returns the playlist after it.
func (c *Catalog) sendPlaylist(ctx context.Context, method, path string, in any) (catalogapi.Playlist, error) {
	var out catalogapi.PlaylistReply
	err := c.transport().do(ctx, method, path, in, &out)
	return out.Playlist, err
}
