package cataloghttp

import (
	"net/http"
	"net/url"
	"strconv"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
)

// bounds is the range of a numeric parameter.
type bounds struct{ min, max, normal int64 }

// shape says which parameters a route reads and whether its reply depends on who asks.
type shape struct {
	page   *bounds
	limit  *bounds
	search bool
	owned  bool
}

// The shapes of all reads.
var (
	one       = shape{}
	lists     = shape{page: &bounds{1, 1<<53 - 1, 1}, limit: &bounds{1, 200, 50}}
	trending  = shape{limit: &bounds{1, 100, 20}}
	searching = shape{limit: &bounds{1, 50, 10}, search: true}
)

// private is the shape of a reply that differs between the owners of keys.
func (s shape) private() shape {
	s.owned = true
	return s
}

const longestQuery = 200 // bytes

// params are a route's parameters, checked.
type params struct {
	page  catalog.Page
	query string
}

// read checks the query of a request. What it does not know it ignores.
func (s shape) read(r *http.Request) (params, error) {
	p := params{page: catalog.Page{Number: 1}}
	if s.limit != nil {
		p.page.Limit = s.limit.normal
	}
	if r.URL.RawQuery == "" && !s.search {
		return p, nil
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return p, fault.New(fault.Invalid, "the query cannot be read")
	}
	if s.page != nil {
		if p.page.Number, err = s.page.read(query, "page"); err != nil {
			return p, err
		}
	}
	if s.limit != nil {
		if p.page.Limit, err = s.limit.read(query, "limit"); err != nil {
			return p, err
		}
	}
	if s.search {
		values := query["q"]
		if len(values) != 1 || values[0] == "" || len(values[0]) > longestQuery {
			return p, fault.New(fault.Invalid, "q must be given once, with 1 to %d bytes", longestQuery)
		}
		p.query = values[0]
	}
	return p, nil
}

func (b bounds) read(query url.Values, name string) (int64, error) {
	values, given := query[name]
	if !given {
		return b.normal, nil
	}
	if len(values) == 1 && isDigits(values[0]) {
		if n, err := strconv.ParseInt(values[0], 10, 64); err == nil && n >= b.min && n <= b.max {
			return n, nil
		}
	}
	return 0, fault.New(fault.Invalid, "%s must be a whole number from %d to %d", name, b.min, b.max)
}

// isDigits refuses the signs that numbers may have elsewhere.
func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// position reads the path's position of a playlist entry.
func position(r *http.Request) (int64, error) {
	if text := r.PathValue("position"); isDigits(text) {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n, nil
		}
	}
	return 0, fault.New(fault.Invalid, "position must be a whole number from 0")
}
