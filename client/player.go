package client

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"waxwing/api/catalogapi"
	"waxwing/api/playerapi"
)

// DefaultPlayerURL is the default address of the player.
const DefaultPlayerURL = "http://127.0.0.1:7833"

// Player is a client of the control API. It is safe for concurrent use if its fields do not change.
type Player struct {
	BaseURL string       // DefaultPlayerURL if empty
	Token   string       // not needed for Health, Pair and ClaimPair
	HTTP    *http.Client // optional
}

func (p *Player) transport() transport {
	t := transport{
		base: strings.TrimSuffix(cmp.Or(p.BaseURL, DefaultPlayerURL), "/"), header: "Authorization",
		maxReply: maxReply, name: "player", hint: "waxwing", http: p.HTTP,
	}
	if p.Token != "" {
		t.credential = "Bearer " + p.Token
	}
	return t
}

func get[Out any](ctx context.Context, t transport, path string) (out Out, err error) {
	err = t.do(ctx, http.MethodGet, path, nil, &out)
	return out, err
}

func post[Out any](ctx context.Context, t transport, path string, in any) (out Out, err error) {
	err = t.do(ctx, http.MethodPost, path, in, &out)
	return out, err
}

func (p *Player) command(ctx context.Context, path string, in any) error {
	return p.transport().do(ctx, http.MethodPost, path, in, nil)
}

// Health returns the address of the player if it is running. It needs no token.
func (p *Player) Health(ctx context.Context) (playerapi.Health, error) {
	return get[playerapi.Health](ctx, p.transport(), "/health")
}

// CurrentTrack returns the current track, or nil if nothing is loaded.
func (p *Player) CurrentTrack(ctx context.Context) (*playerapi.Track, error) {
	out, err := get[playerapi.CurrentTrack](ctx, p.transport(), "/current-track")
	return out.Track, err
}

// PlaybackState returns whether the player plays, shuffles and repeats.
func (p *Player) PlaybackState(ctx context.Context) (playerapi.PlaybackState, error) {
	return get[playerapi.PlaybackState](ctx, p.transport(), "/playback-state")
}

// Lyrics returns the lyrics of the current track, the best text first.
func (p *Player) Lyrics(ctx context.Context) (playerapi.TrackLyrics, error) {
	return get[playerapi.TrackLyrics](ctx, p.transport(), "/lyrics")
}

// Queue returns the whole queue.
func (p *Player) Queue(ctx context.Context) (playerapi.Queue, error) {
	return get[playerapi.Queue](ctx, p.transport(), "/playback-queue")
}

// PublicUser returns the profile of the active user.
func (p *Player) PublicUser(ctx context.Context) (playerapi.PublicUserReply, error) {
	return get[playerapi.PublicUserReply](ctx, p.transport(), "/user/public")
}

// Play resumes, starts, or fills the queue and starts; it returns the id of the track.
func (p *Player) Play(ctx context.Context) (trackID string, err error) {
	out, err := post[playerapi.Played](ctx, p.transport(), "/play", nil)
	return out.TrackID, err
}

// PlayTrack plays a track of the catalog.
func (p *Player) PlayTrack(ctx context.Context, id string) error {
	return p.command(ctx, "/play", playerapi.PlayRequest{TrackID: &id})
}

// Pause pauses playback.
func (p *Player) Pause(ctx context.Context) error { return p.command(ctx, "/pause", nil) }

// Stop stops playback: the position becomes 0 and the sound output is released.
func (p *Player) Stop(ctx context.Context) error { return p.command(ctx, "/stop", nil) }

// Next moves to the next track in play order.
func (p *Player) Next(ctx context.Context) error { return p.command(ctx, "/next", nil) }

// Previous moves to the previous track in play order.
func (p *Player) Previous(ctx context.Context) error { return p.command(ctx, "/previous", nil) }

// Toggle pauses or resumes and returns whether the player plays now.
func (p *Player) Toggle(ctx context.Context) (playing bool, err error) {
	out, err := post[playerapi.Toggled](ctx, p.transport(), "/toggle", nil)
	return out.IsPlaying, err
}

// Seek moves to a position in milliseconds and returns the new position.
func (p *Player) Seek(ctx context.Context, position float64) (float64, error) {
	out, err := post[playerapi.Sought](ctx, p.transport(), "/seek", playerapi.SeekRequest{Position: position})
	return out.Position, err
}

// SetShuffle turns shuffle on or off.
func (p *Player) SetShuffle(ctx context.Context, on bool) error {
	return p.command(ctx, "/shuffle", playerapi.ShuffleRequest{Shuffle: on})
}

// SetRepeat sets off, one, all or on, or accepts another player's word for one of them. It returns
// the value that was set.
func (p *Player) SetRepeat(ctx context.Context, word string) (playerapi.Repeat, error) {
	out, err := post[playerapi.RepeatReply](ctx, p.transport(), "/repeat", playerapi.RepeatRequest{Repeat: word})
	return out.Repeat, err
}

// Modes returns the state of the player and what happens after a track.
func (p *Player) Modes(ctx context.Context) (playerapi.Modes, error) {
	return get[playerapi.Modes](ctx, p.transport(), "/modes")
}

// SetModes sets what happens after a track: off, on or once.
func (p *Player) SetModes(ctx context.Context, in playerapi.ModesRequest) (playerapi.ModesReply, error) {
	return post[playerapi.ModesReply](ctx, p.transport(), "/modes", in)
}

// Volume returns the volume and whether the player is muted.
func (p *Player) Volume(ctx context.Context) (playerapi.Volume, error) {
	return get[playerapi.Volume](ctx, p.transport(), "/volume")
}

// SetVolume changes the volume, the mute, or both; nil leaves it unchanged.
func (p *Player) SetVolume(ctx context.Context, volume *int, muted *bool) (playerapi.Volume, error) {
	out, err := post[playerapi.VolumeReply](
		ctx,
		p.transport(),
		"/volume",
		playerapi.VolumeRequest{Volume: volume, Muted: muted},
	)
	return playerapi.Volume{Volume: out.Volume, Muted: out.Muted}, err
}

// Like likes the current track.
func (p *Player) Like(ctx context.Context) (playerapi.Liked, error) {
	return post[playerapi.Liked](ctx, p.transport(), "/like", nil)
}

// Unlike removes the like of the current track.
func (p *Player) Unlike(ctx context.Context) (playerapi.Liked, error) {
	return post[playerapi.Liked](ctx, p.transport(), "/unlike", nil)
}

// Rate rates the current track from 1 to 5; 0 removes the rating.
func (p *Player) Rate(ctx context.Context, rating int) (playerapi.Rated, error) {
	return post[playerapi.Rated](ctx, p.transport(), "/rate", playerapi.RateRequest{Rating: rating})
}

// Outputs lists the output devices.
func (p *Player) Outputs(ctx context.Context) ([]playerapi.Output, error) {
	out, err := get[playerapi.Outputs](ctx, p.transport(), "/outputs")
	return out.Outputs, err
}

// SetOutput moves playback to a device.
func (p *Player) SetOutput(ctx context.Context, id string) error {
	return p.command(ctx, "/outputs", playerapi.OutputRequest{ID: id})
}

// Ready returns nil if everything that the player needs is available.
func (p *Player) Ready(ctx context.Context) error {
	return p.transport().do(ctx, http.MethodGet, "/ready", nil, nil)
}

// Search searches the player's catalog like [Catalog.Search], with the player's token.
func (p *Player) Search(ctx context.Context, query string, limit int) (catalogapi.SearchReply, error) {
	return get[catalogapi.SearchReply](ctx, p.transport(), searchPath(query, limit))
}
