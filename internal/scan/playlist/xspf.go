package playlist

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"golang.org/x/text/encoding/charmap"

	"waxwing/internal/tags"
)

const maxXMLDepth = 32

// parseXSPF reads the elements it knows and skips others. The XML decoder rejects entities that
// the document defines, so that none can expand.
func parseXSPF(r io.Reader) (List, error) {
	d := xml.NewDecoder(r)
	d.CharsetReader = func(charset string, in io.Reader) (io.Reader, error) {
		switch strings.ToLower(charset) {
		case "iso-8859-1":
			return charmap.ISO8859_1.NewDecoder().Reader(in), nil
		case "windows-1252":
			return charmap.Windows1252.NewDecoder().Reader(in), nil
		}
		return nil, fmt.Errorf("unknown encoding %q", charset)
	}
	var l List
	var track *Entry
	var path []string
	var text strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return l, nil
		}
		if err != nil {
			return l, fmt.Errorf("read XSPF: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if path = append(path, t.Name.Local); len(path) > maxXMLDepth {
				return l, errors.New("read XSPF: elements are nested too deeply")
			}
			text.Reset()
			if strings.Join(path, "/") == "playlist/trackList/track" && len(l.Entries) < maxEntries {
				l.Entries = append(l.Entries, Entry{})
				track = &l.Entries[len(l.Entries)-1]
			}
		case xml.CharData:
			if text.Len()+len(t) <= maxLine {
				text.Write(t)
			}
		case xml.EndElement:
			l.element(strings.Join(path, "/"), strings.TrimSpace(text.String()), track)
			path = path[:len(path)-1]
			text.Reset()
		}
	}
}

func (l *List) element(path, text string, track *Entry) {
	if path == "playlist/title" {
		l.Name = tags.Clean(text)
		return
	}
	field, ok := strings.CutPrefix(path, "playlist/trackList/track/")
	if !ok || track == nil {
		return
	}
	switch field {
	case "location":
		if track.Location == "" {
			track.Location = unescape(text)
		}
	case "title":
		track.Title = tags.Clean(text)
	case "creator":
		track.Artist = tags.Clean(text)
	case "duration":
		if ms, err := time.ParseDuration(text + "ms"); err == nil && ms > 0 && ms < 1e7*time.Second {
			track.Duration = ms
		}
	}
}

// unescape converts a relative URL to a path. A URL with a scheme stays as it is.
func unescape(s string) string {
	if strings.Contains(s, "://") {
		return s
	}
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

func writeXSPF(b *bytes.Buffer, l List) error {
	type track struct {
		Location string `xml:"location"`
		Title    string `xml:"title,omitempty"`
		Creator  string `xml:"creator,omitempty"`
		Duration int64  `xml:"duration,omitempty"`
	}
	doc := struct {
		XMLName xml.Name `xml:"http://xspf.org/ns/0/ playlist"`
		Version string   `xml:"version,attr"`
		Title   string   `xml:"title,omitempty"`
		Tracks  []track  `xml:"trackList>track"`
	}{Version: "1", Title: l.Name}
	for _, e := range l.Entries {
		location := e.Location
		if !strings.Contains(location, "://") {
			location = (&url.URL{Path: location}).EscapedPath()
		}
		doc.Tracks = append(doc.Tracks, track{location, e.Title, e.Artist, e.Duration.Milliseconds()})
	}
	b.WriteString(xml.Header)
	enc := xml.NewEncoder(b)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return fmt.Errorf("write XSPF: %w", err)
	}
	b.WriteByte('\n')
	return nil
}
