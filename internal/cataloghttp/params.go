package cataloghttp

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// bounds is the range and the default of a numeric parameter.
type bounds struct{ min, max, initial int64 }

// choice is a parameter with a fixed set of values; the first is the default, which may be empty.
type choice struct {
	name     string
	values   []string
	personal bool // every value but the default makes the response depend on the user's own data
}

// maxChoices is the number of choices of one route.
const maxChoices = 2

// querySpec says which parameters a route reads and whether its response depends on the viewer.
type querySpec struct {
	page      *bounds
	limit     *bounds
	search    bool
	with      []string // values that with accepts
	choices   []choice
	list      *listSpec
	perViewer bool // the response depends on the viewer
	personal  bool // and on what the viewer likes, rates and plays
	hourly    bool // and on the hour
	timed     bool // and on the minute, if there are smart playlists that do
	// prepare, if not nil, runs before anything is read, and may change the parameters.
	prepare func(r *http.Request, p *params) error
}

// The parameters of all reads.
var (
	one        = querySpec{with: []string{withMe}}
	oneSong    = querySpec{with: []string{withGain, withFile, withMe}}
	lists      = querySpec{page: &bounds{1, 1<<53 - 1, 1}, limit: &bounds{1, 200, 50}, with: []string{withMe}}
	plainLists = querySpec{page: lists.page, limit: lists.limit}
	songLists  = querySpec{page: lists.page, limit: lists.limit, with: []string{withMe, withFile}}.listing(
		listSpec{sorts: catalog.SongSorts(), order: true, genre: true, years: true, format: true, liked: true})
	genreSongs = lists.listing(listSpec{sorts: catalog.SongSorts(), order: true, years: true, format: true, liked: true})
	albumLists = lists.listing(listSpec{sorts: albumSorts(), order: true, genre: true, years: true, seed: true,
		liked: true})
	genreAlbums   = lists.listing(listSpec{sorts: albumSorts(), order: true, years: true, seed: true, liked: true})
	artistLists   = lists.listing(listSpec{roles: []string{roleAny, roleAlbumArtist}, liked: true})
	trending      = querySpec{limit: &bounds{1, 100, 20}, with: []string{withMe}}
	similar       = trending.own()
	searching     = querySpec{limit: &bounds{1, 50, 10}, search: true, with: []string{withMe}}.smart()
	likes         = lists.own(choice{name: "type", values: []string{"song", "album", "artist", "playlist"}}).smart()
	onePlaylist   = querySpec{with: []string{withMe, withRules}}.smart().private()
	userPlaylists = querySpec{page: lists.page, limit: lists.limit, with: onePlaylist.with}.smart().private()
	playlists     = userPlaylists.listing(listSpec{liked: true})
	playlistSongs = lists.smart().private()
	history       = lists.own()
	top           = lists.own(choice{name: "type", values: []string{"song", "album", "artist"}},
		choice{name: "range", values: []string{"all", "7d", "30d", "1y"}}).everyHour()
)

func albumSorts() []string { return append(catalog.AlbumSorts(), catalog.PersonalAlbumSorts()...) }

// The values of with.
const (
	withGain = "gain"
	withFile = "file"
	withMe   = "me"

	withRules = "rules"
)

// private returns s for a response that depends on the viewer.
func (s querySpec) private() querySpec {
	s.perViewer = true
	return s
}

// own returns s for a response with the viewer's own data.
func (s querySpec) own(choices ...choice) querySpec {
	s.perViewer, s.personal, s.choices = true, true, choices
	return s
}

// listing returns s for a list with orders and filters.
func (s querySpec) listing(l listSpec) querySpec {
	s.list = &l
	return s
}

// everyHour returns s for a response that changes with the hour.
func (s querySpec) everyHour() querySpec {
	s.hourly = true
	return s
}

// smart returns s for a response with smart playlists.
func (s querySpec) smart() querySpec {
	s.timed = true
	return s
}

const maxQueryBytes = 200 // bytes

// params are the validated parameters of a route.
type params struct {
	page     catalog.Page
	query    string
	gain, me bool // with
	file     bool // with
	rules    bool // with
	online   bool // the lyrics are those of a lyrics server
	list     listParams
	chosen   [maxChoices]string // by index of querySpec.choices
	personal bool               // the response contains or depends on the viewer's own data
}

// read parses and validates the query of a request. It ignores unknown parameters.
func (s querySpec) read(r *http.Request) (params, error) {
	p := params{page: catalog.Page{Number: 1}, personal: s.personal}
	if s.limit != nil {
		p.page.Limit = s.limit.initial
	}
	for i, c := range s.choices {
		p.chosen[i] = c.values[0]
	}
	if r.URL.RawQuery == "" && !s.search {
		return p, nil
	}
	q, err := parseQuery(r.URL.RawQuery, s.choices)
	if err != nil {
		return p, fault.New(fault.Invalid, "the query is malformed; escape it as a URL requires")
	}
	if s.page != nil {
		if p.page.Number, err = s.page.read(q.page, "page"); err != nil {
			return p, err
		}
	}
	if s.limit != nil {
		if p.page.Limit, err = s.limit.read(q.limit, "limit"); err != nil {
			return p, err
		}
	}
	if s.search {
		if q.query.count != 1 || q.query.value == "" || len(q.query.value) > maxQueryBytes {
			return p, fault.New(fault.Invalid, "q must be given once, with 1 to %d bytes", maxQueryBytes)
		}
		p.query = q.query.value
	}
	if err := p.readWith(s, q.with); err != nil {
		return p, err
	}
	for i, c := range s.choices {
		if err := p.choose(i, c, q.choices[i]); err != nil {
			return p, err
		}
	}
	if s.list != nil {
		p.list, err = s.list.read(q.list)
		p.personal = p.personal || p.list.personal()
	}
	return p, err
}

// readWith reads the parameter with: values separated by commas.
func (p *params) readWith(s querySpec, with param) error {
	if len(s.with) == 0 || with.count == 0 {
		return nil
	}
	for value := range strings.SplitSeq(with.value, ",") {
		if with.count > 1 || !slices.Contains(s.with, value) {
			return fault.New(fault.Invalid, "with must be given once, with values separated by commas: %s",
				strings.Join(s.with, ", "))
		}
		p.gain = p.gain || value == withGain
		p.file = p.file || value == withFile
		p.me = p.me || value == withMe
		p.rules = p.rules || value == withRules
	}
	p.personal = p.personal || p.me
	return nil
}

func (p *params) choose(i int, c choice, got param) error {
	if got.count == 0 {
		return nil
	}
	if got.count > 1 || got.value == "" || !slices.Contains(c.values, got.value) {
		values := slices.DeleteFunc(slices.Clone(c.values), func(v string) bool { return v == "" })
		return fault.New(fault.Invalid, "%s must be given once and be one of: %s", c.name, strings.Join(values, ", "))
	}
	p.chosen[i] = got.value
	p.personal = p.personal || c.personal && got.value != c.values[0]
	return nil
}

// rest returns the parameters besides page and limit as the end of a query.
func (p params) rest(s querySpec) string {
	var b strings.Builder
	for i, c := range s.choices {
		if p.chosen[i] != c.values[0] {
			b.WriteString("&" + c.name + "=" + p.chosen[i])
		}
	}
	if p.list.query != "" {
		b.WriteString("&" + p.list.query)
	}
	switch {
	case p.me && p.rules:
		b.WriteString("&with=" + withMe + "," + withRules)
	case p.me:
		b.WriteString("&with=" + withMe)
	case p.rules:
		b.WriteString("&with=" + withRules)
	}
	return b.String()
}

// param is the occurrences of one parameter in a query.
type param struct {
	count int
	value string // the last
}

// parsedQuery is the known parameters of a query.
type parsedQuery struct {
	page, limit, query, with param
	choices                  [maxChoices]param
	list                     listQuery
}

// parseQuery returns the known parameters of a query. It parses like [url.ParseQuery], without a
// map of all that a client may send.
func parseQuery(raw string, choices []choice) (q parsedQuery, err error) {
	for pair := range strings.SplitSeq(raw, "&") {
		if strings.Contains(pair, ";") {
			return q, errors.New("invalid semicolon separator")
		}
		name, value, _ := strings.Cut(pair, "=")
		if name, err = url.QueryUnescape(name); err != nil {
			return q, err
		}
		if value, err = url.QueryUnescape(value); err != nil {
			return q, err
		}
		into := q.find(name, choices)
		if into != nil {
			*into = param{into.count + 1, value}
		}
	}
	return q, nil
}

// find returns the parameter of a name, or nil if it is unknown.
func (q *parsedQuery) find(name string, choices []choice) *param {
	switch name {
	case "page":
		return &q.page
	case "limit":
		return &q.limit
	case "q":
		return &q.query
	case "with":
		return &q.with
	}
	for i, c := range choices {
		if c.name == name {
			return &q.choices[i]
		}
	}
	if i := slices.Index(listNames[:], name); i >= 0 {
		return &q.list[i]
	}
	return nil
}

func (b bounds) read(g param, name string) (int64, error) {
	if g.count == 0 {
		return b.initial, nil
	}
	if g.count == 1 && isDigits(g.value) {
		if n, err := strconv.ParseInt(g.value, 10, 64); err == nil && n >= b.min && n <= b.max {
			return n, nil
		}
	}
	return 0, fault.New(fault.Invalid, "%s must be a whole number from %d to %d", name, b.min, b.max)
}

// isDigits reports whether s consists of digits, without a sign.
func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// position parses the position of a playlist entry in the path.
func position(r *http.Request) (int64, error) {
	if text := r.PathValue("position"); isDigits(text) {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, fault.New(fault.Invalid, "position must be a whole number from 0")
}
