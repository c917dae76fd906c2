// Code generated from api/catalog.yaml by api/gen. DO NOT EDIT.

// Package catalogapi holds the wire types of api/catalog.yaml.
package catalogapi

import "waxwing/api/timestamp"

// ErrorCode: names an error for programs. Later versions can add codes: treat an unknown one by the status of the response.
type ErrorCode string

// Error: an error.
type Error struct {
	// A message for a person.
	Error string    `json:"error"`
	Code  ErrorCode `json:"code"`
}

// OK: the reply to a successful request without data.
type OK struct {
	OK bool `json:"ok"`
}

// Health: the state of the server.
type Health struct {
	OK     bool   `json:"ok"`
	Status string `json:"status"`
	// What is wrong with the object storage of the music, as far as `/ready` knows; null if nothing.
	Storage *string `json:"storage"`
}

// ArtistRef: a reference to an artist.
type ArtistRef struct {
	ID       string `json:"id"`
	Username string `json:"username"`
	Name     string `json:"name"`
}

// UserRef: a reference to a user.
type UserRef struct {
	ID       string `json:"id"`
	Username string `json:"username"`
	Name     string `json:"name"`
}

// Me: what the user of the key did with an object; present with `with=me`.
type Me struct {
	Liked bool `json:"liked"`
	// 0: not rated.
	Rating int `json:"rating"`
	// Own plays; of an album or artist, those of its songs.
	PlayCount    int             `json:"play_count"`
	LastPlayedAt *timestamp.Time `json:"last_played_at"`
}

// Song: a song of the catalog.
type Song struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// The artist text of the file's tags.
	Artist *string `json:"artist"`
	// The first main artist.
	ArtistID *string `json:"artist_id"`
	// The main and featured artists.
	Artists     []ArtistRef `json:"artists"`
	Album       *string     `json:"album"`
	AlbumID     *string     `json:"album_id"`
	TrackNumber *int        `json:"track_number"`
	DiscNumber  *int        `json:"disc_number"`
	// Milliseconds.
	Duration int     `json:"duration"`
	Year     *int    `json:"year"`
	Genre    *string `json:"genre"`
	Explicit *bool   `json:"explicit"`
	// Absolute; needs no key.
	CoverURL string `json:"cover_url"`
	// The cover at 300 pixels.
	ThumbnailURL string `json:"thumbnail_url"`
	// Stable; needs a key.
	StreamURL string `json:"stream_url"`
	// mp3, flac, vorbis, opus, aac, alac, wav, aiff or another.
	Format string `json:"format"`
	// Kilobits per second.
	Bitrate   *int `json:"bitrate"`
	PlayCount int  `json:"play_count"`
	// Whether the file exists.
	Available bool           `json:"available"`
	CreatedAt timestamp.Time `json:"created_at"`
	UpdatedAt timestamp.Time `json:"updated_at"`
	Me        *Me            `json:"me,omitempty"`
	File      *SongFile      `json:"file,omitempty"`
}

// PlaylistSong: an entry of a playlist.
type PlaylistSong struct {
	Song
	// Counted from 0.
	Position int            `json:"position"`
	AddedAt  timestamp.Time `json:"added_at"`
}

// Album: an album.
type Album struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	// The album artists.
	Artist *string `json:"artist"`
	// The first album artist.
	ArtistID    *string     `json:"artist_id"`
	Artists     []ArtistRef `json:"artists"`
	Year        *int        `json:"year"`
	Compilation bool        `json:"compilation"`
	SongCount   int         `json:"song_count"`
	// Milliseconds.
	Duration     int            `json:"duration"`
	CoverURL     string         `json:"cover_url"`
	ThumbnailURL string         `json:"thumbnail_url"`
	CreatedAt    timestamp.Time `json:"created_at"`
	UpdatedAt    timestamp.Time `json:"updated_at"`
	Me           *Me            `json:"me,omitempty"`
}

// Artist: an artist.
type Artist struct {
	ID string `json:"id"`
	// Derived from the name, never changes.
	Username   string         `json:"username"`
	Name       string         `json:"name"`
	Bio        *string        `json:"bio"`
	ImageURL   string         `json:"image_url"`
	SongCount  int            `json:"song_count"`
	AlbumCount int            `json:"album_count"`
	PlayCount  int            `json:"play_count"`
	CreatedAt  timestamp.Time `json:"created_at"`
	UpdatedAt  timestamp.Time `json:"updated_at"`
	Me         *Me            `json:"me,omitempty"`
}

// Playlist: a playlist.
type Playlist struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Description *string `json:"description"`
	Owner       UserRef `json:"owner"`
	Public      bool    `json:"public"`
	SongCount   int     `json:"song_count"`
	// Milliseconds.
	Duration     int            `json:"duration"`
	CoverURL     string         `json:"cover_url"`
	ThumbnailURL string         `json:"thumbnail_url"`
	CreatedAt    timestamp.Time `json:"created_at"`
	UpdatedAt    timestamp.Time `json:"updated_at"`
	Me           *Me            `json:"me,omitempty"`
	Rules        *Rules         `json:"rules,omitempty"`
}

// User: a public profile.
type User struct {
	ID              string  `json:"id"`
	Username        string  `json:"username"`
	Name            string  `json:"name"`
	ProfileImageURL string  `json:"profile_image_url"`
	Bio             *string `json:"bio"`
	// Number of public playlists.
	PlaylistCount int            `json:"playlist_count"`
	CreatedAt     timestamp.Time `json:"created_at"`
}

type SongList struct {
	Songs []Song `json:"songs"`
	Page  int    `json:"page"`
	Limit int    `json:"limit"`
	// Rows on all pages.
	Total int `json:"total"`
}

type PlaylistSongList struct {
	Songs []PlaylistSong `json:"songs"`
	Page  int            `json:"page"`
	Limit int            `json:"limit"`
	// Rows on all pages.
	Total int `json:"total"`
}

type AlbumList struct {
	Albums []Album `json:"albums"`
	Page   int     `json:"page"`
	Limit  int     `json:"limit"`
	// Rows on all pages.
	Total int `json:"total"`
}

type ArtistList struct {
	Artists []Artist `json:"artists"`
	Page    int      `json:"page"`
	Limit   int      `json:"limit"`
	// Rows on all pages.
	Total int `json:"total"`
}

type PlaylistList struct {
	Playlists []Playlist `json:"playlists"`
	Page      int        `json:"page"`
	Limit     int        `json:"limit"`
	// Rows on all pages.
	Total int `json:"total"`
}

type Trending struct {
	Songs []Song `json:"songs"`
	Limit int    `json:"limit"`
}

type SongReply struct {
	Song Song      `json:"song"`
	Gain *Gain     `json:"gain,omitempty"`
	File *SongFile `json:"file,omitempty"`
}

// Gain: ReplayGain of a song, from its tags. Present with `with=gain`. Gains are in dB towards -18 LUFS; peaks are linear, 1 is full scale.
type Gain struct {
	TrackGain *float64 `json:"track_gain"`
	TrackPeak *float64 `json:"track_peak"`
	AlbumGain *float64 `json:"album_gain"`
	AlbumPeak *float64 `json:"album_peak"`
}

type LyricsReply struct {
	Lyrics []Lyrics `json:"lyrics"`
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

// SongFile: What is known about the file of a song. Present with `with=file`.
type SongFile struct {
	// Path below its music folder.
	Path *string `json:"path"`
	// Bytes.
	Size *int `json:"size"`
	// When the file was changed.
	ModifiedAt *timestamp.Time `json:"modified_at"`
	// Hz.
	SampleRate *int `json:"sample_rate"`
	Channels   *int `json:"channels"`
	// Bits per sample of a lossless format.
	BitDepth *int `json:"bit_depth"`
	// The artists of the album.
	AlbumArtist *string `json:"album_artist"`
	// Whether the cover is a picture of the file or its folder. Otherwise it was generated.
	Picture bool `json:"picture"`
	// All genres of the song.
	Genres    []string `json:"genres"`
	Composers []string `json:"composers"`
	// The date of the tags: `2006`, `2006-01` or `2006-01-02`.
	Released    *string     `json:"released"`
	Musicbrainz MusicBrainz `json:"musicbrainz"`
}

// MusicBrainz: Identifiers at MusicBrainz, from the tags.
type MusicBrainz struct {
	RecordingID *string `json:"recording_id"`
	// The recording on this album.
	TrackID *string `json:"track_id"`
	// The release.
	AlbumID        *string  `json:"album_id"`
	ArtistIDs      []string `json:"artist_ids"`
	AlbumArtistIDs []string `json:"album_artist_ids"`
}

type Genre struct {
	Name string `json:"name"`
	// Available songs.
	SongCount int `json:"song_count"`
	// Albums with at least one of these songs.
	AlbumCount int `json:"album_count"`
}

type GenreReply struct {
	Genre Genre `json:"genre"`
}

type GenreList struct {
	Genres []Genre `json:"genres"`
	Page   int     `json:"page"`
	Limit  int     `json:"limit"`
	// Rows on all pages.
	Total int `json:"total"`
}

type Year struct {
	Year int `json:"year"`
	// Available songs of the year.
	SongCount int `json:"song_count"`
	// Albums of the year.
	AlbumCount int `json:"album_count"`
}

type YearList struct {
	Years []Year `json:"years"`
	Page  int    `json:"page"`
	Limit int    `json:"limit"`
	// Rows on all pages.
	Total int `json:"total"`
}

type AlbumReply struct {
	Album Album `json:"album"`
}

type ArtistReply struct {
	Artist Artist `json:"artist"`
}

type PlaylistReply struct {
	Playlist Playlist `json:"playlist"`
}

type UserReply struct {
	User User `json:"user"`
}

type SearchReply struct {
	Query     string     `json:"query"`
	Limit     int        `json:"limit"`
	Songs     []Song     `json:"songs"`
	Artists   []Artist   `json:"artists"`
	Albums    []Album    `json:"albums"`
	Playlists []Playlist `json:"playlists"`
}

type Link struct {
	URL       string         `json:"url"`
	ExpiresAt timestamp.Time `json:"expires_at"`
}

type NewPlaylist struct {
	// 1 to 200 characters.
	Name        string  `json:"name"`
	Description *string `json:"description,omitempty"`
	// Default false.
	Public  *bool    `json:"public,omitempty"`
	SongIDs []string `json:"song_ids,omitempty"`
	Rules   *Rules   `json:"rules,omitempty"`
}

type PlaylistChange struct {
	Name        *string `json:"name,omitempty"`
	Description *string `json:"description,omitempty"`
	Public      *bool   `json:"public,omitempty"`
	Rules       *Rules  `json:"rules,omitempty"`
}

// Rules: what selects the songs of a smart playlist. `rating`, `liked`, `play_count` and `last_played` are those of its owner.
type Rules struct {
	// Whether a song must match all rules or any.
	Match string `json:"match"`
	Rules []Rule `json:"rules"`
	// Default added.
	Sort *string `json:"sort,omitempty"`
	// Direction of the order. The default depends on sort.
	Order *string `json:"order,omitempty"`
	// Greatest number of songs; 0: all.
	Limit *int `json:"limit,omitempty"`
}

// Rule: a comparison with field, op and value, or a group of rules with match and rules. Groups are at most 5 deep, with at most 100 rules together.
type Rule struct {
	Field *string `json:"field,omitempty"`
	Op    *string `json:"op,omitempty"`
	// A text of 1 to 200 characters; a whole number (duration: milliseconds); true or false; a date, a time or a number of days ago such as 30d; for in and between a list; for in_last a number of days.
	Value any     `json:"value,omitempty"`
	Match *string `json:"match,omitempty"`
	Rules []Rule  `json:"rules,omitempty"`
}

type ReplaceSongs struct {
	SongIDs []string `json:"song_ids"`
}

type StartScan struct {
	// Read files that did not change, too. Default false.
	Full *bool `json:"full,omitempty"`
}

type AddSongs struct {
	SongIDs []string `json:"song_ids"`
	// Insert before this entry; absent: at the end.
	Position *int `json:"position,omitempty"`
}

type MoveSong struct {
	// Id of the song at this position.
	SongID string `json:"song_id"`
	// New position of the entry.
	To int `json:"to"`
}

type NewPlay struct {
	SongID string `json:"song_id"`
	// When playback began, RFC 3339; absent: now.
	PlayedAt *string `json:"played_at,omitempty"`
}

type PlayReply struct {
	OK bool `json:"ok"`
	// False if the same listener played the same song within 30 minutes.
	Counted bool `json:"counted"`
}

// Like: something that the user likes; exactly one of the objects is present.
type Like struct {
	LikedAt  timestamp.Time `json:"liked_at"`
	Song     *Song          `json:"song,omitempty"`
	Album    *Album         `json:"album,omitempty"`
	Artist   *Artist        `json:"artist,omitempty"`
	Playlist *Playlist      `json:"playlist,omitempty"`
}

// LikeList: a page of likes.
type LikeList struct {
	Likes []Like `json:"likes"`
	Page  int    `json:"page"`
	Limit int    `json:"limit"`
	Total int    `json:"total"`
}

type NewRating struct {
	Rating int `json:"rating" sentence:"rating must be a whole number from 0 to 5"`
}

// HistoryEntry: one play of the user.
type HistoryEntry struct {
	PlayID   string         `json:"play_id"`
	PlayedAt timestamp.Time `json:"played_at"`
	// Name of the key that reported the play; null: unknown.
	Source *string `json:"source"`
	Song   Song    `json:"song"`
}

// HistoryList: a page of plays.
type HistoryList struct {
	History []HistoryEntry `json:"history"`
	Page    int            `json:"page"`
	Limit   int            `json:"limit"`
	Total   int            `json:"total"`
}

// Top: what the user played, with the number of plays; exactly one of the objects is present.
type Top struct {
	// Own plays in the period.
	PlayCount int     `json:"play_count"`
	Song      *Song   `json:"song,omitempty"`
	Album     *Album  `json:"album,omitempty"`
	Artist    *Artist `json:"artist,omitempty"`
}

// TopList: a page of what the user played most.
type TopList struct {
	Top   []Top `json:"top"`
	Page  int   `json:"page"`
	Limit int   `json:"limit"`
	Total int   `json:"total"`
}

// PersonalVersion: the version of what the user of the key likes, rates and plays.
type PersonalVersion struct {
	// Opaque.
	Version string `json:"version"`
}

// Scan: the running scan, or the last one.
type Scan struct {
	// Also while a requested scan waits to begin.
	Running      bool `json:"running"`
	FilesFound   int  `json:"files_found"`
	FilesDone    int  `json:"files_done"`
	SongsAdded   int  `json:"songs_added"`
	SongsChanged int  `json:"songs_changed"`
	SongsMissing int  `json:"songs_missing"`
	// Files that cannot be read.
	Problems int `json:"problems"`
	// Null if there was no scan yet.
	StartedAt  *timestamp.Time `json:"started_at"`
	FinishedAt *timestamp.Time `json:"finished_at"`
	// An estimate.
	SecondsLeft *float64 `json:"seconds_left"`
	// Changes when songs are added, changed or removed. Opaque: compare for equality only.
	SongsVersion string `json:"songs_version"`
}

// Revision: the data of an event of /api/events.
type Revision struct {
	// Identifies the content of the catalog. Opaque: compare for equality only.
	Revision string `json:"revision"`
	// Changes when songs are added, changed or removed. Opaque: compare for equality only.
	SongsVersion string `json:"songs_version"`
}

// Folder: a music folder.
type Folder struct {
	Name string `json:"name"`
	// Available songs.
	SongCount int `json:"song_count"`
	// Files that cannot be read.
	Problems int `json:"problems"`
}

type FolderList struct {
	Folders []Folder `json:"folders"`
}

type ScanReply struct {
	Scan Scan `json:"scan"`
}

// Key: a credential of this API, without its secret.
type Key struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Owner       UserRef  `json:"owner"`
	Permissions []string `json:"permissions"`
	// Whether it is the key of an app that speaks the Subsonic API, at `/rest`.
	App        bool            `json:"app"`
	CreatedAt  timestamp.Time  `json:"created_at"`
	ExpiresAt  *timestamp.Time `json:"expires_at"`
	LastUsedAt *timestamp.Time `json:"last_used_at"`
	// When the secret was last rotated.
	RotatedAt *timestamp.Time `json:"rotated_at"`
	// Whether this is the key of the request.
	Current bool `json:"current"`
}

type KeyList struct {
	Keys []Key      `json:"keys"`
	Apps AppAddress `json:"apps"`
}

// AppAddress: the address that is entered in apps that speak the Subsonic API.
type AppAddress struct {
	// Null: other devices cannot reach this catalog.
	URL *string `json:"url"`
	// What to change so that they can; null if `url` is not.
	Advice *string `json:"advice"`
}

// AppLink: a link that shows the login of an app on the device that opens it. It contains the secret.
type AppLink struct {
	// The page `/connect` of the catalog; user name and secret are in the fragment, which no server receives.
	URL string `json:"url"`
	// The link as a QR code without its margin: a text for each row, with 1 for dark.
	Qr []string `json:"qr"`
}

type KeyReply struct {
	Key Key `json:"key"`
}

type IdentityRequest struct {
	// Identifies the key.
	Fingerprint string `json:"fingerprint"`
	// Random characters.
	Nonce string `json:"nonce"`
}

type Identity struct {
	Signature string `json:"signature"`
}

type KeyRequest struct {
	Name        string   `json:"name"`
	Permissions []string `json:"permissions"`
	// Creates a key for an app that speaks the Subsonic API. It is accepted at `/rest` only, has a secret of 64 characters that begins with `wxa_`, and has the permission `read`, optionally `write`. A user can have 32 of them.
	App *bool `json:"app,omitempty"`
	// Seconds; absent or null: when the calling key expires.
	ExpiresIn *int `json:"expires_in,omitempty"`
}

type KeyWithSecret struct {
	// Only in this response.
	Secret string   `json:"secret"`
	Key    Key      `json:"key"`
	Link   *AppLink `json:"link,omitempty"`
}
