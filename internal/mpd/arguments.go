package mpd

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// integer reads a whole number between two bounds.
func integer(arg string, low, high int) (int, error) {
	n, err := strconv.Atoi(arg)
	if err != nil {
		return 0, ack(codeArg, "Integer expected: %s", clip(arg, 100))
	}
	if n < low || n > high {
		return 0, ack(codeArg, "Number too large: %s", clip(arg, 100))
	}
	return n, nil
}

func boolean(arg string) (bool, error) {
	switch arg {
	case "0":
		return false, nil
	case "1":
		return true, nil
	}
	return false, ack(codeArg, "Boolean (0/1) expected: %s", clip(arg, 100))
}

// rangeArg is a range of positions; end is math.MaxInt if it is open.
type rangeArg struct{ start, end int }

// parseRange reads "N", "N:M" or "N:". A single position is a range of one.
func parseRange(arg string) (rangeArg, error) {
	first, second, isRange := strings.Cut(arg, ":")
	start, err := strconv.Atoi(first)
	if err != nil && (first != "" || !isRange) {
		return rangeArg{}, ack(codeArg, "Integer or range expected: %s", clip(arg, 100))
	}
	switch {
	case start < 0 && !isRange: // MPD accepts -1 for everything
		if start == -1 {
			return rangeArg{0, math.MaxInt}, nil
		}
		return rangeArg{}, ack(codeArg, "Number is negative: %s", clip(arg, 100))
	case start < 0:
		return rangeArg{}, ack(codeArg, "Number is negative: %s", clip(arg, 100))
	case !isRange:
		return rangeArg{start, start + 1}, nil
	case second == "":
		return rangeArg{start, math.MaxInt}, nil
	}
	end, err := strconv.Atoi(second)
	if err != nil {
		return rangeArg{}, ack(codeArg, "Integer or range expected: %s", clip(arg, 100))
	}
	if end < start {
		return rangeArg{}, ack(codeArg, "Malformed range: %s", clip(arg, 100))
	}
	return rangeArg{start, end}, nil
}

// in returns the range within a list of n entries. A range that begins after the end is an error.
func (r rangeArg) in(n int) (from, to int, err error) {
	if r.start > n || r.start == n && r.end == r.start+1 {
		return 0, 0, errBadIndex
	}
	return r.start, min(r.end, n), nil
}

// clamp returns the part of the range that a list of n entries has.
func (r rangeArg) clamp(n int) (from, to int) { return min(r.start, n), min(r.end, n) }

// seconds reads a time in seconds with decimals.
func seconds(arg string) (time.Duration, error) {
	f, err := strconv.ParseFloat(arg, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, ack(codeArg, "Float expected: %s", clip(arg, 100))
	}
	if f > 1e8 || f < -1e8 {
		return 0, ack(codeArg, "Number too large: %s", clip(arg, 100))
	}
	return time.Duration(f * float64(time.Second)), nil
}
