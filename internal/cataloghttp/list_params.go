package cataloghttp

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// listSpec says by what a list can be ordered and filtered.
type listSpec struct {
	sorts  []string
	roles  []string
	order  bool
	genre  bool
	years  bool
	format bool
	seed   bool
	liked  bool
}

// The parameters of lists, as indexes of listQuery.
const (
	paramSort = iota
	paramOrder
	paramGenre
	paramYear
	paramFormat
	paramSeed
	paramRole
	paramLiked
	paramCount
)

var listNames = [paramCount]string{"sort", "order", "genre", "year", "format", "seed", "role", "liked"}

// listQuery holds the parameters of lists in a query.
type listQuery [paramCount]param

// The values of role.
const (
	roleAny         = "any"
	roleAlbumArtist = "albumartist"
)

// listParams are the validated order and filters of a list.
type listParams struct {
	// query is the same for equal lists: the parameters in a fixed order, escaped.
	query  string
	sort   string
	order  catalog.Order
	genre  string
	years  catalog.Range
	format string
	seed   string
	role   string
	liked  bool
}

// personal reports whether the list depends on what the viewer likes, rates and plays.
func (p listParams) personal() bool {
	return p.liked || slices.Contains(catalog.PersonalAlbumSorts(), p.sort)
}

func (p listParams) songs(v catalog.Viewer) catalog.SongQuery {
	q := catalog.SongQuery{Sort: p.sort, Order: p.order, Genre: p.genre, Years: p.years, Format: p.format}
	if p.liked {
		q.Liked = v
	}
	return q
}

func (p listParams) albums(v catalog.Viewer) catalog.AlbumQuery {
	q := catalog.AlbumQuery{Sort: p.sort, Order: p.order, Seed: p.seed, Genre: p.genre, Years: p.years}
	if p.liked {
		q.Liked = v
	}
	if p.personal() {
		q.Viewer = v
	}
	return q
}

func (p listParams) artists(v catalog.Viewer) catalog.ArtistQuery {
	q := catalog.ArtistQuery{OfAlbums: p.role == roleAlbumArtist}
	if p.liked {
		q.Liked = v
	}
	return q
}

const (
	maxGenre = 100 // characters
	maxSeed  = 64  // bytes
)

// read validates the parameters of a list.
func (s listSpec) read(given listQuery) (p listParams, err error) {
	var query strings.Builder
	take := func(allowed bool, i int, valid func(value string) bool, values string) string {
		got := given[i]
		if !allowed || got.count == 0 || err != nil {
			return ""
		}
		if got.count > 1 || !valid(got.value) {
			err = fault.New(fault.Invalid, "%s must be given once and be %s", listNames[i], values)
			return ""
		}
		if query.Len() > 0 {
			query.WriteByte('&')
		}
		query.WriteString(listNames[i] + "=" + url.QueryEscape(got.value))
		return got.value
	}
	choice := func(i int, values ...string) string {
		return take(len(values) > 0, i, func(v string) bool { return slices.Contains(values, v) },
			"one of: "+strings.Join(values, ", "))
	}
	p.sort = choice(paramSort, s.sorts...)
	if s.order {
		p.order = catalog.Order(choice(paramOrder, string(catalog.Ascending), string(catalog.Descending)))
	}
	p.role = choice(paramRole, s.roles...)
	p.genre = take(s.genre, paramGenre, func(v string) bool { return strings.TrimSpace(v) != "" && len(v) <= 4*maxGenre },
		"the name of a genre, 1 to "+strconv.Itoa(maxGenre)+" characters")
	take(s.years, paramYear, func(v string) (ok bool) {
		p.years, ok = parseYears(v)
		return ok
	}, "a year or a range of years from 1 to 9999: 1999 or 1990-1999")
	if s.format {
		p.format = choice(paramFormat, catalog.Formats()...)
	}
	if s.liked {
		p.liked = choice(paramLiked, "true") != ""
	}
	p.seed = take(s.seed, paramSeed, func(v string) bool { return v != "" && len(v) <= maxSeed },
		"a text of 1 to "+strconv.Itoa(maxSeed)+" bytes")
	if err == nil && p.sort == "random" && p.seed == "" {
		err = fault.New(fault.Invalid, "sort=random needs a seed: send the same one for all pages of a list")
	}
	p.query = query.String()
	return p, err
}

// parseYears parses "1999" or "1990-1999".
func parseYears(text string) (catalog.Range, bool) {
	first, second, isRange := strings.Cut(text, "-")
	from, ok := parseYear(first)
	if !ok || !isRange {
		return catalog.Range{From: from, To: from}, ok
	}
	to, ok := parseYear(second)
	return catalog.Range{From: from, To: to}, ok && from <= to
}

func parseYear(text string) (int, bool) {
	if !isDigits(text) || len(text) > 4 {
		return 0, false
	}
	year, err := strconv.Atoi(text)
	return year, err == nil && year > 0
}
