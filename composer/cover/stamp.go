package cover

import "math"

// Stamp is the cover of Juniper Post: a stamp with a juniper twig on brown paper.
func Stamp(x, y float64) Light {
	paper := envelope(x, y)
	const tilt = -0.055
	u := (x-0.5)*math.Cos(tilt) + (y-0.5)*math.Sin(tilt)
	v := -(x-0.5)*math.Sin(tilt) + (y-0.5)*math.Cos(tilt)
	shade := smooth(0.03, -0.02, edge(u-0.008, v-0.014))
	c := paper.over(rgb(0x3a2c20), 0.55*shade)
	if edge(u, v) < 0 {
		c = stampFace(u, v)
	}
	return postmark(x, y, c)
}

func envelope(x, y float64) Light {
	c := rgb(0xc9a983).over(rgb(0xb38f68), clouds(3*x, 3*y, 4, 130))
	fibre := clouds(40*x+8*clouds(5*x, 5*y, 2, 132), 160*y, 3, 131)
	c = c.over(rgb(0xe6cfab), 0.35*smooth(0.55, 0.8, fibre))
	vignette := smooth(0.35, 0.8, math.Hypot(x-0.5, y-0.5))
	return c.over(rgb(0x7a5c40), 0.5*vignette)
}

const halfWide, halfHigh = 0.335, 0.405

// edge is below zero on the stamp: a rectangle less the holes along its border.
func edge(u, v float64) float64 {
	d := max(math.Abs(u)-halfWide, math.Abs(v)-halfHigh)
	const holes = 0.0335
	along, across := u, math.Abs(v)-halfHigh
	if math.Abs(u)/halfWide > math.Abs(v)/halfHigh {
		along, across = v, math.Abs(u)-halfWide
	}
	along -= math.Floor(along/holes)*holes + holes/2
	return max(d, 0.0105-math.Hypot(along, across))
}

func stampFace(u, v float64) Light {
	cream := rgb(0xf6eedb).over(rgb(0xe6d9bd), 0.6*clouds(9*u, 9*v, 4, 140))
	inner := max(math.Abs(u)-halfWide+0.047, math.Abs(v)-halfHigh+0.047)
	if inner > 0 {
		return cream
	}
	c := gradient(v,
		stop{-0.36, rgb(0x17424a)}, stop{-0.05, rgb(0x3d7a74)}, stop{0.2, rgb(0xd9c08f)}, stop{0.36, rgb(0xe59a6c)})
	d := math.Hypot(u-0.07, v-0.055)
	c = c.over(rgb(0xfbe7bd), 0.9*smooth(0.150, 0.148, d)).plus(rgb(0xf7d79a), 0.12*math.Exp(-max(0, d-0.15)/0.08))
	hill := 0.235 + 0.035*math.Sin(7*u+1) + 0.02*math.Sin(17*u)
	c = c.over(rgb(0x8a6a5a), 0.75*smooth(hill, hill+0.003, v))
	c = c.over(rgb(0x3f4a4c), smooth(0.285+0.03*math.Sin(5*u+3), 0.288+0.03*math.Sin(5*u+3), v))
	c = twig.paint(u, v, c)
	// The ink lies on paper: it is a little uneven, and ends in a thin line.
	c = c.over(cream, 0.055*smooth(0.5, 0.8, clouds(60*u, 60*v, 3, 141)))
	return c.over(rgb(0x17424a), 0.8*smooth(-0.006, -0.0045, inner))
}

// postmark is two rings and four waves of half-dried ink over the lower right corner.
func postmark(x, y float64, c Light) Light {
	dx, dy := x-0.80, y-0.80
	d := math.Hypot(dx, dy)
	ink := 0.0
	for _, ring := range []float64{0.112, 0.078} {
		ink = max(ink, smooth(0.0042, 0.0024, math.Abs(d-ring)))
	}
	if d > 0.112 && dx < -0.06 && dx > -0.46 {
		for k := -1.5; k <= 1.5; k++ {
			wave := 0.042*k + 0.010*math.Sin(44*dx)
			ink = max(ink, smooth(0.0042, 0.0024, math.Abs(dy-wave)))
		}
	}
	if d < 0.072 { // three short lines stand for a date
		for k := -1.0; k <= 1; k++ {
			if math.Abs(dx) < 0.046-0.014*math.Abs(k) {
				ink = max(ink, smooth(0.0058, 0.0042, math.Abs(dy-0.025*k)))
			}
		}
	}
	wear := smooth(0.26, 0.5, clouds(34*x, 34*y, 4, 150))
	return c.over(rgb(0x1d2233), 0.62*ink*wear)
}
