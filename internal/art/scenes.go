package art

import (
	"math"
	"math/rand/v2"
)

// style paints a whole canvas.
type style func(c *canvas, p palette, r *rand.Rand)

var styles = []style{dunes, aurora, tiles, grooves, ridges, sundown, petals, orbit, ribbons, skyline}

// uniform returns a uniformly distributed random number from lo to hi.
func uniform(r *rand.Rand, lo, hi float64) float64 { return lo + r.Float64()*(hi-lo) }

// dunes paints hills in front of each other, under a sun.
func dunes(c *canvas, p palette, r *rand.Rand) {
	sky, far, near := p.ground, p.c, p.a
	low := p.b
	if !p.dark() {
		low = p.ground.mix(p.b, 0.7)
	}
	c.fill(sky, mixOKLab(sky, low, 0.75), 0.25)
	sx, sy, sr := uniform(r, 0.28, 0.72), uniform(r, 0.3, 0.42), uniform(r, 0.09, 0.16)
	c.glow(sx, sy, sr*3.2, p.b, 0.45)
	c.disc(sx, sy, sr, p.b.mix(p.ink, 0.25*boolFloat(p.dark())), 1)
	hills := newRamp(
		mixOKLab(low, far, 0.75), far, mixOKLab(far, near, 0.55), near, mixOKLab(near, p.ground.scale(0.6), 0.45),
	)
	const layers = 6
	for i := range layers {
		t := float64(i) / (layers - 1)
		base := 0.50 + 0.42*t
		line := waves(r, uniform(r, 0.5, 1.1)+t*0.5, 0.035+0.02*t)
		top, foot := hills.at(t), hills.at(t).mix(low, 0.35*(1-t))
		c.shade(0, base-0.2, 1, 1, func(x, y float64) (rgb, float64) {
			d := base + line.at(x) - y
			return top.mix(foot, min(max(-d*2.2, 0), 1)), c.edge(d)
		})
	}
}

// aurora paints large soft lights that overlap.
func aurora(c *canvas, p palette, r *rand.Rand) {
	c.fill(p.ground, mixOKLab(p.ground, p.c, 0.55), r.Float64())
	cols := p.colours()
	for i := range 9 {
		x, y := uniform(r, -0.1, 1.1), uniform(r, -0.1, 1.1)
		c.glow(x, y, uniform(r, 0.35, 0.75), cols[i%3], uniform(r, 0.45, 0.8))
	}
	bend := waves(r, 0.6, 0.08)
	x0, width := uniform(r, 0.2, 0.8), uniform(r, 0.10, 0.18)
	light := p.ink
	if !p.dark() {
		light = web(0xffffff)
	}
	c.shade(0, 0, 1, 1, func(x, y float64) (rgb, float64) {
		d := (x - x0 - bend.at(y)) / width
		return light, 0.35 * math.Exp(-d*d) * (0.4 + 0.6*y)
	})
}

// tiles paints quarter circles, half circles and dots on a grid.
func tiles(c *canvas, p palette, r *rand.Rand) {
	c.fill(p.ground, p.ground, 0)
	n := 3 + r.IntN(3)
	size := 1 / float64(n)
	cols := []rgb{p.a, p.b, p.c, p.ink}
	for j := range n {
		for i := range n {
			x0, y0 := float64(i)*size, float64(j)*size
			back, fore := p.ground, cols[r.IntN(3)]
			if r.IntN(3) == 0 {
				back = cols[r.IntN(3)]
			}
			for fore == back {
				fore = cols[r.IntN(len(cols))]
			}
			tile(c, x0, y0, size, back, fore, p.ink, r)
		}
	}
}

func tile(c *canvas, x0, y0, size float64, back, fore, ink rgb, r *rand.Rand) {
	c.rect(x0, y0, x0+size, y0+size, back)
	kind, turn := r.IntN(6), r.IntN(4)
	c.shade(x0, y0, x0+size, y0+size, func(x, y float64) (rgb, float64) {
		u, v := (x-x0)/size, (y-y0)/size
		for range turn {
			u, v = v, 1-u
		}
		var d float64
		switch kind {
		case 0: // quarter circle
			d = distance(u, v) - 1
		case 1: // half circle
			d = max(distance(u-0.5, v)-0.5, -v)
		case 2: // dot
			d = distance(u-0.5, v-0.5) - 0.32
		case 3: // leaf
			d = max(distance(u, v)-1, distance(u-1, v-1)-1)
		case 4: // two arcs
			q := distance(u, v)
			d = max(math.Abs(q-0.75)-0.12, -1)
			if inner := q - 0.4; inner < d {
				d = inner
			}
		default: // triangle
			d = (u + v - 1) / math.Sqrt2
		}
		return fore, c.edge(d * size)
	})
	if kind == 0 && r.IntN(3) == 0 {
		c.disc(x0+size/2, y0+size/2, size*0.09, ink, 1)
	}
}

// grooves paints a record from close by, lit from one side.
func grooves(c *canvas, p palette, r *rand.Rand) {
	c.fill(p.ground, mixOKLab(p.ground, p.a, 0.35), uniform(r, 0.1, 0.4))
	cx, cy, radius := uniform(r, 0.35, 0.75), uniform(r, 0.45, 0.8), uniform(r, 0.62, 0.85)
	bands := newRamp(p.c, p.a, p.b, p.a, p.c)
	sin, cos := math.Sincos(r.Float64() * math.Pi)
	c.shade(0, 0, 1, 1, func(x, y float64) (rgb, float64) {
		d := distance(x-cx, y-cy)
		cosine := ((x-cx)*cos + (y-cy)*sin) / max(d, 1e-6) // of the angle to the light
		shine := cosine * cosine
		shine = shine * shine * shine * shine * shine * shine * shine
		groove := 0.5 + 0.5*math.Sin(d*2*math.Pi*46)
		col := bands.at(d/radius).scale(0.62+0.13*groove).mix(p.ink, 0.32*shine)
		return col, c.edge(d - radius)
	})
	c.disc(cx, cy, radius*0.30, p.b, 1)
	c.disc(cx, cy, radius*0.22, p.a, 1)
	c.disc(cx, cy, radius*0.035, p.ground, 1)
}

// ridges paints stacked lines with peaks in the middle.
func ridges(c *canvas, p palette, r *rand.Rand) {
	c.fill(p.ground, p.ground, 0)
	const lines = 26
	tint := newRamp(p.a, p.b, p.ink)
	centre := uniform(r, 0.42, 0.58)
	for i := range lines {
		t := float64(i) / (lines - 1)
		base := 0.24 + 0.62*t
		line := waves(r, 2.2, 1)
		shape := newCurve(func(x float64) float64 {
			e := (x - centre) / 0.2
			return 0.10 * math.Exp(-e*e) * (0.55 + 0.45*math.Abs(line.at(x))) * (0.6 + 0.6*math.Sin(t*math.Pi))
		})
		stretch := shape.stretch()
		col := tint.at(1 - t)
		c.shade(0.1, base-0.26, 0.9, base+0.03, func(x, y float64) (rgb, float64) {
			d := base - shape.at(x) - y
			thick := math.Abs(d)/stretch.at(x) - 0.0026
			if over := c.edge(thick); over > 0 {
				return col, over
			}
			return p.ground, c.edge(d) * boolFloat(y < base+0.004)
		})
	}
}

// sundown paints a large sun with horizontal bars, over water.
func sundown(c *canvas, p palette, r *rand.Rand) {
	c.fill(p.ground, mixOKLab(p.ground, p.c, 0.7), 0.25)
	cx, cy, radius := uniform(r, 0.42, 0.58), uniform(r, 0.46, 0.54), uniform(r, 0.27, 0.33)
	body := newRamp(p.b, p.a, mixOKLab(p.a, p.c, 0.6))
	c.glow(cx, cy, radius*2, p.a, 0.35)
	c.shade(0, 0, 1, 1, func(x, y float64) (rgb, float64) {
		d := distance(x-cx, y-cy) - radius
		t := (y - cy + radius) / (2 * radius)
		cut := 0.0
		if t > 0.42 {
			period := 0.105
			phase := math.Mod(t-0.42, period) / period
			gap := 0.12 + 0.6*(t-0.42)
			cut = c.edge((math.Abs(phase-0.5) - gap/2) * period * 2 * radius)
		}
		return body.at(t), c.edge(d) * (1 - cut)
	})
	horizon := cy + radius*1.12
	water := newRamp(mixOKLab(p.c, p.ground, 0.35), p.ground.scale(0.8))
	ripple := waves(r, 27, 0.012)
	c.shade(0, horizon, 1, 1, func(x, y float64) (rgb, float64) {
		depth := (y - horizon) / (1 - horizon)
		near := math.Abs(x-cx+ripple.at(y)*(1+4*depth)) / (radius * (0.9 - 0.35*depth))
		glint := math.Max(0, 1-near) * (0.5 + 0.5*math.Sin(y*260*(1.2-depth*0.6)))
		return water.at(depth).mix(p.b, 0.75*glint*(1-depth*0.7)), c.edge(horizon - y)
	})
}
