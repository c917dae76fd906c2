package aac

import "fmt"

// joint records the bands in which the channels of a pair are coded together.
type joint struct {
	used [maxBands]bool
}

// read parses the mask of bands. A mask for all bands applies to intensity stereo as well, as in
// other decoders.
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

// undo converts sum and difference to left and right and computes the right channel of intensity
// bands. The channels share their windowing.
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
