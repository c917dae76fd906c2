package mpd

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"waxwing/api/catalogapi"
)

// library is the catalog as clients see it: songs in a tree of folders. It is never modified.
type library struct {
	root  *folder
	all   []*song // in the order of the tree
	byURI map[string]*song
	byID  map[string]*song

	artists, albums int // numbers of different values
	seconds         int64
	newest          int64 // last change of a song in the catalog, in Unix seconds
}

// folder is a folder with songs somewhere below it.
type folder struct {
	path     string // "" for the root
	folders  []*folder
	songs    []*song
	modified int64 // of the newest song below it
}

// newLibrary builds the tree. Songs come in the order in which the catalog added them: where two
// music folders have a file of the same path, the later one gets a prefix.
func newLibrary(list []catalogapi.Song) *library {
	l := &library{
		root:  &folder{},
		byURI: make(map[string]*song, len(list)), byID: make(map[string]*song, len(list)),
	}
	folders := map[string]*folder{"": l.root}
	for _, c := range list {
		uri := l.freeURI(c)
		s := newSong(c, uri)
		l.byURI[s.uri()], l.byID[s.id] = s, s
		l.newest = max(l.newest, c.UpdatedAt.Unix())
		dir := parent(uri)
		f := l.folder(folders, dir)
		f.songs = append(f.songs, s)
		for ; ; dir = parent(dir) {
			if f := folders[dir]; f.modified < s.modified {
				f.modified = s.modified
			}
			if dir == "" {
				break
			}
		}
	}
	l.sort()
	l.count()
	return l
}

// freeURI returns the URI of a song: its path as valid text in one line, or a short one for a path
// that is unknown or too long.
func (l *library) freeURI(c catalogapi.Song) string {
	uri := ""
	if c.File != nil {
		uri = strings.Trim(path.Clean("/"+string(appendClean(nil, orEmpty(c.File.Path)))), "/")
	}
	if uri == "" || len(uri) > maxValue-100 {
		uri = missingPrefix + c.ID
	}
	free := uri
	for n := 2; l.byURI[free] != nil; n++ {
		free = strconv.Itoa(n) + ":/" + uri
	}
	return free
}

func parent(uri string) string {
	if i := strings.LastIndexByte(uri, '/'); i >= 0 {
		return uri[:i]
	}
	return ""
}

// folder returns the folder of a path and creates it if needed.
func (l *library) folder(known map[string]*folder, dir string) *folder {
	if f := known[dir]; f != nil {
		return f
	}
	f := &folder{path: dir}
	known[dir] = f
	up := l.folder(known, parent(dir))
	up.folders = append(up.folders, f)
	return f
}

// sort brings folders into the order of their names, and the songs of a folder into that of album,
// disc, track and name, as MPD does.
func (l *library) sort() {
	order := collate.New(language.Und)
	l.all = make([]*song, 0, len(l.byURI))
	var walk func(f *folder)
	walk = func(f *folder) {
		slices.SortFunc(f.folders, func(a, b *folder) int {
			return cmp.Or(order.CompareString(path.Base(a.path), path.Base(b.path)), cmp.Compare(a.path, b.path))
		})
		slices.SortFunc(f.songs, func(a, b *song) int { return compareSongs(order, a, b) })
		l.all = append(l.all, f.songs...)
		for _, sub := range f.folders {
			walk(sub)
		}
	}
	walk(l.root)
}

func compareSongs(order *collate.Collator, a, b *song) int {
	if x, y := a.value(tagAlbum), b.value(tagAlbum); x != y {
		if c := order.CompareString(x, y); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(number(a.value(tagDisc)), number(b.value(tagDisc))),
		cmp.Compare(number(a.value(tagTrack)), number(b.value(tagTrack))),
		order.CompareString(path.Base(a.uri()), path.Base(b.uri())), cmp.Compare(a.uri(), b.uri()))
}

// number returns the number that a text begins with, or 0.
func number(s string) int {
	end := 0
	for end < len(s) && end < 9 && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, _ := strconv.Atoi(s[:end]) // "" is 0
	return n
}

// count computes the numbers of the command stats.
func (l *library) count() {
	artists, albums := map[string]bool{}, map[string]bool{}
	var millis int64
	for _, s := range l.all {
		if v := s.value(tagArtist); v != "" {
			artists[v] = true
		}
		if v := s.value(tagAlbum); v != "" {
			albums[v] = true
		}
		millis += s.duration.Milliseconds()
	}
	l.artists, l.albums, l.seconds = len(artists), len(albums), millis/1000
}

// find returns the folder or the song of a URI. A path outside the library has neither.
func (l *library) find(uri string) (*folder, *song) {
	if uri == "/" {
		uri = ""
	}
	if s := l.byURI[uri]; s != nil {
		return nil, s
	}
	if strings.HasSuffix(uri, "/") {
		return nil, nil
	}
	f := l.root
	for uri != "" {
		name, rest, _ := strings.Cut(uri, "/")
		want := name
		if f.path != "" {
			want = f.path + "/" + name
		}
		i := slices.IndexFunc(f.folders, func(sub *folder) bool { return sub.path == want })
		if i < 0 {
			return nil, nil
		}
		f, uri = f.folders[i], rest
	}
	return f, nil
}

// songs appends all songs of a folder, in order.
func (f *folder) all(list []*song) []*song {
	list = append(list, f.songs...)
	for _, sub := range f.folders {
		list = sub.all(list)
	}
	return list
}
