package scan

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"waxwing/internal/catalog"
	"waxwing/internal/scan/playlist"
	"waxwing/internal/tags"
	"waxwing/internal/words"
)

// Match is the result of looking up the entries of a playlist in the catalog.
type Match struct {
	SongIDs []string         // in the order of the playlist
	Missing []playlist.Entry // entries without a song
}

// MatchPlaylist finds the songs of a playlist in the folder dir: by path, then by the end of the
// path, then by the end of the path ignoring case and accents, then by artist and title.
func (s *Scanner) MatchPlaylist(ctx context.Context, dir string, list playlist.List) (Match, error) {
	entries := make([]*entryMatch, len(list.Entries))
	for i, e := range list.Entries {
		entries[i] = newEntryMatch(dir, e)
	}
	for _, step := range []func(context.Context, []*entryMatch) error{s.matchPaths, s.matchTitles} {
		open := slices.DeleteFunc(slices.Clone(entries), func(w *entryMatch) bool { return w.song != "" })
		if len(open) == 0 {
			break
		}
		if err := step(ctx, open); err != nil {
			return Match{}, err
		}
	}
	var m Match
	for i, w := range entries {
		if w.song != "" {
			m.SongIDs = append(m.SongIDs, w.song)
		} else {
			m.Missing = append(m.Missing, list.Entries[i])
		}
	}
	return m, nil
}

// entryMatch is the state of matching one entry of a playlist.
type entryMatch struct {
	path   string   // absolute if dir is
	parts  []string // elements of the path, the last first
	folded []string
	name   string // artist and title, folded; "" if either is unknown
	song   string
	best   pathMatch
}

// pathMatch is the score of the best file so far. If two files have it, neither is used.
type pathMatch struct {
	score     int
	ambiguous bool
}

func newEntryMatch(dir string, e playlist.Entry) *entryMatch {
	w := &entryMatch{}
	if e.Artist != "" && e.Title != "" {
		w.name = words.Key(e.Artist) + "\x1f" + words.Key(e.Title)
	}
	location, local := localPath(e.Location)
	if !local {
		return w
	}
	w.parts = reversed(location)
	w.folded = reversed(words.Key(tags.Clean(location)))
	if !path.IsAbs(location) {
		location = path.Join(dir, location)
	}
	w.path = path.Clean(location)
	return w
}

// localPath parses Unix paths, Windows paths and file URLs. Other URLs are not local.
func localPath(s string) (p string, local bool) {
	if strings.HasPrefix(s, "file:") {
		u, err := url.Parse(s)
		if err != nil {
			return "", false
		}
		s = u.Path
	} else if strings.Contains(s, "://") {
		return "", false
	}
	if len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') {
		s = s[2:] // drop the drive letter
	}
	if strings.Contains(s, "\\") && !strings.Contains(s, "/") {
		s = strings.ReplaceAll(s, "\\", "/")
	}
	return s, s != ""
}

func reversed(p string) []string {
	parts := strings.FieldsFunc(p, func(r rune) bool { return r == '/' })
	parts = slices.DeleteFunc(parts, func(s string) bool { return s == "." || s == ".." })
	slices.Reverse(parts)
	return parts
}

// matchPaths iterates over the known files and chooses for each entry the file with the longest
// common path suffix.
func (s *Scanner) matchPaths(ctx context.Context, entries []*entryMatch) error {
	byName := map[string][]*entryMatch{}
	for _, w := range entries {
		if len(w.folded) > 0 {
			byName[w.folded[0]] = append(byName[w.folded[0]], w)
		}
	}
	if len(byName) == 0 {
		return nil
	}
	for _, root := range s.roots {
		for known, err := range s.store.Files(ctx, root.name) {
			if err != nil {
				return err
			}
			if known.SongID == "" {
				continue
			}
			for _, w := range byName[words.Key(tags.Clean(path.Base(known.Path)))] {
				w.compare(known)
			}
		}
	}
	for _, w := range entries {
		if w.best.ambiguous {
			w.song = "" // two files match equally well
		}
	}
	return nil
}

// compare scores a file: an equal path is best, then the number of equal elements from the end,
// exact ones before folded ones.
func (w *entryMatch) compare(known catalog.KnownFile) {
	full := known.Root + "/" + known.Path
	score := 0
	if full == w.path {
		score = 1 << 20
	} else {
		score = common(w.parts, reversed(full))*1000 + common(w.folded, reversed(words.Key(tags.Clean(full))))
	}
	switch {
	case score > w.best.score:
		w.best, w.song = pathMatch{score: score}, known.SongID
	case score == w.best.score && known.SongID != w.song:
		w.best.ambiguous = true
	}
}

func common(a, b []string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// matchTitles iterates over the songs and compares artist and title.
func (s *Scanner) matchTitles(ctx context.Context, entries []*entryMatch) error {
	byName := map[string][]*entryMatch{}
	for _, w := range entries {
		if w.name != "" {
			byName[w.name] = append(byName[w.name], w)
		}
	}
	if len(byName) == 0 {
		return nil
	}
	const pageSize = 1000
	for page := int64(1); ; page++ {
		songs, _, err := s.store.Songs(ctx, catalog.Page{Number: page, Limit: pageSize})
		if err != nil || len(songs) == 0 {
			return err
		}
		for _, song := range songs {
			facts, err := song.Decode()
			if err != nil {
				return err
			}
			for _, artist := range factArtists(facts) {
				for _, w := range byName[words.Key(artist)+"\x1f"+words.Key(facts.Title)] {
					if w.song == "" {
						w.song = song.ID
					}
				}
			}
		}
	}
}

func factArtists(f catalog.SongFacts) []string {
	var out []string
	if f.Artist != nil {
		out = append(out, *f.Artist)
	}
	for _, a := range f.Artists {
		out = append(out, a.Name)
	}
	return out
}
