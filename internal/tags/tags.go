// Package tags reads the metadata of audio files: names, numbers, identifiers, gain, length and the
// location of the cover. internal/media parses the formats; this package gives the values their
// meaning.
//
// Only headers are read, in a few small reads per file. Files are not trusted: lengths are checked
// before memory is allocated, loops are bounded, and every string is valid UTF-8 without control
// characters.
package tags

import (
	"errors"
	"io"
	"time"

	"waxwing/internal/lyrics"
	"waxwing/internal/media"
	"waxwing/internal/media/id3"
	"waxwing/internal/media/text"
	"waxwing/internal/media/window"
)

// Errors that the error of Read wraps.
var (
	ErrUnknownFormat = media.ErrUnknownFormat // the content is of no supported format
	ErrDamaged       = window.ErrDamaged      // the format is known, but its headers are invalid
)

// Tags is the result of Read. Absent text is "", absent numbers are 0, absent lists are nil.
type Tags struct {
	Title   string
	Artist  string   // the credit as printed, such as "Queen & David Bowie"
	Artists []string // the values of the file; one value may still name several artists
	// ArtistList reports that the file lists its artists separately, so that Artists must not be
	// split.
	ArtistList bool

	Album           string
	AlbumArtist     string
	AlbumArtists    []string
	AlbumArtistList bool

	TitleSort, AlbumSort          string
	ArtistSorts, AlbumArtistSorts []string

	Track, TrackTotal int
	Disc, DiscTotal   int
	Date              string // "2006", "2006-01" or "2006-01-02"
	Year              int
	Genres            []string
	Composers         []string
	Explicit          *bool // nil when absent
	Compilation       bool

	MusicBrainz MusicBrainz
	Gain        Gain
	Lyrics      []lyrics.Text // of all tags of the file, repeated ones once

	Format     Format
	Duration   time.Duration // without encoder delay and padding; 0 when unknown
	Bitrate    int           // kbit/s, averaged over the file
	SampleRate int           // Hz
	Channels   int
	BitDepth   int // bits per sample of lossless audio, 0 otherwise

	Picture Picture // the front cover, or else the first picture
	Audio   Range   // the encoded audio without tags and container headers
	// AudioID is equal for two files with the same encoded audio and different tags. It is computed
	// from the length and parts of the audio, or from FLAC's checksum of the samples.
	AudioID [16]byte
}

// MusicBrainz holds identifiers in their canonical lower-case form.
type MusicBrainz struct {
	Recording    string
	Track        string // the recording on this release
	Release      string
	Artists      []string
	AlbumArtists []string
}

// Gain is the loudness correction of the file.
type Gain = media.Gain

// Range is a run of bytes in the file.
type Range struct{ Off, Len int64 }

// Format is the codec of a file, or the container of uncompressed audio.
type Format string

// The supported formats. The last group needs an external decoder to play.
const (
	MP3    Format = "mp3"
	FLAC   Format = "flac"
	Vorbis Format = "vorbis"
	Opus   Format = "opus"
	AAC    Format = "aac"
	ALAC   Format = "alac"
	WAV    Format = "wav"
	AIFF   Format = "aiff"

	MP1     Format = "mp1" // MPEG audio of Layer I
	MP2     Format = "mp2"
	Speex   Format = "speex"
	WMA     Format = "wma"
	APE     Format = "ape"
	WavPack Format = "wavpack"
	MPC     Format = "musepack"
	DSF     Format = "dsf"
)

// Read reads the metadata of a file of the given size. The format is identified by the content
// alone. An error wraps ErrUnknownFormat, ErrDamaged, or the error of r.
func Read(r io.ReaderAt, size int64) (Tags, error) { return new(Reader).Read(r, size) }

// Reader reads many files with the same memory. The zero value is ready for use by one goroutine.
type Reader struct{ window window.Reader }

// Read is the function Read. A panic of a parser is an error that wraps ErrDamaged.
func (rd *Reader) Read(r io.ReaderAt, size int64) (tags Tags, err error) {
	defer func() {
		if v := recover(); v != nil {
			*rd = Reader{}
			tags, err = Tags{}, window.Damaged("its reader failed: %v", v)
		}
	}()
	rd.window.Reset(r, size)
	p := &parser{Reader: &rd.window}
	if err := p.parse(); err != nil {
		return Tags{}, err
	}
	if p.tags.SampleRate <= 0 || p.tags.SampleRate > maxRate || p.tags.Channels <= 0 || p.tags.Channels > maxChannels {
		return Tags{}, window.Damaged("audio with %d channels of %d Hz", p.tags.Channels, p.tags.SampleRate)
	}
	if p.tags.Audio.Len <= 0 || p.tags.Audio.Off > size-p.tags.Audio.Len {
		return Tags{}, window.Damaged("the file ends before its audio begins")
	}
	p.fields.finish(&p.tags)
	p.finishLyrics()
	if p.tags.Gain == (Gain{}) {
		p.tags.Gain = p.encoderGain
	}
	if err := p.identify(); err != nil {
		return Tags{}, err
	}
	return p.tags, nil
}

// Limits of believable audio. The highest rate is that of DSD.
const (
	maxRate     = 1 << 26
	maxChannels = 255
)

// parser is the state of one Read: the file, the tag values collected so far and the result.
type parser struct {
	*window.Reader
	base        int64 // offset of the Reader in the file
	whole       *window.Reader
	front       []int64 // offsets of ID3 tags before the container that are not read yet
	fields      fields
	tags        Tags
	encoderGain media.Gain // measured by the encoder, in the audio itself
	// audioDigest is a checksum of the samples that the file contains.
	audioDigest []byte
	paged       bool // the audio is in Ogg pages
	// pictureTaken reports that a tag with more precedence has a picture.
	pictureTaken bool
	syncedLyrics []id3.SyncedLyrics
	frameTime    float64 // milliseconds of an MPEG frame; 0: the audio has no such frames
	id3Chunks    int     // ID3 tags in chunks so far
}

func (p *parser) parse() error {
	if p.Size() == 0 {
		return window.Damaged("the file is empty")
	}
	file, err := media.Sniff(p.Reader)
	if err != nil {
		return err
	}
	p.whole, p.front = p.Reader, file.ID3
	if file.Kind == media.MPEG || file.Kind == media.ADTS || file.Kind == media.Unknown {
		if err := p.frontTags(); err != nil {
			return err
		}
	}
	p.Reader, p.base = p.whole.From(file.Start), file.Start
	err = p.container(file.Kind)
	p.tags.Audio.Off += p.base
	p.Reader, p.base = p.whole, 0
	if err == nil {
		err = p.frontTags()
	}
	if err != nil && len(file.ID3) > 0 && file.Kind == media.Unknown {
		return window.Damaged("no audio behind the ID3 tag")
	}
	return err
}

// frontTags reads the ID3 tags before the container, once. A native tag has precedence.
func (p *parser) frontTags() error {
	front, reader, base := p.front, p.Reader, p.base
	p.front, p.Reader, p.base = nil, p.whole, 0
	defer func() { p.Reader, p.base = reader, base }()
	for _, off := range front {
		if err := ignoreDamage(p.id3v2(off)); err != nil {
			return err
		}
	}
	return nil
}

// ignoreDamage drops errors about a damaged tag: the audio does not depend on it.
func ignoreDamage(err error) error {
	if errors.Is(err, ErrDamaged) {
		return nil
	}
	return err
}

// nextTag marks the start of another tag of the same file, which has less precedence.
func (p *parser) nextTag() {
	p.fields.nextTag()
	p.pictureTaken = !p.tags.Picture.IsZero()
}

func (p *parser) container(kind media.Kind) error {
	switch kind {
	case media.MPEG:
		return p.mpeg()
	case media.ADTS:
		return p.adts()
	case media.FLAC:
		return p.flac()
	case media.Ogg:
		return p.ogg()
	case media.MP4:
		return p.mp4()
	case media.Matroska:
		return p.matroska()
	case media.WAV:
		return p.wav()
	case media.AIFF:
		return p.aiff()
	case media.ASF:
		return p.asf()
	}
	return p.rare(kind)
}

func has(b []byte, at int, s string) bool {
	return len(b) >= at+len(s) && string(b[at:at+len(s)]) == s
}

// Clean makes a string from a file safe to store and print.
func Clean(s string) string { return text.Clean(s) }
