package mpris

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"waxwing/internal/fault"
	"waxwing/internal/player"
)

const (
	noTrack   = dbus.ObjectPath("/org/mpris/MediaPlayer2/TrackList/NoTrack")
	trackRoot = "/org/waxwing/track/"
	scheme    = "waxwing"
)

// The track list is the part of the queue around the current track. It moves in steps, so that it
// does not change with every track.
const (
	listStep = 100
	listSize = 3 * listStep
)

// listed returns the part of the queue in the track list.
func listed(st *player.Status) (from, to int) {
	from = max(0, st.Index/listStep*listStep-listStep)
	return from, min(from+listSize, len(st.Queue))
}

// trackList returns the paths of the track list.
func trackList(st *player.Status) []dbus.ObjectPath {
	from, to := listed(st)
	paths := make([]dbus.ObjectPath, 0, to-from)
	seen := make(map[string]int, to)
	for i, t := range st.Queue[:to] {
		seen[t.ID]++
		if i >= from {
			paths = append(paths, trackPath(t.ID, seen[t.ID]))
		}
	}
	return paths
}

// trackPath is the path of the nth item of the queue that is the song id: a song may be queued more
// than once.
func trackPath(id string, nth int) dbus.ObjectPath {
	var path strings.Builder
	path.WriteString(trackRoot)
	for _, b := range []byte(id) {
		if b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' {
			path.WriteByte(b)
		} else {
			fmt.Fprintf(&path, "_%02x", b)
		}
	}
	if nth > 1 {
		path.WriteString("/" + strconv.Itoa(nth))
	}
	return dbus.ObjectPath(path.String())
}

// currentPath is the path of the current track.
func currentPath(st *player.Status) dbus.ObjectPath {
	cur, ok := st.Current()
	if !ok {
		return noTrack
	}
	nth := 0
	for _, t := range st.Queue[:st.Index+1] {
		if t.ID == cur.ID {
			nth++
		}
	}
	return trackPath(cur.ID, nth)
}

// locate returns the index of the item with that path, or -1.
func locate(st *player.Status, path dbus.ObjectPath) int {
	seen := map[string]int{}
	for i, t := range st.Queue {
		seen[t.ID]++
		if trackPath(t.ID, seen[t.ID]) == path {
			return i
		}
	}
	return -1
}

// metadata describes a track. It omits an unknown length.
func metadata(t player.Track, path dbus.ObjectPath) map[string]dbus.Variant {
	m := map[string]dbus.Variant{
		"mpris:trackid": dbus.MakeVariant(path),
		"xesam:url":     dbus.MakeVariant(text(cmp.Or(t.URL, uriOf(t.ID)))),
		"xesam:title":   dbus.MakeVariant(text(t.Title)),
	}
	if t.Duration > 0 {
		m["mpris:length"] = dbus.MakeVariant(micros(t.Duration))
	}
	if t.CoverURL != "" {
		m["mpris:artUrl"] = dbus.MakeVariant(text(t.CoverURL))
	}
	if artists := t.Artists(); len(artists) > 0 {
		for i, name := range artists {
			artists[i] = text(name)
		}
		m["xesam:artist"] = dbus.MakeVariant(artists)
	}
	if t.Album != "" {
		m["xesam:album"] = dbus.MakeVariant(text(t.Album))
	}
	return m
}

// text replaces what the bus does not accept: it disconnects a sender of NUL or invalid UTF-8.
func text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

func micros(d time.Duration) int64 { return d.Microseconds() }

// duration converts microseconds without overflow.
func duration(micros int64) time.Duration {
	const far = int64(1000 * time.Hour / time.Microsecond)
	return time.Duration(min(max(micros, -far), far)) * time.Microsecond
}

// uriOf is the URI of a song for OpenUri and AddTrack; idOf parses it.
func uriOf(id string) string { return scheme + ":" + id }

func idOf(uri string) (string, error) {
	id, ours := strings.CutPrefix(uri, scheme+":")
	if !ours || id == "" {
		return "", fault.New(fault.Invalid, "only %s:ID can be opened, where ID is that of a song in the catalog", scheme)
	}
	return id, nil
}
