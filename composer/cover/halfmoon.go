package cover

import "math"

// HalfMoon is the cover of Lamplight: a half moon over a town and its harbour, all the
// light there is being warm.
func HalfMoon(x, y float64) Light {
	const horizon = 0.665
	if y < horizon {
		return town(x, y, horizon, duskSky(x, y))
	}
	return harbour(x, y, horizon)
}

var (
	amber = rgb(0xffc46b)
	night = rgb(0x0b1026)
)

func duskSky(x, y float64) Light {
	c := gradient(y,
		stop{0, rgb(0x0d1330)}, stop{0.3, rgb(0x1f1f4b)}, stop{0.5, rgb(0x4a2c5a)},
		stop{0.6, rgb(0x8a4658)}, stop{0.67, rgb(0xd07a54)})
	c = c.over(rgb(0x33295c), 0.5*smooth(0.45, 0.8, clouds(2.2*x, 9*y, 5, 3))*smooth(0.25, 0.5, y))
	return moon(x, y, stars(x, y, c))
}

func stars(x, y float64, c Light) Light {
	const cells = 34
	i, j := int(x*cells), int(y*cells)
	if hash(i, j, 5) < 0.78 {
		return c
	}
	sx := (float64(i) + 0.2 + 0.6*hash(i, j, 6)) / cells
	sy := (float64(j) + 0.2 + 0.6*hash(i, j, 7)) / cells
	size := 0.0006 + 0.0013*math.Pow(hash(i, j, 8), 4)
	bright := 0.75 * (1 - smooth(0.25, 0.5, y)) * (1 - smooth(size, 1.9*size, math.Hypot(x-sx, y-sy)))
	return c.over(rgb(0xfff1d8), bright)
}

func moon(x, y float64, c Light) Light {
	const cx, cy, r = 0.5, 0.335, 0.205
	d := math.Hypot(x-cx, y-cy)
	c = c.plus(amber, 0.30*math.Exp(-max(0, d-r)/0.085)+0.025*math.Exp(-max(0, d-r)/0.3))
	if d > r {
		return c
	}
	// The dark half is only hinted at; the border between them is a straight edge
	// tilted like a glass that is being poured.
	tilt := (x-cx)*math.Cos(0.42) + (y-cy)*math.Sin(0.42)
	dark := rgb(0x2a2350).over(rgb(0x5d3d63), 0.5*d/r)
	if tilt < 0 {
		return c.over(dark, 0.82)
	}
	lit := gradient(tilt/r, stop{0, rgb(0xfff0c4)}, stop{0.5, rgb(0xffd285)}, stop{1, rgb(0xf79a4d)})
	return lit.over(rgb(0xe8964e), 0.35*smooth(0.5, 0.72, clouds(7*x, 7*y, 4, 12)))
}

// town is two rows of roofs, the nearer with windows.
func town(x, y, horizon float64, c Light) Light {
	for row, look := range []struct {
		widths, low, high float64
		colour            Light
	}{{26, 0.025, 0.085, rgb(0x4b2c4e)}, {17, 0.015, 0.062, rgb(0x1a1532)}} {
		seed := uint32(40 + row)
		shifted := x + 0.013*float64(row)
		i := int(shifted * look.widths)
		in := shifted*look.widths - float64(i) // 0 to 1 across the building
		height := look.low + (look.high-look.low)*hash(i, row, seed)
		if hash(i, row, seed+1) < 0.55 { // a gable
			height += 0.018 * (1 - math.Abs(2*in-1))
		}
		if y < horizon-height {
			continue
		}
		c = look.colour
		wx, wy := int(shifted*look.widths*4), int((y-horizon)*95)
		fx, fy := shifted*look.widths*4-float64(wx), (y-horizon)*95-float64(wy)+1
		inside := fx > 0.25 && fx < 0.75 && fy > 0.3 && fy < 0.8 && y > horizon-height+0.02
		if row == 1 && inside && hash(wx, wy, 50) < 0.3 {
			c = amber.over(rgb(0xff9a4a), hash(wx, wy, 51))
		}
	}
	return c
}

// harbour mirrors the sky, broken by waves that grow towards us.
func harbour(x, y, horizon float64) Light {
	depth := (y - horizon) / (1 - horizon)
	wave := 0.006 + 0.05*depth
	bend := (clouds(3*x+2*y, 26*math.Sqrt(depth)*2, 3, 60) - 0.5) * wave
	glint := math.Sin(150*math.Sqrt(depth+0.02)+9*clouds(4*x, 30*depth, 3, 61)) * wave * 0.55
	mx := x + bend*2.2 + glint
	my := horizon - (y-horizon)*0.98 + bend - 0.004
	c := town(mx, my, horizon, duskSky(mx, my))
	c = c.over(night, 0.30+0.38*depth)
	streak := smooth(0.60, 0.80, noise(5*x, 90*math.Sqrt(depth), 62))
	return c.over(rgb(0x2b2a58), 0.25*streak*depth)
}
