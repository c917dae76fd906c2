// Code generated from api/player.yaml by api/gen. DO NOT EDIT.

// Package playerapi holds the wire types of api/player.yaml.
package playerapi

import "waxwing/api/timestamp"

// ErrorCode: names an error for programs. Later versions can add codes: treat an unknown one by the status of the response.
type ErrorCode string

// Error: an error.
type Error struct {
	// A message for a person.
	Error string    `json:"error"`
	Code  ErrorCode `json:"code"`
}

// PositionError: an error of `/seek`. The error of an invalid position has no code.
type PositionError struct {
	// A message for a person.
	Error string     `json:"error"`
	Code  *ErrorCode `json:"code,omitempty"`
}

// OK: the reply to a successful request without data.
type OK struct {
	OK bool `json:"ok"`
}

// Health: the state of the server and its address.
type Health struct {
	OK     bool   `json:"ok"`
	Status string `json:"status"`
	// Port of the server.
	Port int `json:"port"`
	// IP address of the server.
	Host string `json:"host"`
}

// Repeat: what plays after the end of a track; on is the same as all.
type Repeat string

// Track: the current track and the position in it.
type Track struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Artist string `json:"artist"`
	Album  string `json:"album"`
	// Absolute; needs no token.
	CoverURL     string `json:"cover_url"`
	ThumbnailURL string `json:"thumbnail_url"`
	// Milliseconds.
	Duration float64 `json:"duration"`
	// Milliseconds, at most duration.
	Position  float64 `json:"position"`
	IsPlaying bool    `json:"is_playing"`
}

type CurrentTrack struct {
	Track *Track `json:"track"`
}

type TrackLyrics struct {
	TrackID *string  `json:"track_id"`
	Lyrics  []Lyrics `json:"lyrics"`
}

// Lyrics: one text of a song.
type Lyrics struct {
	// Code of two or three letters, such as `en` or `eng`; null: unknown.
	Lang *string `json:"lang"`
	// Whether the lines have a start.
	Synced bool `json:"synced"`
	// Milliseconds by which all lines are shown earlier; negative: later.
	Offset int         `json:"offset"`
	Lines  []LyricLine `json:"lines"`
}

// LyricLine: one line of lyrics.
type LyricLine struct {
	// Milliseconds; null in lyrics that are not synced.
	Start *int   `json:"start"`
	Text  string `json:"text"`
	// Only if the words have times. Their texts together are the text of the line.
	Words []LyricWord `json:"words,omitempty"`
}

// LyricWord: a word or a syllable, with the space after it.
type LyricWord struct {
	// Milliseconds.
	Start int    `json:"start"`
	Text  string `json:"text"`
}

// Lyric: the line that is sung now.
type Lyric struct {
	TrackID *string `json:"track_id"`
	// The first of the lines that are sung now, in the first synced text of `/lyrics`; -1: none.
	Index int `json:"index"`
	// Milliseconds in the track, with the offset applied; null if `index` is -1.
	Start *int `json:"start"`
	// The line; lines that begin together are separated by a line break. Null if `index` is -1.
	Text *string `json:"text"`
	// When the next line begins, likewise; null after the last one.
	NextStart *int `json:"next_start"`
}

type PlaybackState struct {
	IsPlaying bool   `json:"is_playing"`
	Shuffle   bool   `json:"shuffle"`
	Repeat    Repeat `json:"repeat"`
}

type QueueItem struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Artist string `json:"artist"`
	// Seconds.
	Duration     float64 `json:"duration"`
	CoverURL     string  `json:"cover_url"`
	ThumbnailURL string  `json:"thumbnail_url"`
}

type Queue struct {
	Queue []QueueItem `json:"queue"`
	// Index of the current item in queue; -1 when nothing is loaded.
	CurrentIndex         int            `json:"current_index"`
	CurrentTrackID       *string        `json:"current_track_id"`
	CurrentTrackCoverURL *string        `json:"current_track_cover_url"`
	IsPlaying            bool           `json:"is_playing"`
	Shuffle              bool           `json:"shuffle"`
	Repeat               Repeat         `json:"repeat"`
	UpdatedAt            timestamp.Time `json:"updated_at"`
}

type PublicUser struct {
	ID              string `json:"id"`
	Username        string `json:"username"`
	Name            string `json:"name"`
	ProfileImageURL string `json:"profile_image_url"`
}

type PublicUserReply struct {
	User      PublicUser     `json:"user"`
	UpdatedAt timestamp.Time `json:"updated_at"`
}

// State: the data of a state event.
type State struct {
	// Increases with each change while the player is running; also the id of the event.
	Version   int    `json:"version"`
	Track     *Track `json:"track"`
	IsPlaying bool   `json:"is_playing"`
	Shuffle   bool   `json:"shuffle"`
	Repeat    Repeat `json:"repeat"`
	Volume    int    `json:"volume"`
	Muted     bool   `json:"muted"`
	// Position at timestamp, in milliseconds.
	Position float64 `json:"position"`
	// Time at which position was measured.
	Timestamp timestamp.Time `json:"timestamp"`
	// Milliseconds of position per millisecond of time: 1 during playback, else 0.
	Rate int `json:"rate"`
	// Increases when the items of the queue change, also across restarts; read /playback-queue or /queue/items then.
	QueueVersion int `json:"queue_version"`
	QueueLength  int `json:"queue_length"`
	CurrentIndex int `json:"current_index"`
	// Id of the current item, as in /queue/items; null when nothing is loaded.
	CurrentItemID *int         `json:"current_item_id"`
	State         PlayerState  `json:"state"`
	StopAfter     Mode         `json:"stop_after"`
	Consume       Mode         `json:"consume"`
	Stream        *StreamState `json:"stream"`
	// Id of the selected output device, as in /outputs; null for the default.
	Output *string `json:"output"`
	// Why playback failed, or which track was skipped last; null if neither.
	Error *string `json:"error"`
	// Whether the active user likes the current track; null: unknown, or nothing is loaded.
	Liked *bool `json:"liked"`
	// Rating of the current track by the active user, 0 if it is not rated; null: unknown, or nothing is loaded.
	Rating *int `json:"rating"`
}

// StreamState: what is known of a track of the web that is open.
type StreamState struct {
	// It has no end: its duration is 0 and it cannot seek.
	Live bool `json:"live"`
	// Name of a radio.
	Station *string `json:"station"`
	// What a radio plays now; also the title of the track, with the station as artist.
	Title *string `json:"title"`
}

// CatalogState: the data of a catalog event.
type CatalogState struct {
	// Identifies the content of the catalog. Opaque: compare for equality only. Null until the catalog has been reached.
	Revision *string `json:"revision"`
	// Whether the player is connected to the catalog.
	Reachable bool `json:"reachable"`
}

type Liked struct {
	OK      bool   `json:"ok"`
	TrackID string `json:"track_id"`
	Liked   bool   `json:"liked"`
}

type RateRequest struct {
	Rating int `json:"rating" sentence:"rating must be a whole number from 0 to 5"`
}

type Rated struct {
	OK      bool   `json:"ok"`
	TrackID string `json:"track_id"`
	Rating  int    `json:"rating"`
}

type PlayRequest struct {
	TrackID *string `json:"track_id,omitempty" sentence:"track_id must be a non-empty string"`
}

type Played struct {
	OK      bool   `json:"ok"`
	TrackID string `json:"track_id"`
}

type SeekRequest struct {
	// Milliseconds.
	Position float64 `json:"position" sentence:"position must be a non-negative number in milliseconds"`
}

type Sought struct {
	OK bool `json:"ok"`
	// Milliseconds.
	Position float64 `json:"position"`
}

type Toggled struct {
	OK        bool `json:"ok"`
	IsPlaying bool `json:"is_playing"`
}

type ShuffleRequest struct {
	Shuffle bool `json:"shuffle"`
}

type ShuffleReply struct {
	OK      bool `json:"ok"`
	Shuffle bool `json:"shuffle"`
}

type RepeatRequest struct {
	Repeat any `json:"repeat" sentence:"repeat must be one of off, one, all, on"`
}

type RepeatReply struct {
	OK     bool   `json:"ok"`
	Repeat Repeat `json:"repeat"`
}

type Volume struct {
	Volume int  `json:"volume"`
	Muted  bool `json:"muted"`
}

type VolumeRequest struct {
	Volume *int  `json:"volume,omitempty" sentence:"volume must be a whole number from 0 to 100"`
	Muted  *bool `json:"muted,omitempty"`
}

type VolumeReply struct {
	OK     bool `json:"ok"`
	Volume int  `json:"volume"`
	Muted  bool `json:"muted"`
}

type AddRequest struct {
	TrackIDs   []string `json:"track_ids,omitempty"`
	PlaylistID *string  `json:"playlist_id,omitempty"`
	ArtistID   *string  `json:"artist_id,omitempty"`
	AlbumID    *string  `json:"album_id,omitempty"`
	// A query as of `GET /api/songs` of the catalog, such as `sort=title&genre=Rock`; an empty one selects all songs.
	Songs       *string `json:"songs,omitempty"`
	At          *string `json:"at,omitempty" sentence:"at must be next or end"`
	Index       *int    `json:"index,omitempty"`
	AfterItemID *int    `json:"after_item_id,omitempty"`
}

type AddURLRequest struct {
	URL         string  `json:"url" sentence:"url must be a non-empty string"`
	Name        *string `json:"name,omitempty"`
	At          *string `json:"at,omitempty" sentence:"at must be next or end"`
	Index       *int    `json:"index,omitempty"`
	AfterItemID *int    `json:"after_item_id,omitempty"`
	Play        *bool   `json:"play,omitempty"`
}

type AddReply struct {
	OK    bool `json:"ok"`
	Added int  `json:"added"`
	// Ids of the new items.
	ItemIDs []int `json:"item_ids"`
}

type ReplaceRequest struct {
	TrackIDs   []string `json:"track_ids,omitempty"`
	PlaylistID *string  `json:"playlist_id,omitempty"`
	ArtistID   *string  `json:"artist_id,omitempty"`
	AlbumID    *string  `json:"album_id,omitempty"`
	// A query as of `GET /api/songs` of the catalog, such as `sort=title&genre=Rock`; an empty one selects all songs.
	Songs *string `json:"songs,omitempty"`
	Index *int    `json:"index,omitempty"`
	Play  *bool   `json:"play,omitempty"`
}

type ItemRequest struct {
	ItemID *int    `json:"item_id,omitempty"`
	Index  *int    `json:"index,omitempty"`
	ID     *string `json:"id,omitempty"`
}

type RemoveRequest struct {
	ItemID  *int    `json:"item_id,omitempty"`
	ItemIDs []int   `json:"item_ids,omitempty"`
	Index   *int    `json:"index,omitempty"`
	ID      *string `json:"id,omitempty"`
}

type MoveRequest struct {
	ItemID      *int    `json:"item_id,omitempty"`
	From        *int    `json:"from,omitempty"`
	ID          *string `json:"id,omitempty"`
	To          *int    `json:"to,omitempty"`
	AfterItemID *int    `json:"after_item_id,omitempty"`
}

type ShuffleListRequest struct {
	From *int `json:"from,omitempty"`
	To   *int `json:"to,omitempty"`
}

type PriorityRequest struct {
	ItemIDs  []int `json:"item_ids"`
	Priority int   `json:"priority" sentence:"priority must be a whole number from 0 to 255"`
}

// QueueEntry: an item of `/queue/items`.
type QueueEntry struct {
	ItemID int `json:"item_id"`
	Index  int `json:"index"`
	// Version of the queue at which the item or its index last changed.
	Version  int `json:"version"`
	Priority int `json:"priority"`
	// Id of the track.
	ID     string `json:"id"`
	Title  string `json:"title"`
	Artist string `json:"artist"`
	Album  string `json:"album"`
	// Milliseconds; 0 if unknown.
	Duration     float64 `json:"duration"`
	CoverURL     string  `json:"cover_url"`
	ThumbnailURL string  `json:"thumbnail_url"`
	// Of a track of the web; null for a song of the catalog.
	URL *string `json:"url"`
}

type QueueItems struct {
	// Version of the queue, as queue_version of a state event. Increases with each change, also across restarts.
	Version int `json:"version"`
	// Number of items in the queue.
	Length int `json:"length"`
	// Null when nothing is loaded.
	CurrentItemID *int         `json:"current_item_id"`
	Items         []QueueEntry `json:"items"`
}

// Mode: a setting that can be on for one track only.
type Mode string

// PlayerState: the state of the player.
type PlayerState string

type Modes struct {
	State     PlayerState `json:"state"`
	StopAfter Mode        `json:"stop_after"`
	Consume   Mode        `json:"consume"`
}

type ModesRequest struct {
	StopAfter *string `json:"stop_after,omitempty" sentence:"stop_after must be one of off, on, once"`
	Consume   *string `json:"consume,omitempty" sentence:"consume must be one of off, on, once"`
}

type ModesReply struct {
	OK        bool        `json:"ok"`
	State     PlayerState `json:"state"`
	StopAfter Mode        `json:"stop_after"`
	Consume   Mode        `json:"consume"`
}

type Output struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Active bool   `json:"active"`
}

type Outputs struct {
	Outputs []Output `json:"outputs"`
}

type OutputRequest struct {
	ID string `json:"id"`
}

type PairRequest struct {
	Name        string   `json:"name"`
	Permissions []string `json:"permissions"`
	// Lifetime of the token in seconds; absent or null: that of the token that approves it.
	ExpiresIn *int `json:"expires_in,omitempty"`
	// Seconds without use after which the token expires, at most those of the token that creates or approves it; absent or null: as for that token.
	IdleExpiresIn *int `json:"idle_expires_in,omitempty"`
	// Seconds: the request ends if the app does not send `POST /pair/claim` that often, because it has left; absent or null: it does not.
	PollWithin *int `json:"poll_within,omitempty"`
}

// Token: a credential of this API, without its secret.
type Token struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Permissions []string `json:"permissions"`
	// The web origin whose pages may use the token.
	Origin    *string         `json:"origin"`
	CreatedAt timestamp.Time  `json:"created_at"`
	ExpiresAt *timestamp.Time `json:"expires_at"`
	// Seconds without use after which the token expires; null: it need not be used.
	IdleExpiresIn *int            `json:"idle_expires_in"`
	LastUsedAt    *timestamp.Time `json:"last_used_at"`
	// Whether this is the token of the request.
	Current bool `json:"current"`
}

type TokenReply struct {
	Token Token `json:"token"`
}

type TokenList struct {
	Tokens []Token `json:"tokens"`
}

type TokenRequest struct {
	Name        string   `json:"name"`
	Permissions []string `json:"permissions"`
	Origin      *string  `json:"origin,omitempty"`
	// Seconds; absent or null: when the calling token expires.
	ExpiresIn *int `json:"expires_in,omitempty"`
	// Seconds without use after which the token expires, at most those of the token that creates or approves it; absent or null: as for that token.
	IdleExpiresIn *int `json:"idle_expires_in,omitempty"`
}

type TokenWithSecret struct {
	// Only in this response.
	Secret string `json:"secret"`
	Token  Token  `json:"token"`
}

type TokenRevoke struct {
	ID string `json:"id"`
}

type IdentityRequest struct {
	// Identifies the token.
	Fingerprint string `json:"fingerprint"`
	// Random characters.
	Nonce string `json:"nonce"`
}

type Identity struct {
	Signature string `json:"signature"`
}

type PairReply struct {
	// Claims the token; keep it secret.
	ID string `json:"id"`
	// Display it to the user.
	Code      string         `json:"code"`
	ExpiresAt timestamp.Time `json:"expires_at"`
}

type PairRequested struct {
	Name        string         `json:"name"`
	Code        string         `json:"code"`
	Permissions []string       `json:"permissions"`
	ExpiresAt   timestamp.Time `json:"expires_at"`
	// Names the request when it is approved or denied; not a secret.
	Request string `json:"request"`
}

type PairList struct {
	Waiting []PairRequested `json:"waiting"`
}

type PairApproveRequest struct {
	Code string `json:"code"`
	// Permissions to grant; absent or empty: those that the app requested.
	Permissions []string `json:"permissions,omitempty"`
	// The `request` of the listed request; absent or null: any request with that code.
	Request *string `json:"request,omitempty"`
}

type PairApproved struct {
	OK          bool     `json:"ok"`
	Name        string   `json:"name"`
	Permissions []string `json:"permissions"`
	// When the app's token expires, at the latest; null: never.
	ExpiresAt *timestamp.Time `json:"expires_at"`
}

type PairDenyRequest struct {
	Code string `json:"code"`
	// The `request` of the listed request; absent or null: any request with that code.
	Request *string `json:"request,omitempty"`
}

type PairDenied struct {
	OK   bool   `json:"ok"`
	Name string `json:"name"`
}

type PairInviteRequest struct {
	Name        string   `json:"name"`
	Permissions []string `json:"permissions"`
	// Lifetime of the token in seconds; absent or null: that of the calling token.
	ExpiresIn *int `json:"expires_in,omitempty"`
	// Seconds without use after which the token expires, at most those of the token that creates or approves it; absent or null: as for that token.
	IdleExpiresIn *int `json:"idle_expires_in,omitempty"`
}

type PairInvited struct {
	// Claims the token; keep it secret.
	ID string `json:"id"`
	// Names the invitation; not a secret.
	Request   string         `json:"request"`
	ExpiresAt timestamp.Time `json:"expires_at"`
}

type PairPhone struct {
	// Signs in the phone; keep it secret.
	Link string `json:"link"`
	// The address of the web player without the invitation.
	Address string `json:"address"`
	// Names the invitation; not a secret.
	Request   string         `json:"request"`
	ExpiresAt timestamp.Time `json:"expires_at"`
	// The link as a QR code without its margin: a text for each row, with 1 for dark.
	Qr []string `json:"qr"`
}

type PairInvitation struct {
	// Whether the token was claimed.
	Claimed   bool           `json:"claimed"`
	ExpiresAt timestamp.Time `json:"expires_at"`
}

type PairClaimRequest struct {
	ID string `json:"id"`
	// Names the token of an invitation, in place of the name in the invitation.
	Name *string `json:"name,omitempty"`
}

type PairCancelRequest struct {
	ID string `json:"id"`
}

type OverlayReport struct {
	Problem OverlayProblemName `json:"problem"`
}

// OverlayProblem: an overlay shows nothing.
type OverlayProblem struct {
	Problem OverlayProblemName `json:"problem"`
	// The overlay reports the problem again before this time.
	ExpiresAt timestamp.Time `json:"expires_at"`
}

// OverlayProblemName: `no_token`: its address has no token; `refused`: its token is not valid.
type OverlayProblemName string

type PairWaiting struct {
	Status    string         `json:"status"`
	ExpiresAt timestamp.Time `json:"expires_at"`
}

type PairClaimed struct {
	Token       string   `json:"token"`
	Name        string   `json:"name"`
	Permissions []string `json:"permissions"`
	// When the token expires; null: never.
	ExpiresAt *timestamp.Time `json:"expires_at"`
}

type Ready struct {
	Ready bool `json:"ready"`
}
