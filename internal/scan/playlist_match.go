package scan

import (
	"context"
	"errors"
	"hash/maphash"
	"iter"
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
// path, then by the end of the path ignoring case and accents, then by artist and title. It keeps
// the missing entries in the memory of list.Entries.
func (s *Scanner) MatchPlaylist(ctx context.Context, dir string, list playlist.List) (Match, error) {
	entries := make([]entryMatch, len(list.Entries))
	for i := range entries {
		entries[i].Entry = &list.Entries[i]
	}
	if err := s.matchPaths(ctx, dir, entries); err != nil {
		return Match{}, err
	}
	if err := s.matchTitles(ctx, entries); err != nil {
		return Match{}, err
	}
	m := Match{Missing: list.Entries[:0]}
	for i := range entries {
		if w := &entries[i]; w.song != "" {
			m.SongIDs = append(m.SongIDs, w.song)
		} else {
			m.Missing = append(m.Missing, *w.Entry)
		}
	}
	return m, nil
}

// entryMatch is the state of matching one entry of a playlist. There may be half a million: what
// can be derived from the entry is computed when it is needed.
type entryMatch struct {
	*playlist.Entry
	path *entryPath // of an entry that was compared
	song string
	best pathMatch
}

// entryPath is the path of an entry in the forms that are compared.
type entryPath struct {
	absolute string
	parts    []string // elements of the path, the last first
	folded   []string
}

func newEntryPath(dir, location string) *entryPath {
	dir, location = bucketPath(dir), bucketPath(location)
	location, _ = localPath(location)
	absolute := location
	if !path.IsAbs(location) {
		absolute = path.Join(dir, location)
	}
	return &entryPath{path.Clean(absolute), reversed(location), reversed(words.Key(tags.Clean(location)))}
}

// bucketPath returns a path of a bucket in the form of a path of a folder.
func bucketPath(p string) string {
	if rest, ok := strings.CutPrefix(p, "s3:/"); ok {
		return path.Clean("/" + rest)
	}
	return p
}

// entryIndex finds entries by a name without holding the names.
type entryIndex struct {
	seed     maphash.Seed
	last     map[uint64]int32 // the last entry with a hash, plus 1
	previous []int32          // the one before each entry, plus 1
}

func newEntryIndex(entries int) *entryIndex {
	return &entryIndex{maphash.MakeSeed(), make(map[uint64]int32), make([]int32, entries)}
}

// add adds entry i under a name. An empty name is not added.
func (x *entryIndex) add(name string, i int) {
	if name != "" {
		hash := maphash.String(x.seed, name)
		x.previous[i], x.last[hash] = x.last[hash], int32(i+1)
	}
}

// with yields the entries with a name.
func (x *entryIndex) with(name string) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := x.last[maphash.String(x.seed, name)]; i > 0 && yield(int(i-1)); i = x.previous[i-1] {
		}
	}
}

// pathMatch is the score of the best file so far. If two files have it, neither is used.
type pathMatch struct {
	score     int
	ambiguous bool
}

// name returns the folded artist and title of an entry, or "" if either is unknown.
func (w *entryMatch) name() string {
	if w.Artist == "" || w.Title == "" {
		return ""
	}
	return words.Key(w.Artist) + "\x1f" + words.Key(w.Title)
}

// baseName returns the folded last element of the path of an entry, or "" if it has none.
func (w *entryMatch) baseName() string {
	location, local := localPath(w.Location)
	if !local {
		return ""
	}
	if folded := reversed(words.Key(tags.Clean(location))); len(folded) > 0 {
		return strings.Clone(folded[0])
	}
	return ""
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
// common path suffix. A playlist whose entries all have the name of many files is an error: it
// would take hours.
func (s *Scanner) matchPaths(ctx context.Context, dir string, entries []entryMatch) error {
	byName, compared := newEntryIndex(len(entries)), 0
	for i := range entries {
		byName.add(entries[i].baseName(), i)
	}
	if len(byName.last) == 0 {
		return nil
	}
	for _, root := range s.roots {
		for known, err := range s.store.Files(ctx, root.Name()) {
			if err != nil {
				return err
			}
			if known.SongID == "" {
				continue
			}
			var file *entryPath
			for i := range byName.with(words.Key(tags.Clean(path.Base(known.Path)))) {
				if compared++; compared > s.mostCompared {
					return errors.New("too many of its entries have the names of too many files")
				}
				if file == nil {
					file = newEntryPath("", known.Root+"/"+known.Path)
				}
				w := &entries[i]
				if w.path == nil {
					w.path = newEntryPath(dir, w.Location)
				}
				w.compare(file, known.SongID)
			}
		}
	}
	for i := range entries {
		if w := &entries[i]; w.best.ambiguous {
			w.song = "" // two files match equally well
		}
	}
	return nil
}

// compare scores a file: an equal path is best, then the number of equal elements from the end,
// exact ones before folded ones.
func (w *entryMatch) compare(file *entryPath, song string) {
	score := 1 << 20
	if file.absolute != w.path.absolute {
		score = common(w.path.parts, file.parts)*1000 + common(w.path.folded, file.folded)
	}
	switch {
	case score > w.best.score:
		w.best, w.song = pathMatch{score: score}, song
	case score == w.best.score && song != w.song:
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
func (s *Scanner) matchTitles(ctx context.Context, entries []entryMatch) error {
	byName := newEntryIndex(len(entries))
	for i := range entries {
		if w := &entries[i]; w.song == "" {
			byName.add(w.name(), i)
		}
	}
	if len(byName.last) == 0 {
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
				name := words.Key(artist) + "\x1f" + words.Key(facts.Title)
				for i := range byName.with(name) {
					if entries[i].song == "" {
						entries[i].song = song.ID
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
