package cover

import "math"

// stroke is a tapered line of one colour.
type stroke struct {
	ax, ay, bx, by float64
	wideA, wideB   float64
	colour         Light
}

// berry is a round fruit, blue under its bloom.
type berry struct{ x, y, r float64 }

// plant is strokes and berries, painted in order.
type plant struct {
	strokes []stroke
	berries []berry
}

// twig is the juniper of Stamp.
var twig = grow()

// grow draws a bent stem with side shoots and sets needles in pairs along all of them.
func grow() plant {
	var p plant
	stem := func(t float64) (x, y float64) {
		return -0.17 + 0.27*t + 0.05*math.Sin(3*t), 0.30 - 0.60*t + 0.035*math.Sin(5*t)
	}
	p.branch(stem, 46, 0.0060, 0)
	for k, t := range []float64{0.22, 0.36, 0.5, 0.64, 0.78} {
		x, y := stem(t)
		side := 1.0
		if k%2 == 1 {
			side = -1
		}
		long := 0.19 - 0.10*t
		shoot := func(s float64) (float64, float64) {
			return x + side*long*s*1.05, y - long*s*(0.55+0.45*s)
		}
		p.branch(shoot, 22, 0.0042, uint32(k+1))
		for b := range 3 {
			s := 0.25 + 0.24*float64(b)
			bx, by := shoot(s)
			p.berries = append(
				p.berries,
				berry{bx - side*0.012 + 0.010*hash(k, b, 160), by + 0.022, 0.0155 + 0.005*hash(k, b, 161)},
			)
		}
	}
	return p
}

func (p *plant) branch(at func(float64) (x, y float64), needles int, wide float64, seed uint32) {
	const pieces = 18
	bark := rgb(0x4a3527)
	for k := range pieces {
		t, u := float64(k)/pieces, float64(k+1)/pieces
		ax, ay := at(t)
		bx, by := at(u)
		p.strokes = append(p.strokes, stroke{ax, ay, bx, by, wide * (1 - 0.7*t), wide * (1 - 0.7*u), bark})
	}
	for k := range needles {
		t := 0.10 + 0.92*float64(k)/float64(needles)
		x, y := at(t)
		ahead, up := at(t + 0.02)
		heading := math.Atan2(up-y, ahead-x)
		for _, side := range []float64{-1, 1} {
			chance := hash(k, int(side), 170+seed)
			angle := heading + side*(0.62+0.35*chance)
			long := (0.042 - 0.014*t) * (0.8 + 0.4*hash(k, int(side), 190+seed))
			green := rgb(0x1d4a3f).over(rgb(0x86a86a), chance)
			p.strokes = append(
				p.strokes,
				stroke{x, y, x + long*math.Cos(angle), y + long*math.Sin(angle), 0.0036, 0.0006, green},
			)
		}
	}
}

func (p plant) paint(x, y float64, c Light) Light {
	for _, s := range p.strokes {
		if s.hit(x, y) {
			c = s.colour
		}
	}
	for _, b := range p.berries {
		d := math.Hypot(x-b.x, y-b.y) / b.r
		if d > 1 {
			continue
		}
		shine := math.Hypot(x-b.x+0.35*b.r, y-b.y+0.4*b.r) / b.r
		c = gradient(shine, stop{0, rgb(0xa9bddc)}, stop{0.5, rgb(0x546fa3)}, stop{1.3, rgb(0x1f2b55)})
	}
	return c
}

func (s stroke) hit(x, y float64) bool {
	dx, dy := s.bx-s.ax, s.by-s.ay
	px, py := x-s.ax, y-s.ay
	if reach := math.Abs(dx) + math.Abs(dy) + 0.01; math.Abs(px) > reach || math.Abs(py) > reach {
		return false
	}
	t := min(1, max(0, (px*dx+py*dy)/(dx*dx+dy*dy)))
	wide := s.wideA + (s.wideB-s.wideA)*t
	ex, ey := px-t*dx, py-t*dy
	return ex*ex+ey*ey < wide*wide
}
