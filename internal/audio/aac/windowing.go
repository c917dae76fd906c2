package aac

import "fmt"

// Window sequences.
const (
	onlyLong = iota
	longStart
	eightShort
	longStop
)

// windowing is the division of a channel's frame into windows, groups of windows that share scale
// factors, and bands.
type windowing struct {
	sequence int
	shape    int // of the window: 0 sine, 1 Kaiser-Bessel
	*division
	bands  int // that are transmitted
	groups int
	sizes  [windows]int // windows in each group
}

// read parses an ics_info.
func (s *windowing) read(r *bitReader, long, short *division) error {
	r.read(1)
	s.sequence, s.shape = r.read(2), r.read(1)
	s.groups, s.sizes[0] = 1, 1
	if s.sequence == eightShort {
		s.division = short
		s.bands = r.read(4)
		grouping := r.read(windows - 1)
		for i := windows - 2; i >= 0; i-- {
			if grouping>>i&1 == 0 {
				s.sizes[s.groups] = 0
				s.groups++
			}
			s.sizes[s.groups-1]++
		}
	} else {
		s.division = long
		s.bands = r.read(6)
		if r.flag() {
			return fmt.Errorf("%w: prediction from earlier frames", ErrUnsupported)
		}
	}
	if s.bands >= len(s.edges) {
		return fmt.Errorf("%w: %d bands of %d", errDamaged, s.bands, len(s.edges)-1)
	}
	return nil
}
