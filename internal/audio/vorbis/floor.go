package vorbis

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

var errFloor = errors.New("bad floor")

// floor is a spectral envelope of the second kind (type 1): a line through points.
type floor struct {
	partitions []uint8 // class of each
	classes    []floorClass
	multiplier int
	points     []floorPoint
	order      []int // indices of points from left to right
}

type floorClass struct {
	dim        int
	subclasses uint // bits
	master     *codebook
	books      []*codebook // nil: the value is 0
}

// floorPoint is a position x on the line. Its height is coded as the difference from the line
// between its two neighbours among the points before it.
type floorPoint struct {
	x         int
	low, high int
}

func readFloor(r *bitReader, books []*codebook) (*floor, error) {
	f := &floor{partitions: make([]uint8, r.read(5))}
	classes := 0
	for i := range f.partitions {
		f.partitions[i] = uint8(r.read(4))
		classes = max(classes, int(f.partitions[i])+1)
	}
	f.classes = make([]floorClass, classes)
	for i := range f.classes {
		if err := f.classes[i].read(r, books); err != nil {
			return nil, err
		}
	}
	f.multiplier = int(r.read(2)) + 1
	bits := uint(r.read(4))
	f.points = []floorPoint{{x: 0}, {x: 1 << bits}}
	for _, class := range f.partitions {
		for range f.classes[class].dim {
			f.points = append(f.points, floorPoint{x: int(r.read(bits))})
		}
	}
	if r.over || len(f.points) > maxPoints {
		return nil, errFloor
	}
	return f, f.arrange()
}

func (c *floorClass) read(r *bitReader, books []*codebook) error {
	c.dim = int(r.read(3)) + 1
	c.subclasses = uint(r.read(2))
	if c.subclasses > 0 {
		master := int(r.read(8))
		if master >= len(books) {
			return errFloor
		}
		c.master = books[master]
	}
	c.books = make([]*codebook, 1<<c.subclasses)
	for i := range c.books {
		if book := int(r.read(8)) - 1; book >= len(books) {
			return errFloor
		} else if book >= 0 {
			c.books[i] = books[book]
		}
	}
	return nil
}

// arrange sorts the points and finds their neighbours.
func (f *floor) arrange() error {
	f.order = make([]int, len(f.points))
	for i := range f.order {
		f.order[i] = i
	}
	slices.SortFunc(f.order, func(a, b int) int { return cmp.Compare(f.points[a].x, f.points[b].x) })
	for i := 1; i < len(f.order); i++ {
		if f.points[f.order[i]].x == f.points[f.order[i-1]].x {
			return errFloor
		}
	}
	for i := 2; i < len(f.points); i++ {
		p := &f.points[i]
		p.low, p.high = 0, 1
		for j := range i {
			switch x := f.points[j].x; {
			case x < p.x && x > f.points[p.low].x:
				p.low = j
			case x > p.x && x < f.points[p.high].x:
				p.high = j
			}
		}
		if f.points[p.low].x >= p.x || f.points[p.high].x <= p.x {
			return errFloor
		}
	}
	return nil
}

const maxPoints = 65

// heights are the decoded heights of a floor's points. A negative height is ^predicted: the point
// is on the line between its neighbours and is not drawn.
type heights [maxPoints]int

// read decodes the heights for one channel. It returns false when the channel is silent.
func (f *floor) read(r *bitReader, h *heights) bool {
	if !r.flag() {
		return false
	}
	limit := [...]int{256, 128, 86, 64}[f.multiplier-1]
	bits := bitLength(limit - 1)
	h[0], h[1] = int(r.read(bits)), int(r.read(bits))
	at := 2
	for _, number := range f.partitions {
		class := &f.classes[number]
		choice := 0
		if class.master != nil {
			if choice = class.master.scalar(r); choice < 0 {
				return false
			}
		}
		for range class.dim {
			book := class.books[choice&(1<<class.subclasses-1)]
			choice >>= class.subclasses
			h[at] = 0
			if book != nil {
				if h[at] = book.scalar(r); h[at] < 0 {
					return false
				}
			}
			at++
		}
	}
	if r.over {
		return false
	}
	f.unpredict(h, limit)
	return true
}

// unpredict converts differences to heights.
func (f *floor) unpredict(h *heights, limit int) {
	for i := 2; i < len(f.points); i++ {
		p := f.points[i]
		low, high := f.points[p.low], f.points[p.high]
		predicted := between(low.x, drawn(h[p.low]), high.x, drawn(h[p.high]), p.x)
		above, below := limit-predicted, predicted
		room := 2 * min(above, below)
		value := h[i]
		switch {
		case value == 0:
			h[i] = ^predicted
			continue
		case value >= room && above > below:
			value -= below
		case value >= room:
			value = above - value - 1
		case value&1 == 1:
			value = -(value + 1) / 2
		default:
			value /= 2
		}
		h[i] = (predicted + value) & 0x7fff
		h[p.low] = drawn(h[p.low])
		h[p.high] = drawn(h[p.high])
	}
}

func drawn(height int) int {
	if height < 0 {
		return ^height
	}
	return height
}

// between returns the height at x of the line from (x0, y0) to (x1, y1), rounded towards y0.
func between(x0, y0, x1, y1, x int) int {
	return y0 + (y1-y0)*(x-x0)/(x1-x0)
}

// apply multiplies a spectrum by the envelope.
func (f *floor) apply(h *heights, spectrum []float32) {
	x, y := 0, min(h[0]*f.multiplier, 255)
	for _, i := range f.order[1:] {
		if h[i] < 0 {
			continue
		}
		toX, toY := f.points[i].x, min(h[i]*f.multiplier, 255)
		drawLine(x, y, toX, toY, spectrum)
		x, y = toX, toY
	}
	if x < len(spectrum) {
		scale := envelope[y]
		for i := range spectrum[x:] {
			spectrum[x+i] *= scale
		}
	}
}

// drawLine multiplies spectrum by the envelope from x0 up to but not including x1, with exactly the
// steps of the specification.
func drawLine(x0, y0, x1, y1 int, spectrum []float32) {
	width := x1 - x0
	base := (y1 - y0) / width
	rest := y1 - y0 - base*width
	step := 1
	if y1 < y0 {
		step, rest = -1, -rest
	}
	y, carry := y0, 0
	for x := x0; x < min(x1, len(spectrum)); x++ {
		spectrum[x] *= envelope[y]
		y += base
		if carry += rest; carry >= width {
			carry -= width
			y += step
		}
	}
}

// envelope maps a height to a factor: 256 steps that span 140 dB up to 1.
var envelope = func() (table [256]float32) {
	for i := range table {
		table[i] = float32(math.Pow(10, float64(i-255)*140/256/20))
	}
	return table
}()
