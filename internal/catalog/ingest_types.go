package catalog

import (
	"strconv"
	"strings"
	"time"

	"waxwing/internal/words"
)

// FileRef names one file of a music folder. Root is the folder as the operator named it, made
// absolute, or a name with a colon for what is no folder of the disk ("demo:"). Path is relative
// to Root, with slashes; it may hold any bytes a file name may hold.
type FileRef struct {
	Root string
	Path string
}

// SyntheticRoot begins the Root of songs without files, such as those of bench/fill. Roots and
// RootsInUse leave them out, so no scan can lose their songs.
const SyntheticRoot = "synthetic:"

// File is a file as it was when it was last read. A file whose Size and ModTime are those of the
// catalog need not be opened again.
type File struct {
	FileRef
	Size    int64
	ModTime time.Time // kept to the microsecond
}

// KnownFile is a file as the catalog remembers it: it made the song SongID, or it could not be
// read because of Problem. Missing tells that the file had vanished when it was last looked for.
type KnownFile struct {
	File
	SongID  string
	Problem string
	Missing bool
}

// IdentityKind says by what a song may be recognised again, in the order of trust.
type IdentityKind string

const (
	ByAudio       IdentityKind = "audio"       // hash of the sound without tags
	ByMusicBrainz IdentityKind = "musicbrainz" // recording id, together with the release id where there is one
	ByTags        IdentityKind = "tags"        // see TagIdentity
	ByPath        IdentityKind = "path"        // never stored: the files know their songs, see Files and FindFile
)

// Identity is one mark of a song. Two songs may share one (the same recording on two albums, a
// copied file): the reader chooses among the matches.
type Identity struct {
	Kind  IdentityKind
	Value string
}

// TagIdentity is the identity of a song by what its tags say.
func TagIdentity(artist, album, title string, disc, track int) Identity {
	parts := []string{words.Key(artist), words.Key(album), words.Key(title), strconv.Itoa(disc), strconv.Itoa(track)}
	return Identity{Kind: ByTags, Value: strings.Join(parts, keySeparator)}
}

// IdentityMatch is a song that carries an identity that was asked for, with the file it was last
// made from, so that the reader can tell a moved song (file gone) from a copied one (file there).
type IdentityMatch struct {
	Identity
	SongID    string
	File      FileRef
	Available bool
}

// Role is what an artist did for a song.
type Role string

const (
	MainArtist     Role = "main"
	FeaturedArtist Role = "featured"
	AlbumArtist    Role = "album"
	Composer       Role = "composer"
	Conductor      Role = "conductor"
	Remixer        Role = "remixer"
)

// ArtistTag is an artist as a file names it. Artists of equal MusicBrainz id are one; of equal
// folded name too, unless their MusicBrainz ids differ. The store finds or makes the artist and
// gives it a username that it keeps for ever.
type ArtistTag struct {
	Name        string
	SortName    string // empty: derived from Name ("The Beatles" sorts as "beatles")
	MusicBrainz string
}

// Credit is an artist's part in a song.
type Credit struct {
	Artist ArtistTag
	Role   Role
}

// AlbumTag is an album as a file names it. Albums of equal Key are one.
type AlbumTag struct {
	Title       string
	Artists     []ArtistTag // album artists; empty for a compilation of many
	MusicBrainz string      // release id
	Year        int         // 0: unknown
	Compilation bool
	// Key keeps albums apart: MusicBrainz release id, or folded album artist and title, or the
	// folder for a compilation without album artist. Empty: the store derives it from the above.
	Key string
	// Cover is the album's picture; nil leaves the one it has, or a generated one.
	Cover *Cover
}

// CoverSource says where the original of a picture is.
type CoverSource string

const (
	CoverInAudio   CoverSource = "audio"     // inside the audio file File
	CoverInFile    CoverSource = "file"      // the image file File
	CoverGenerated CoverSource = "generated" // randomHex from Seed
	CoverStored    CoverSource = "stored"    // given by a user, kept in the data folder under its hash
)

// Cover is a picture, named by the hash of its content (lower-case hex, 16 to 64 digits) so that
// its URL may be cached for ever. A generated one is named by its seed (see GeneratedCover).
type Cover struct {
	Hash   string
	Source CoverSource
	File   FileRef
	Seed   string
}

// ReplayGain holds what the tags say, in dB and as a linear peak; nil is unknown.
type ReplayGain struct {
	TrackGain, TrackPeak *float64
	AlbumGain, AlbumPeak *float64
}

// ScannedSong is a song as it was read from a file: what IngestSongs takes.
type ScannedSong struct {
	// ID is the song this file is, as found by FindIdentities; empty makes a new song.
	ID   string
	File File

	Title string // empty: the scanner puts the file's name without extension
	// Artist is the credit line as printed ("A feat. B"); empty: the names of the main and
	// featured artists joined.
	Artist  string
	Credits []Credit  // at least one MainArtist, or none when the file names nobody
	Album   *AlbumTag // nil: a song without album

	Track, Disc int // 0: unknown
	Duration    time.Duration
	Year        int    // 0: unknown
	Genre       string // empty: unknown
	Explicit    *bool  // nil: unknown
	Format      string // mp3, flac, vorbis, opus, aac, alac, wav, aiff: see ContentType
	Bitrate     int    // kbit/s; 0: unknown
	Gain        ReplayGain

	// Cover is the song's own picture; nil: the album's, or a generated one.
	Cover *Cover
	// Identities replaces all identities that the song had.
	Identities []Identity
}

// Problem is a file that could not become a song, with one sentence for the operator.
type Problem struct {
	File     File
	Sentence string
}
