// Package tags reads what an audio file says about itself: names, numbers,
// identifiers, loudness, length and where its cover lies.
//
// A few small reads per file suffice, because only headers are looked at. The
// files are never trusted: no length found in one is allocated before it was
// compared with the size of the file and with a fixed bound, every loop over
// its structure is bounded, and every string that comes out is valid UTF-8
// without control characters.
package tags

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// ErrUnknownFormat is wrapped by the error of Read when the content is of no kind this package knows.
var ErrUnknownFormat = errors.New("not a known audio format")

// ErrDamaged is wrapped by the error of Read when the kind is known but its headers cannot be read.
var ErrDamaged = errors.New("damaged file")

// Tags is everything Read found. Absent text is "", absent numbers are 0, absent lists are nil.
type Tags struct {
	Title   string
	Artist  string   // the credit as printed, such as "Queen & David Bowie"
	Artists []string // the values of the file; one value may still name several artists
	// ArtistList says that the file itself lists its artists one by one, so Artists must not be split further.
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
	Explicit          *bool // nil when the file does not say
	Compilation       bool

	MusicBrainz MusicBrainz
	Gain        Gain

	Format     Format
	Duration   time.Duration // of what is heard: encoder delay and padding taken off; 0 when unknown
	Bitrate    int           // kbit/s, averaged over the file
	SampleRate int           // Hz
	Channels   int

	Picture Picture // the front cover, or else the first picture
	Audio   Range   // the encoded sound without tags and container headers
	// AudioID is equal for two files that hold the same encoded sound, however they are tagged.
	// It is taken from the length and samples of the sound (or from FLAC's own checksum), not from all of it.
	AudioID [16]byte
}

// MusicBrainz holds identifiers in their canonical lower-case form.
type MusicBrainz struct {
	Recording    string
	Release      string
	Artists      []string
	AlbumArtists []string
}

// Gain is the loudness correction of the file, in dB towards −18 LUFS; peaks are linear. Nil where the file is silent.
type Gain struct {
	Track, TrackPeak, Album, AlbumPeak *float64
}

// Range is a run of bytes in the file.
type Range struct{ Off, Len int64 }

// Format is the kind of sound in a file.
type Format string

// The formats with readers of their own. The last group is read but needs an external decoder to be heard.
const (
	MP3    Format = "mp3"
	FLAC   Format = "flac"
	Vorbis Format = "vorbis"
	Opus   Format = "opus"
	AAC    Format = "aac"
	ALAC   Format = "alac"
	WAV    Format = "wav"
	AIFF   Format = "aiff"

	Speex   Format = "speex"
	WMA     Format = "wma"
	APE     Format = "ape"
	WavPack Format = "wavpack"
	MPC     Format = "musepack"
	DSF     Format = "dsf"
)

// Read reports what the file of the given size says about itself. It looks at the
// content only, never at a name. It does not panic, whatever r holds; an error wraps
// ErrUnknownFormat, ErrDamaged, or what r itself returned.
func Read(r io.ReaderAt, size int64) (Tags, error) { return new(Reader).Read(r, size) }

// Reader reads one file after the other with the same memory. The zero Reader is ready for use, by one goroutine at a time.
type Reader struct{ buf []byte }

// Read is the function Read.
func (rd *Reader) Read(r io.ReaderAt, size int64) (Tags, error) {
	p := &parser{window: newWindow(r, size)}
	p.buf = rd.buf[:0]
	defer func() { rd.buf = p.buf }()
	if err := p.parse(); err != nil {
		return Tags{}, err
	}
	if p.tags.Audio.Len <= 0 || p.tags.Audio.Off > size-p.tags.Audio.Len {
		return Tags{}, damaged("the file ends before its sound begins")
	}
	p.fields.finish(&p.tags)
	if err := p.identify(); err != nil {
		return Tags{}, err
	}
	return p.tags, nil
}

// parser carries one reading: the bytes, the tag values collected so far and the result.
type parser struct {
	*window
	fields fields
	tags   Tags
	// audioDigest is a checksum of the sound that the file itself carries.
	audioDigest []byte
	paged       bool // the sound lies in Ogg pages
}

func (p *parser) parse() error {
	head, err := p.peek(0, 64)
	if err != nil {
		return err
	}
	switch {
	case len(head) == 0:
		return damaged("the file is empty")
	case has(head, 0, "ID3"):
		return p.afterID3()
	case has(head, 0, "fLaC"):
		return p.flac(0)
	case has(head, 0, "OggS"):
		return p.ogg()
	case has(head, 4, "ftyp"), has(head, 4, "moov"), has(head, 4, "mdat") && len(head) >= 16:
		return p.mp4()
	case (has(head, 0, "RIFF") || has(head, 0, "RF64") || has(head, 0, "BW64")) && has(head, 8, "WAVE"):
		return p.wav()
	case has(head, 0, "FORM") && (has(head, 8, "AIFF") || has(head, 8, "AIFC")):
		return p.aiff()
	case has(head, 0, "MAC "):
		return p.monkeys(0)
	case has(head, 0, "wvpk"):
		return p.wavPack()
	case has(head, 0, "MPCK"), has(head, 0, "MP+"):
		return p.musepack(0)
	case has(head, 0, "DSD "):
		return p.dsf()
	case has(head, 0, asfHeaderGUID):
		return p.asf()
	}
	return p.mpeg(0)
}

// afterID3 reads the ID3v2 tags at the start of the file, and then the sound behind them,
// which is MPEG audio in nearly every case.
func (p *parser) afterID3() error {
	off, err := p.id3v2Chain(0)
	if err != nil {
		return err
	}
	head, err := p.peek(off, 4)
	if err != nil {
		return err
	}
	switch {
	case has(head, 0, "fLaC"):
		return p.flac(off)
	case has(head, 0, "MAC "):
		return p.monkeys(off)
	case has(head, 0, "MPCK"), has(head, 0, "MP+"):
		return p.musepack(off)
	}
	return p.mpeg(off)
}

func has(b []byte, at int, s string) bool {
	return len(b) >= at+len(s) && string(b[at:at+len(s)]) == s
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}
