package aac

import "fmt"

// joint says for which bands the channels of a pair were coded together.
type joint struct {
	used [maxBands]bool
}

// read reads the mask of bands. One that says "all of them" counts for intensity as well, as
// decoders in use have it.
func (j *joint) read(r *bitReader, s *windowing) error {
	all := s.groups * s.bands
	switch mode := r.read(2); mode {
	case 0:
		clear(j.used[:all])
	case 1:
		for i := range all {
			j.used[i] = r.flag()
		}
	case 2:
		for i := range all {
			j.used[i] = true
		}
	default:
		return fmt.Errorf("%w: mode %d of joint stereo", errDamaged, mode)
	}
	return nil
}

// undo makes left and right of sum and difference, and the right channel of bands that have only a left one. The
// channels share their windowing.
func (j *joint) undo(left, right *channel, t *tables) {
	left.eachBand(func(i, from, to int) {
		book := right.books[i]
		l := left.spectrum[from:to]
		r := right.spectrum[from:to][:len(l)]
		switch {
		case book > noiseBook:
			gain := t.gains[int(right.factors[i])+gainsMiddle]
			if (book == intensityBook) == j.used[i] {
				gain = -gain
			}
			for k, v := range l {
				r[k] = v * gain
			}
		case j.used[i] && book < noiseBook && left.books[i] < noiseBook:
			for k, sum := range l {
				difference := r[k]
				l[k], r[k] = sum+difference, sum-difference
			}
		}
	})
}
