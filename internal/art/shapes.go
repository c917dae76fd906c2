package art

import (
	"math"
	"math/rand/v2"
)

// petals paints transparent petals around a centre.
func petals(c *canvas, p palette, r *rand.Rand) {
	c.fill(p.ground, mixOKLab(p.ground, p.b, 0.22), uniform(r, 0, 1))
	cx, cy := 0.5, 0.5
	rings := 2 + r.IntN(2)
	cols := p.colours()
	first := r.IntN(3)
	for ring := range rings {
		count := []int{6, 8, 9, 10, 12}[r.IntN(5)]
		reach := 0.44 - 0.11*float64(ring)
		width := reach * uniform(r, 0.55, 0.8) * math.Sin(math.Pi/float64(count)) * 1.7
		turn := r.Float64() * math.Pi
		colours := newRamp(cols[(first+ring)%3], cols[(first+ring+1)%3])
		for i := range count {
			angle := turn + float64(i)*2*math.Pi/float64(count)
			petal(c, cx, cy, angle, reach, width, colours)
		}
	}
	c.disc(cx, cy, 0.055, p.ink, 1)
	c.disc(cx, cy, 0.03, cols[first], 1)
}

// petal paints the intersection of two circles.
func petal(c *canvas, cx, cy, angle, length, width float64, colours *ramp) {
	sin, cos := math.Sincos(angle)
	half, bow := length/2, width/2
	radius := (half*half + bow*bow) / (2 * bow)
	shift := radius - bow
	tipX, tipY := cx+length*cos, cy+length*sin
	x0, y0, x1, y1 := min(cx, tipX)-bow, min(cy, tipY)-bow, max(cx, tipX)+bow, max(cy, tipY)+bow
	c.shade(x0, y0, x1, y1, func(x, y float64) (rgb, float64) {
		u, v := (x-cx)*cos+(y-cy)*sin-half, -(x-cx)*sin+(y-cy)*cos
		d := distance(u, math.Abs(v)+shift) - radius
		cover := c.edge(d)
		if cover == 0 {
			return rgb{}, 0
		}
		return colours.at((u + half) / length), 0.62 * cover
	})
}

// orbit paints planets on circular orbits.
func orbit(c *canvas, p palette, r *rand.Rand) {
	c.fill(mixOKLab(p.ground, p.c, 0.25), p.ground, uniform(r, 0, 1))
	for range 130 {
		c.disc(r.Float64(), r.Float64(), uniform(r, 0.0006, 0.0022), p.ink, uniform(r, 0.2, 0.8))
	}
	cx, cy := uniform(r, 0.3, 0.7), uniform(r, 0.35, 0.7)
	core := uniform(r, 0.13, 0.19)
	c.glow(cx, cy, core*3, p.a, 0.5)
	planet(c, cx, cy, core, p.b, p.a)
	cols := p.colours()
	for i := range 4 {
		ring := core + 0.09 + 0.105*float64(i)*uniform(r, 0.9, 1.1)
		c.shade(0, 0, 1, 1, func(x, y float64) (rgb, float64) {
			return p.ink, 0.55 * c.edge(math.Abs(distance(x-cx, y-cy)-ring)-0.0012)
		})
		angle := r.Float64() * 2 * math.Pi
		x, y := cx+ring*math.Cos(angle), cy+ring*math.Sin(angle)
		planet(c, x, y, uniform(r, 0.014, 0.042), cols[i%3], cols[(i+1)%3].mix(p.ground, 0.3))
	}
}

// planet paints a ball lit from the upper left.
func planet(c *canvas, cx, cy, radius float64, light, shadow rgb) {
	body := newRamp(light, shadow, shadow.scale(0.55))
	c.shade(cx-radius-0.01, cy-radius-0.01, cx+radius+0.01, cy+radius+0.01, func(x, y float64) (rgb, float64) {
		lit := distance(x-cx+radius*0.4, y-cy+radius*0.4) / (radius * 1.5)
		return body.at(lit), c.edge(distance(x-cx, y-cy) - radius)
	})
}

// ribbons paints parallel curved bands of colour.
func ribbons(c *canvas, p palette, r *rand.Rand) {
	c.fill(p.ground, mixOKLab(p.ground, p.c, 0.2), 0.25)
	path := waves(r, uniform(r, 0.35, 0.6), 0.17)
	stretch := path.stretch()
	turn := uniform(r, -0.16, 0.16)
	cos, sin := math.Cos(turn*2*math.Pi), math.Sin(turn*2*math.Pi)
	count := 5 + r.IntN(3)
	width := 0.42 / float64(count)
	band := newRamp(p.a, p.b, p.c)
	c.shade(0, 0, 1, 1, func(x, y float64) (rgb, float64) {
		u, v := (x-0.5)*cos+(y-0.5)*sin+0.5, -(x-0.5)*sin+(y-0.5)*cos+0.5
		at := (v - 0.5 - path.at(u)) / stretch.at(u)
		index := math.Floor(at/width + float64(count)/2)
		if index < 0 || index >= float64(count) {
			return rgb{}, 0
		}
		middle := (index - float64(count)/2 + 0.5) * width
		d := math.Abs(at-middle) - width*0.5
		round := (at - middle) / width
		col := band.at(index / float64(count-1))
		col = col.mix(p.ink, 0.10*(0.5-round)*boolFloat(p.dark())).scale(1 - 0.16*math.Max(0, round)*2)
		return col, c.edge(d + 0.002)
	})
}

// skyline paints tall buildings at night with a few lit windows.
func skyline(c *canvas, p palette, r *rand.Rand) {
	if !p.dark() {
		p.ground, p.ink = p.ink, p.ground // dark sky
	}
	c.fill(p.ground, mixOKLab(p.ground, p.a, 0.6), 0.25)
	mx, my := uniform(r, 0.2, 0.8), uniform(r, 0.2, 0.34)
	c.glow(mx, my, 0.3, p.b, 0.4)
	c.disc(mx, my, uniform(r, 0.06, 0.1), p.b, 1)
	for layer := range 3 {
		t := float64(layer) / 2
		wall := mixOKLab(mixOKLab(p.a, p.c, 0.5), p.ground.scale(0.45), 0.25+0.7*t)
		for x := -0.05; x < 1; {
			width := uniform(r, 0.07, 0.15) * (0.8 + 0.4*t)
			top := uniform(r, 0.38, 0.62) + 0.17*t
			c.rect(x, top, x+width, 1.02, wall)
			if r.IntN(4) == 0 {
				c.rect(x+width*0.46, top-0.05, x+width*0.54, top, wall)
			}
			windows(c, x, top, width, p, t, r)
			x += width + uniform(r, -0.01, 0.015)
		}
	}
}

func windows(c *canvas, x, top, width float64, p palette, t float64, r *rand.Rand) {
	const step = 0.026
	for wy := top + 0.025; wy < 0.98; wy += step {
		for wx := x + 0.014; wx < x+width-0.016; wx += step * 0.8 {
			if r.Float64() < 0.10+0.14*t {
				c.rect(wx, wy, wx+0.009, wy+0.013, p.b.mix(p.ink, r.Float64()*0.5))
			}
		}
	}
}
