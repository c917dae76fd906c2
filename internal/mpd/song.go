package mpd

import (
	"cmp"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"waxwing/api/catalogapi"
	"waxwing/internal/player"
)

// song is a song as clients see it. Its reply is encoded once; the tags are parts of that text.
type song struct {
	id    string
	text  string // all lines of the reply
	head  uint32 // where the first tag begins
	tail  uint32 // where the lines after the tags begin
	added uint32 // where the line "Added" begins, which only some commands send
	path  uint32 // length of the URI
	spans []span

	duration time.Duration
	modified int64 // Unix seconds
	created  int64
	picture  bool
	bitrate  int // kbit/s; 0: unknown
	size     int64
	cover    string
	albumID  string
	credits  string // see player.Track
	format   audioFormat
}

// span is the value of a tag in the text of a song.
type span struct {
	tag      tag
	from, to uint32
}

// audioFormat describes samples; 0 is unknown.
type audioFormat struct{ rate, bits, channels int }

func (f audioFormat) String() string {
	bits := "f" // lossy formats are decoded to floating point
	if f.bits > 0 {
		bits = strconv.Itoa(f.bits)
	}
	return strconv.Itoa(f.rate) + ":" + bits + ":" + strconv.Itoa(f.channels)
}

const fileLine = "file: "

// uri is the path of the song in the library, or a URL.
func (s *song) uri() string { return s.text[len(fileLine) : len(fileLine)+int(s.path)] }

// values calls f with each value of a tag, until f returns true. It reports whether one did. A
// missing tag has the values of its fallback, and otherwise none.
func (s *song) values(t tag, f func(value string) bool) (present, found bool) {
	for {
		for _, p := range s.spans {
			if p.tag == t {
				present = true
				if f(s.text[p.from:p.to]) {
					return true, true
				}
			}
		}
		other, ok := t.fallback()
		if present || !ok {
			return present, false
		}
		t = other
	}
}

// value returns the first value of a tag, or "".
func (s *song) value(t tag) (value string) {
	s.values(t, func(v string) bool {
		value = v
		return true
	})
	return value
}

// songText builds the text of a song.
type songText struct {
	b     []byte
	spans []span
	head  int
}

func newSongText(uri string) *songText {
	return &songText{b: append(append([]byte(fileLine), uri...), '\n')}
}

func (x *songText) line(name, value string) { x.b = appendPair(x.b, name, value) }

func (x *songText) tag(t tag, value string) {
	if value = cleanText(value); strings.TrimSpace(value) == "" {
		return
	}
	if x.head == 0 {
		x.head = len(x.b)
	}
	x.b = append(append(x.b, tagNames[t]...), ": "...)
	from := len(x.b)
	x.b = append(append(x.b, value...), '\n')
	x.spans = append(x.spans, span{t, uint32(from), uint32(from + len(value))})
}

func (x *songText) tags(t tag, values []string) {
	for _, value := range values {
		x.tag(t, value)
	}
}

// song completes the text.
func (x *songText) song(uri string, d time.Duration, created int64) *song {
	s := &song{path: uint32(len(uri)), duration: d, created: created}
	if x.head == 0 {
		x.head = len(x.b)
	}
	s.head, s.tail = uint32(x.head), uint32(len(x.b))
	if d > 0 {
		x.b = append(x.b, "Time: "...)
		x.b = strconv.AppendInt(x.b, int64(d.Round(time.Second)/time.Second), 10)
		x.b = append(x.b, "\nduration: "...)
		x.b = append(appendSeconds(x.b, d), '\n')
	}
	s.added = uint32(len(x.b))
	if created > 0 {
		x.line("Added", utc(created))
	}
	exact := make([]byte, len(x.b))
	copy(exact, x.b)
	s.text = unsafe.String(unsafe.SliceData(exact), len(exact)) // exact is never changed
	s.spans = append(make([]span, 0, len(x.spans)), x.spans...)
	return s
}

// appendSeconds appends a duration in seconds with three decimals.
func appendSeconds(b []byte, d time.Duration) []byte {
	return strconv.AppendFloat(b, float64(d.Round(time.Millisecond))/float64(time.Second), 'f', 3, 64)
}

func utc(unix int64) string { return time.Unix(unix, 0).UTC().Format("2006-01-02T15:04:05Z") }

// newSong converts a song of the catalog. uri is its path, cleaned and unique.
func newSong(c catalogapi.Song, uri string) *song {
	x := newSongText(uri)
	file := catalogapi.SongFile{}
	if c.File != nil {
		file = *c.File
	}
	var modified int64
	if file.ModifiedAt != nil {
		modified = file.ModifiedAt.Unix()
		x.line("Last-Modified", utc(modified))
	}
	format := audioFormat{orZero(file.SampleRate), orZero(file.BitDepth), orZero(file.Channels)}
	if format.rate > 0 {
		x.line("Format", format.String())
	}
	x.tag(tagTitle, c.Title)
	x.tag(tagArtist, orEmpty(c.Artist))
	x.tag(tagAlbum, orEmpty(c.Album))
	x.tag(tagAlbumArtist, orEmpty(file.AlbumArtist))
	x.tag(tagTrack, positive(c.TrackNumber))
	x.tag(tagDisc, positive(c.DiscNumber))
	x.tag(tagDate, cmp.Or(orEmpty(file.Released), positive(c.Year)))
	x.tags(tagGenre, file.Genres)
	x.tags(tagComposer, file.Composers)
	ids := file.Musicbrainz
	x.tags(tagMBArtist, ids.ArtistIDs)
	x.tag(tagMBAlbum, orEmpty(ids.AlbumID))
	x.tags(tagMBAlbumArtist, ids.AlbumArtistIDs)
	x.tag(tagMBTrack, orEmpty(ids.RecordingID))
	x.tag(tagMBReleaseTrack, orEmpty(ids.TrackID))
	s := x.song(uri, time.Duration(c.Duration)*time.Millisecond, c.CreatedAt.Unix())
	s.id, s.modified, s.format, s.picture, s.cover = c.ID, modified, format, file.Picture, c.CoverURL
	s.bitrate, s.size, s.albumID = orZero(c.Bitrate), int64(orZero(file.Size)), orEmpty(c.AlbumID)
	s.credits = player.TrackOf(c).Credits
	return s
}

// songOfTrack describes a queued track that is not in the library: a stream, or a song whose file
// is missing.
func songOfTrack(t player.Track) *song {
	uri := cmp.Or(t.URL, missingPrefix+t.ID)
	x := newSongText(uri)
	x.tag(tagTitle, t.Title)
	if t.URL != "" {
		x.webTags(t)
	} else {
		x.tag(tagArtist, t.Artist)
		x.tag(tagAlbum, t.Album)
	}
	s := x.song(uri, t.Duration, 0)
	s.id, s.cover = t.ID, t.CoverURL
	return s
}

// webTags appends what a client or the server of a stream said about it.
func (x *songText) webTags(t player.Track) {
	artist := ""
	for _, given := range t.Tags() {
		kind, known := tagNamed(given.Name)
		if !known || kind == tagTitle || kind == tagName {
			continue
		}
		if kind == tagArtist && artist == "" {
			artist = given.Value
		}
		x.tag(kind, given.Value)
	}
	if t.Artist != artist { // otherwise it has no name of its own
		x.tag(tagName, t.Artist)
	}
}

// missingPrefix begins the URI of a queued song whose path is unknown.
const missingPrefix = "waxwing/"

func orZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// positive returns a number as text; "" if it is missing.
func positive(n *int) string {
	if n == nil || *n <= 0 {
		return ""
	}
	return strconv.Itoa(*n)
}

// appendSong appends a song with the tags of a set.
func appendSong(b []byte, s *song, tags tagSet) []byte {
	if tags == allTags {
		return append(b, s.text...)
	}
	b = append(b, s.text[:s.head]...)
	for _, p := range s.spans {
		if tags.has(p.tag) {
			from := int(p.from) - len(tagNames[p.tag]) - len(": ")
			b = append(b, s.text[from:p.to+1]...)
		}
	}
	return append(b, s.text[s.tail:]...)
}

// track returns the song as the queue stores it.
func (s *song) track() player.Track {
	return player.Track{
		ID: s.id, Title: s.value(tagTitle), Artist: s.value(tagArtist), Credits: s.credits, Album: s.value(tagAlbum),
		AlbumID: s.albumID, CoverURL: s.cover, ThumbnailURL: s.thumbnail(), Duration: s.duration,
	}
}

func (s *song) thumbnail() string {
	if s.cover == "" {
		return ""
	}
	return s.cover + thumbnailQuery
}

const thumbnailQuery = "?size=300"
