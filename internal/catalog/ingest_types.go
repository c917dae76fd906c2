package catalog

import (
	"strconv"
	"strings"
	"time"

	"waxwing/internal/lyrics"
	"waxwing/internal/words"
)

// FileRef identifies a file of a music folder. Root is the absolute path of the folder, or a name
// with a colon that is not a folder on the disk ("demo:"). Path is relative to Root, with slashes,
// and may contain any bytes.
type FileRef struct {
	Root string
	Path string
}

// SyntheticRoot begins the Root of songs without files, such as those of bench/fill. Roots and
// RootsInUse leave them out, so no scan can lose their songs.
const SyntheticRoot = "synthetic:"

// File is a file as of its last read. A scan skips files whose Size and ModTime are unchanged.
type File struct {
	FileRef
	Size    int64
	ModTime time.Time // with microseconds
}

// KnownFile is a file in the catalog: the file of song SongID, or one that could not be read
// because of Problem. Missing is true if the last scan did not find it.
type KnownFile struct {
	File
	SongID  string
	Problem string
	Missing bool
}

// IdentityKind is a way to recognise a song, the most reliable first.
type IdentityKind string

const (
	ByAudio       IdentityKind = "audio"       // hash of the audio without tags
	ByMusicBrainz IdentityKind = "musicbrainz" // recording id, together with the release id where there is one
	ByTags        IdentityKind = "tags"        // see TagIdentity
	ByPath        IdentityKind = "path"        // never stored: see Files and FindFile
)

// Identity is a key by which a song is recognised. Songs may share one, for example copies of a
// file; the scanner chooses among the matches.
type Identity struct {
	Kind  IdentityKind
	Value string
}

// TagIdentity is the identity of a song by what its tags say.
func TagIdentity(artist, album, title string, disc, track int) Identity {
	parts := []string{words.Key(artist), words.Key(album), words.Key(title), strconv.Itoa(disc), strconv.Itoa(track)}
	return Identity{Kind: ByTags, Value: strings.Join(parts, keySeparator)}
}

// IdentityMatch is a song with a requested identity, and its last known file: if that is missing,
// the song has moved, otherwise it was copied.
type IdentityMatch struct {
	Identity
	SongID    string
	File      FileRef
	Available bool
}

// Role is an artist's role in a song.
type Role string

const (
	MainArtist     Role = "main"
	FeaturedArtist Role = "featured"
	AlbumArtist    Role = "album"
	Composer       Role = "composer"
	Conductor      Role = "conductor"
	Remixer        Role = "remixer"
)

// ArtistTag is an artist in the tags of a file. Artists with equal MusicBrainz ids are the same;
// those with equal folded names, too, unless their MusicBrainz ids differ. The store finds or
// creates the artist. Its username never changes.
type ArtistTag struct {
	Name        string
	SortName    string // empty: derived from Name ("The Beatles" sorts as "beatles")
	MusicBrainz string
}

// Credit is an artist with a role in a song.
type Credit struct {
	Artist ArtistTag
	Role   Role
}

// AlbumTag is an album in the tags of a file. Albums with equal Key are the same.
type AlbumTag struct {
	Title       string
	Artists     []ArtistTag // album artists; empty for a compilation of many
	MusicBrainz string      // release id
	Year        int         // 0: unknown
	Compilation bool
	// Key identifies the album: the MusicBrainz release id, folded album artists and title, or
	// CompilationKey. Empty: the store derives it from the other fields.
	Key string
	// Cover is the album's picture; nil keeps the stored or generated one.
	Cover *Cover
}

// CoverSource is where the original of a picture is.
type CoverSource string

const (
	CoverInAudio   CoverSource = "audio"     // inside the audio file File
	CoverInFile    CoverSource = "file"      // the image file File
	CoverGenerated CoverSource = "generated" // generated from Seed
	CoverStored    CoverSource = "stored"    // uploaded by a user, in the data folder under its hash
)

// Cover is a picture, identified by the hash of its content (32 lower-case hex digits), so
// that its URL can be cached for ever. The hash of a generated one is that of its seed.
type Cover struct {
	Hash   string
	Source CoverSource
	File   FileRef
	Seed   string
}

// ReplayGain holds gains in dB and linear peaks; nil is unknown.
type ReplayGain struct {
	TrackGain, TrackPeak *float64
	AlbumGain, AlbumPeak *float64
}

// Details is what a file says beyond the song of the API. 0 and "" are unknown.
type Details struct {
	SampleRate  int // Hz
	Channels    int
	BitDepth    int    // of lossless formats
	Released    string // "2006", "2006-01" or "2006-01-02"
	Composers   []string
	MusicBrainz MusicBrainzIDs
}

// MusicBrainzIDs are the identifiers of a song at MusicBrainz.
type MusicBrainzIDs struct {
	Recording string
	Track     string // the recording on this release
	Album     string // release
	Artists   []string

	AlbumArtists []string
}

// ScannedSong is a song read from a file, the input of IngestSongs.
type ScannedSong struct {
	// ID is the song of this file, as found by FindIdentities; empty creates a song.
	ID   string
	File File

	Title string // empty: "Untitled"
	// Artist is the credit line ("A feat. B"); empty: derived from the main and featured artists.
	Artist  string
	Credits []Credit  // at least one MainArtist, or none if the artist is unknown
	Album   *AlbumTag // nil: no album

	Track, Disc int // 0: unknown
	Duration    time.Duration
	Year        int      // 0: unknown
	Genres      []string // the first is the genre of the API's song
	Explicit    *bool    // nil: unknown
	Format      string   // mp3, flac, vorbis, opus, aac, alac, wav, aiff: see ContentType
	Bitrate     int      // kbit/s; 0: unknown
	Gain        ReplayGain
	Details     Details

	// Lyrics are the texts in the tags, LyricFiles those in files beside the song.
	Lyrics, LyricFiles []lyrics.Text

	// Cover is the song's own picture; nil: the album's, or a generated one.
	Cover *Cover
	// Identities replaces all identities that the song had.
	Identities []Identity
}

// Problem is a file that could not be read, with a message for the operator.
type Problem struct {
	File     File
	Sentence string
}
