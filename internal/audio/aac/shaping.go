package aac

import (
	"fmt"
	"math"
)

const maxOrder = 12 // of a filter in AAC-LC

// shaping is temporal noise shaping: filters over parts of the spectrum that make the quantisation
// noise in a window follow the envelope of the signal.
type shaping struct {
	counts  [windows]int
	filters [windows][3]filter
}

// filter is an all-pole filter over the lines from start to end.
type filter struct {
	start, end int
	order      int
	down       bool // from the highest line to the lowest
	poles      [maxOrder]float64
}

func (s *shaping) read(r *bitReader, c *windowing) error {
	clear(s.counts[:])
	if !r.flag() {
		return nil
	}
	count, countBits, lengthBits, orderBits := 1, 2, 6, 5
	if c.sequence == eightShort {
		count, countBits, lengthBits, orderBits = windows, 1, 4, 3
	}
	for w := range count {
		s.counts[w] = r.read(countBits)
		if s.counts[w] == 0 {
			continue
		}
		resolution := 3 + r.read(1)
		top := len(c.edges) - 1
		for i := range s.counts[w] {
			f := &s.filters[w][i]
			bottom := max(top-r.read(lengthBits), 0)
			f.start, f.end = c.edges[min(bottom, c.shaped, c.bands)], c.edges[min(top, c.shaped, c.bands)]
			top = bottom
			if err := f.read(r, orderBits, resolution); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *filter) read(r *bitReader, orderBits, resolution int) error {
	f.order = r.read(orderBits)
	if f.order > maxOrder {
		return fmt.Errorf("%w: a filter of order %d", errDamaged, f.order)
	}
	if f.order == 0 {
		return nil
	}
	f.down = r.flag()
	width := resolution - r.read(1)
	for i := range f.order {
		reflection := unquantise(r.read(width)<<(64-width), width, resolution)
		// Each reflection coefficient raises the order by one.
		for low, high := 0, i-1; low <= high; low, high = low+1, high-1 {
			a, b := f.poles[low], f.poles[high]
			f.poles[low], f.poles[high] = a+reflection*b, b+reflection*a
		}
		f.poles[i] = reflection
	}
	return nil
}

// unquantise converts a signed number at the top of a word to a reflection coefficient.
func unquantise(top, width, resolution int) float64 {
	q := float64(top >> (64 - width))
	steps := float64(int(1)<<(resolution-1)) - 0.5
	if q < 0 {
		steps++
	}
	return math.Sin(q / steps * math.Pi / 2)
}

// apply filters a spectrum.
func (s *shaping) apply(spectrum *[frameLines]float64) {
	for w, count := range s.counts {
		for i := range count {
			f := &s.filters[w][i]
			f.apply(spectrum[w*shortLines:][f.start:f.end])
		}
	}
}

func (f *filter) apply(lines []float64) {
	if f.order == 0 {
		return
	}
	var past [maxOrder]float64 // ring of the last outputs
	at, step := 0, 1
	if f.down {
		at, step = len(lines)-1, -1
	}
	newest := 0
	for range lines {
		v := lines[at]
		place := newest
		for _, pole := range f.poles[:f.order] {
			v -= pole * past[place]
			if place++; place == maxOrder {
				place = 0
			}
		}
		if newest--; newest < 0 {
			newest = maxOrder - 1
		}
		past[newest] = v
		lines[at] = v
		at += step
	}
}
