package cataloghttp

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// bounds is the range and the default of a numeric parameter.
type bounds struct{ min, max, initial int64 }

// querySpec says which parameters a route reads and whether its response depends on the viewer.
type querySpec struct {
	page      *bounds
	limit     *bounds
	search    bool
	with      bool // accepts with=gain
	perViewer bool
}

// The parameters of all reads.
var (
	one       = querySpec{}
	oneSong   = querySpec{with: true}
	lists     = querySpec{page: &bounds{1, 1<<53 - 1, 1}, limit: &bounds{1, 200, 50}}
	trending  = querySpec{limit: &bounds{1, 100, 20}}
	searching = querySpec{limit: &bounds{1, 50, 10}, search: true}
)

// private returns s for a response that depends on the viewer.
func (s querySpec) private() querySpec {
	s.perViewer = true
	return s
}

const maxQueryBytes = 200 // bytes

// params are the validated parameters of a route.
type params struct {
	page  catalog.Page
	query string
	gain  bool // with=gain
}

// read parses and validates the query of a request. It ignores unknown parameters.
func (s querySpec) read(r *http.Request) (params, error) {
	p := params{page: catalog.Page{Number: 1}}
	if s.limit != nil {
		p.page.Limit = s.limit.initial
	}
	if r.URL.RawQuery == "" && !s.search {
		return p, nil
	}
	page, limit, query, with, err := parseQuery(r.URL.RawQuery)
	if err != nil {
		return p, fault.New(fault.Invalid, "the query is malformed; escape it as a URL requires")
	}
	if s.page != nil {
		if p.page.Number, err = s.page.read(page, "page"); err != nil {
			return p, err
		}
	}
	if s.limit != nil {
		if p.page.Limit, err = s.limit.read(limit, "limit"); err != nil {
			return p, err
		}
	}
	if s.search {
		if query.count != 1 || query.value == "" || len(query.value) > maxQueryBytes {
			return p, fault.New(fault.Invalid, "q must be given once, with 1 to %d bytes", maxQueryBytes)
		}
		p.query = query.value
	}
	if s.with && with.count > 0 {
		if with.count > 1 || with.value != "gain" {
			return p, fault.New(fault.Invalid, "with must be given once and be one of: gain")
		}
		p.gain = true
	}
	return p, nil
}

// param is the occurrences of one parameter in a query.
type param struct {
	count int
	value string // the last
}

// parseQuery returns the known parameters of a query. It parses like [url.ParseQuery], without a
// map of all that a client may send.
func parseQuery(raw string) (page, limit, query, with param, err error) {
	for pair := range strings.SplitSeq(raw, "&") {
		if strings.Contains(pair, ";") {
			return page, limit, query, with, errors.New("invalid semicolon separator")
		}
		name, value, _ := strings.Cut(pair, "=")
		if name, err = url.QueryUnescape(name); err != nil {
			return page, limit, query, with, err
		}
		if value, err = url.QueryUnescape(value); err != nil {
			return page, limit, query, with, err
		}
		switch name {
		case "page":
			page = param{page.count + 1, value}
		case "limit":
			limit = param{limit.count + 1, value}
		case "q":
			query = param{query.count + 1, value}
		case "with":
			with = param{with.count + 1, value}
		}
	}
	return page, limit, query, with, nil
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
