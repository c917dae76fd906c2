package subsonic

import (
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"

	"waxwing/internal/fault"
)

const (
	maxBody = 1 << 20 // bytes of a form
	maxIDs  = 20_000  // values of one parameter
)

// params are the parameters of a request: those of its query and of its form.
type params url.Values

// parse reads the form of a request once; paramsOf returns it afterwards.
func parse(w http.ResponseWriter, r *http.Request) error {
	if r.Form != nil {
		return nil
	}
	if r.Body != nil {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	}
	err := r.ParseForm() // what it cannot parse is left out
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return fault.New(fault.TooLarge, "the form is too large; it may have %d bytes", maxBody)
	}
	for name, values := range r.Form {
		if len(values) > maxIDs {
			return fault.New(fault.TooLarge, "the parameter %.40q has %d values; it may have %d", name, len(values), maxIDs)
		}
	}
	return nil
}

// paramsOf returns the parameters of a request, or those of its query if it was not parsed.
func paramsOf(r *http.Request) params {
	if r.Form != nil {
		return params(r.Form)
	}
	return params(r.URL.Query())
}

// get returns the first value of a parameter, or "".
func (p params) get(name string) string { return url.Values(p).Get(name) }

// required returns the first value of a parameter that must be there.
func (p params) required(name string) (string, error) {
	value := p.get(name)
	if value == "" {
		return "", missing(name)
	}
	return value, nil
}

// int returns a whole number within bounds; a value outside is moved to the nearest.
func (p params) int(name string, initial, least, most int64) (int64, error) {
	text := p.get(name)
	if text == "" {
		return initial, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fault.New(fault.Invalid, "the parameter %s must be a whole number", name)
	}
	return min(max(n, least), most), nil
}

// span returns the size and offset of a part of a list. size is the value of the first of the names
// that is given.
func (p params) span(initial, most int64, offsetName string, names ...string) (offset, size int64, err error) {
	size = initial
	for _, name := range names {
		if p.get(name) != "" {
			if size, err = p.int(name, initial, 0, most); err != nil {
				return 0, 0, err
			}
			break
		}
	}
	offset, err = p.int(offsetName, 0, 0, math.MaxInt32)
	return offset, size, err
}

// bool returns a truth value.
func (p params) bool(name string, initial bool) bool {
	switch p.get(name) {
	case "true", "True", "TRUE", "1":
		return true
	case "false", "False", "FALSE", "0":
		return false
	}
	return initial
}
