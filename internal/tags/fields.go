package tags

import (
	"strconv"
	"strings"

	"waxwing/internal/lyrics"
	"waxwing/internal/media"
	"waxwing/internal/media/text"
)

// field is a meaning that tags of every format can carry.
type field uint8

const (
	fieldNone field = iota
	fieldTitle
	fieldTitleSort
	fieldArtist
	fieldArtists
	fieldArtistSort
	fieldAlbum
	fieldAlbumSort
	fieldAlbumArtist
	fieldAlbumArtists
	fieldAlbumArtistSort
	fieldTrack
	fieldTrackTotal
	fieldDisc
	fieldDiscTotal
	fieldDate
	fieldYear
	fieldOriginalDate
	fieldGenre
	fieldComposer
	fieldAdvisory
	fieldCompilation
	fieldRecordingID
	fieldTrackID
	fieldReleaseID
	fieldArtistID
	fieldAlbumArtistID
	fieldTrackGain
	fieldTrackPeak
	fieldAlbumGain
	fieldAlbumPeak
	fieldTrackR128
	fieldAlbumR128
	fieldLyrics
	fieldCount
)

// namedFields maps the names of Vorbis comments, APE items, ID3 TXXX frames and MP4 freeform atoms
// to their meaning, after squeeze.
var namedFields = map[string]field{
	"TITLE": fieldTitle, "TITLESORT": fieldTitleSort,
	"ARTIST": fieldArtist, "ARTISTS": fieldArtists, "ARTISTSORT": fieldArtistSort,
	"ALBUM": fieldAlbum, "ALBUMSORT": fieldAlbumSort,
	"ALBUMARTIST": fieldAlbumArtist, "ALBUMARTISTS": fieldAlbumArtists,
	"ALBUMARTISTSORT": fieldAlbumArtistSort, "ENSEMBLE": fieldAlbumArtist,
	"TRACKNUMBER": fieldTrack, "TRACK": fieldTrack, "TRACKTOTAL": fieldTrackTotal, "TOTALTRACKS": fieldTrackTotal,
	"DISCNUMBER": fieldDisc, "DISC": fieldDisc, "DISCTOTAL": fieldDiscTotal, "TOTALDISCS": fieldDiscTotal,
	"DATE": fieldDate, "YEAR": fieldYear, "ORIGINALDATE": fieldOriginalDate, "ORIGINALYEAR": fieldOriginalDate,
	"GENRE": fieldGenre, "COMPOSER": fieldComposer,
	"ITUNESADVISORY": fieldAdvisory, "EXPLICIT": fieldAdvisory,
	"COMPILATION":               fieldCompilation,
	"MUSICBRAINZTRACKID":        fieldRecordingID, // what taggers write there is the recording
	"MUSICBRAINZRELEASETRACKID": fieldTrackID,
	"MUSICBRAINZALBUMID":        fieldReleaseID,
	"MUSICBRAINZARTISTID":       fieldArtistID, "MUSICBRAINZALBUMARTISTID": fieldAlbumArtistID,
	"REPLAYGAINTRACKGAIN": fieldTrackGain, "REPLAYGAINTRACKPEAK": fieldTrackPeak,
	"REPLAYGAINALBUMGAIN": fieldAlbumGain, "REPLAYGAINALBUMPEAK": fieldAlbumPeak,
	"R128TRACKGAIN": fieldTrackR128, "R128ALBUMGAIN": fieldAlbumR128,
	"LYRICS": fieldLyrics, "UNSYNCEDLYRICS": fieldLyrics, "SYNCEDLYRICS": fieldLyrics,
}

const (
	maxValues     = 64       // of one field
	maxValueBytes = 64 << 10 // of one value other than lyrics; longer ones are ignored
	maxNameBytes  = 64       // of a name
)

// fields collects the values of one file. Later tags only fill in the fields that earlier ones
// lack.
type fields struct {
	values [fieldCount][]string
	taken  [fieldCount]bool
	lyrics []lyrics.Text // of all tags: none hides another
}

// nextTag marks the start of another tag of the same file, which has less precedence.
func (f *fields) nextTag() {
	for i := range f.values {
		f.taken[i] = len(f.values[i]) > 0
	}
}

func (f *fields) add(k field, value string) {
	if k == fieldLyrics {
		f.addLyrics("", value)
		return
	}
	if k == fieldNone || f.taken[k] || len(f.values[k]) >= maxValues {
		return
	}
	if value = text.Clean(value); value != "" {
		f.values[k] = append(f.values[k], value)
	}
}

func (f *fields) addNamed(name, value string) { f.add(nameField(name), value) }

// fits reports whether a value of that many bytes is read.
func (k field) fits(size int64) bool {
	return size <= maxValueBytes || k == fieldLyrics && size <= lyrics.MaxBytes
}

func nameField(name string) field {
	if len(name) > maxNameBytes {
		return fieldNone
	}
	return namedFields[squeeze(name)]
}

// squeeze maps "MusicBrainz Album Id" and "MUSICBRAINZ_ALBUMID" to the same name.
func squeeze(name string) string {
	b := make([]byte, 0, maxNameBytes)
	for i := range len(name) {
		switch c := name[i]; {
		case c == ' ', c == '_', c == '-':
		case c >= 'a' && c <= 'z':
			b = append(b, c-'a'+'A')
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

func (f *fields) first(k field) string {
	if len(f.values[k]) == 0 {
		return ""
	}
	return f.values[k][0]
}

// finish interprets the collected values.
func (f *fields) finish(t *Tags) {
	t.Title, t.TitleSort = f.first(fieldTitle), f.first(fieldTitleSort)
	t.Album, t.AlbumSort = f.first(fieldAlbum), f.first(fieldAlbumSort)
	t.Artist, t.Artists, t.ArtistList = credit(f.values[fieldArtist], f.values[fieldArtists])
	t.AlbumArtist, t.AlbumArtists, t.AlbumArtistList = credit(f.values[fieldAlbumArtist], f.values[fieldAlbumArtists])
	t.ArtistSorts, t.AlbumArtistSorts = f.values[fieldArtistSort], f.values[fieldAlbumArtistSort]

	t.Track, t.TrackTotal = numberOf(f.first(fieldTrack), f.first(fieldTrackTotal))
	t.Disc, t.DiscTotal = numberOf(f.first(fieldDisc), f.first(fieldDiscTotal))
	for _, k := range []field{fieldDate, fieldYear, fieldOriginalDate} {
		if t.Date, t.Year = parseDate(f.first(k)); t.Year != 0 {
			break
		}
	}
	t.Genres = splitGenres(f.values[fieldGenre])
	t.Composers = unique(f.values[fieldComposer])
	t.Explicit = advisory(f.first(fieldAdvisory))
	t.Compilation = truth(f.first(fieldCompilation))

	t.MusicBrainz = MusicBrainz{
		Recording:    firstOf(uuids(f.values[fieldRecordingID])),
		Track:        firstOf(uuids(f.values[fieldTrackID])),
		Release:      firstOf(uuids(f.values[fieldReleaseID])),
		Artists:      uuids(f.values[fieldArtistID]),
		AlbumArtists: uuids(f.values[fieldAlbumArtistID]),
	}
	t.Gain = media.GainText{
		TrackGain: f.first(fieldTrackGain), TrackPeak: f.first(fieldTrackPeak),
		AlbumGain: f.first(fieldAlbumGain), AlbumPeak: f.first(fieldAlbumPeak),
		TrackR128: f.first(fieldTrackR128), AlbumR128: f.first(fieldAlbumR128),
	}.Parse(t.Format == Opus)
}

// credit returns the printed form of the artists and the list that takes precedence.
func credit(single, list []string) (printed string, values []string, listed bool) {
	single, list = unique(single), unique(list)
	printed = strings.Join(single, ", ")
	switch {
	case len(list) > 0:
		if printed == "" {
			printed = strings.Join(list, ", ")
		}
		return text.Clean(printed), list, true
	case len(single) > 1:
		return text.Clean(printed), single, true
	}
	return printed, single, false
}

func unique(in []string) []string {
	var out []string
next:
	for _, s := range in {
		for _, seen := range out {
			if seen == s {
				continue next
			}
		}
		out = append(out, s)
	}
	return out
}

func firstOf(in []string) string {
	if len(in) == 0 {
		return ""
	}
	return in[0]
}

// numberOf parses "3", "03" or "3/12", and a separate total.
func numberOf(number, total string) (n, of int) {
	head, tail, _ := strings.Cut(number, "/")
	n, of = leadingInt(head), leadingInt(tail)
	if t := leadingInt(total); t > 0 {
		of = t
	}
	return n, of
}

func leadingInt(s string) int {
	s = strings.TrimSpace(s)
	end := 0
	for end < len(s) && end < 5 && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(s[:end])
	if err != nil || n > 9999 {
		return 0
	}
	return n
}

// parseDate accepts the start of an ISO date, or else any four digits that can be a year.
func parseDate(s string) (date string, year int) {
	for i := 0; i+4 <= len(s); i++ {
		if i > 0 && isDigit(s[i-1]) {
			continue
		}
		n, err := strconv.Atoi(s[i : i+4])
		if err != nil || !isDigit(s[i]) || n < 1000 {
			continue
		}
		if i > 0 {
			return s[i : i+4], n
		}
		date = s[:4]
		for end := 7; end <= 10 && end <= len(s); end += 3 {
			if s[end-3] != '-' || !isDigit(s[end-2]) || !isDigit(s[end-1]) || s[end-2:end] == "00" {
				break
			}
			date = s[:end]
		}
		return date, n
	}
	return "", 0
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// advisory parses iTunes' values: 0 none, 1 and 4 explicit, 2 clean.
func advisory(s string) *bool {
	yes, no := true, false
	switch strings.ToLower(s) {
	case "1", "4", "true", "yes", "explicit":
		return &yes
	case "0", "2", "false", "no", "clean":
		return &no
	}
	return nil
}

func truth(s string) bool {
	return s == "1" || strings.EqualFold(s, "true") || strings.EqualFold(s, "yes")
}

// uuids returns all identifiers in the values, with any separators.
func uuids(values []string) []string {
	var out []string
	for _, v := range values {
		for i := 0; i+36 <= len(v) && len(out) < maxValues; {
			if !isUUID(v[i : i+36]) {
				i++
				continue
			}
			out = append(out, strings.ToLower(v[i:i+36]))
			i += 36
		}
	}
	return unique(out)
}

func isUUID(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
				return false
			}
		}
	}
	return len(s) == 36
}
