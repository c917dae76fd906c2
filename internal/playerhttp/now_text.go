package playerhttp

import (
	"fmt"
	"net/http"
	"strings"

	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
	"waxwing/internal/player"
)

const (
	defaultNowFormat = "[{artist} – ]{title}"
	maxNowFormat     = 200
)

// nowText replies with the current track as a line of text, for chat bots and text sources. It is
// empty if nothing is loaded or, with hide=paused, while nothing plays.
func (s *server) nowText(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	format := defaultNowFormat
	if query.Has("format") {
		format = query.Get("format")
	}
	if len(format) > maxNowFormat {
		return fault.New(fault.Invalid, "format must have at most %d bytes", maxNowFormat)
	}
	switch hide := query.Get("hide"); hide {
	case "", "paused":
	default:
		return fault.New(fault.Invalid, "hide must be paused, not %.40q", hide)
	}
	st := s.player.Status()
	t, loaded := st.Current()
	line, err := formatTrack(format, t)
	if err != nil {
		return err
	}
	if !loaded || !st.Playing && query.Get("hide") == "paused" {
		line = ""
	}
	w.Header().Set("Cache-Control", "no-store")
	return httpkit.WriteBody(w, http.StatusOK, "text/plain; charset=utf-8", []byte(line))
}

// formatTrack replaces {title}, {artist}, {album} and {duration}. A part in brackets is left out if
// all names in it are empty.
func formatTrack(format string, t player.Track) (string, error) {
	names := map[string]string{"title": t.Title, "artist": t.Artist, "album": t.Album, "duration": ""}
	if seconds := int(t.Duration.Seconds()); seconds > 0 {
		names["duration"] = fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
	}
	var out, part strings.Builder
	at, inPart, hasValue := &out, false, false
	for format != "" {
		i := strings.IndexAny(format, "{[]")
		if i < 0 {
			i = len(format)
		}
		at.WriteString(format[:i])
		if format = format[i:]; format == "" {
			break
		}
		switch {
		case format[0] == '{':
			name, rest, closed := strings.Cut(format[1:], "}")
			value, known := names[name]
			if !closed || !known {
				return "", fault.New(fault.Invalid, "unknown name {%.20s} in format; use {title}, {artist}, {album} or {duration}",
					name)
			}
			at.WriteString(value)
			hasValue = hasValue || value != ""
			format = rest
			continue
		case format[0] == '[' && !inPart:
			part.Reset()
			at, inPart, hasValue = &part, true, false
		case format[0] == ']' && inPart:
			if at, inPart = &out, false; hasValue {
				out.WriteString(part.String())
			}
		default:
			return "", fault.New(fault.Invalid, "the brackets of format do not match")
		}
		format = format[1:]
	}
	if inPart {
		return "", fault.New(fault.Invalid, "the brackets of format do not match")
	}
	return out.String(), nil
}
