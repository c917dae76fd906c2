package player

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"waxwing/internal/fault"
)

// Limits of what a catalog may send, in bytes. A catalog is another program, perhaps of another
// person: its replies must not fill the memory or the disk of the player.
const (
	maxID      = 128
	maxText    = 512
	maxCredits = 2048
	maxURL     = 1024
	// maxQueueText limits the texts of all tracks in a queue: three times that of a large library.
	maxQueueText = 24 << 20
	maxDuration  = 1000 * time.Hour
)

// Limits of time for replies of a catalog.
const (
	replyTime     = 30 * time.Second
	selectionTime = 2 * time.Minute // of all songs of an album, artist or playlist
)

// maxListed limits the songs of a selection that are read, available or not.
const maxListed = 10 * maxQueue

// Bounded returns the track with every field within its limits. It reports false for a track
// without a usable id, which cannot be shortened.
func (t Track) Bounded() (Track, bool) {
	id := clip(t.ID, maxID)
	if id == "" || id != t.ID {
		return Track{}, false
	}
	t.Title, t.Artist, t.Album = clip(t.Title, maxText), clip(t.Artist, maxText), clip(t.Album, maxText)
	if clip(t.AlbumID, maxID) != t.AlbumID {
		t.AlbumID = ""
	}
	if boundedURL(t.URL) != t.URL {
		return Track{}, false
	}
	t.CoverURL, t.ThumbnailURL = boundedURL(t.CoverURL), boundedURL(t.ThumbnailURL)
	if t.Duration < 0 || t.Duration > maxDuration {
		t.Duration = 0 // unknown
	}
	if t.Credits != "" {
		t.Credits = boundedCredits(t.Credits)
	}
	t.Changed = t.Changed.bounded()
	return t, true
}

// boundedURL drops a URL that is too long: a part of it names something else.
func boundedURL(url string) string {
	if clip(url, maxURL) != url {
		return ""
	}
	return url
}

// boundedCredits limits each line and all of them together.
func boundedCredits(credits string) string {
	var b strings.Builder
	for name := range strings.SplitSeq(credits, "\n") {
		name = clip(name, maxText)
		if b.Len()+len(name)+1 > maxCredits {
			break
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(name)
	}
	return b.String()
}

// clip returns s as valid text without control characters, shortened to at most n bytes. What is
// shortened is copied, so that the rest can be freed.
func clip(s string, n int) string {
	if len(s) <= n && utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0 {
		return s
	}
	if len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = strings.Clone(s[:n])
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s)
	if len(s) > n { // the replacements are longer
		return clip(s, n)
	}
	return s
}

// textSize is the number of bytes that the texts of tracks take.
func textSize(tracks []Track) (n int) {
	for i := range tracks {
		t := &tracks[i]
		n += len(t.ID) + len(t.Title) + len(t.Artist) + len(t.Credits) + len(t.Album) + len(t.AlbumID) + len(t.CoverURL) +
			len(t.ThumbnailURL) + len(t.URL)
		if t.Changed != nil {
			for _, tag := range t.Changed.Tags {
				n += len(tag.Name) + len(tag.Value)
			}
		}
	}
	return n
}

// fits returns an error unless a queue may have all the tracks.
func fits(lists ...[]Track) error {
	n, text := 0, 0
	for _, tracks := range lists {
		n += len(tracks)
		text += textSize(tracks)
	}
	if n > maxQueue {
		return fault.New(fault.Conflict, "the queue is limited to %d tracks", maxQueue)
	}
	if text > maxQueueText {
		return fault.New(fault.Conflict, "the names of these tracks are too long for one queue; add fewer tracks")
	}
	return nil
}
