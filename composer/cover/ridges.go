package cover

import "math"

// Ridges is the cover of Slow Weather: seven ridges in morning mist.
func Ridges(x, y float64) Light {
	c := gradient(y,
		stop{0, rgb(0x8fb8bd)}, stop{0.22, rgb(0xbfd3cc)}, stop{0.42, rgb(0xf1dcc2)}, stop{0.6, rgb(0xf3c3a3)})
	const sx, sy, r = 0.66, 0.315, 0.082
	d := math.Hypot(x-sx, y-sy)
	c = c.plus(rgb(0xffd9a8), 0.42*math.Exp(-d/0.14))
	c = c.over(rgb(0xfff6e2), 0.97*(1-smooth(r-0.002, r, d)))
	veil := smooth(0.46, 0.75, clouds(2.1*x+0.3, 11*y, 5, 21))
	c = c.over(rgb(0xf7e7d6), 0.55*veil*smooth(0.1, 0.3, y)*(1-smooth(0.45, 0.6, y)))

	const layers = 7
	for k := range layers {
		depth := float64(k) / (layers - 1) // 0 far, 1 near
		ground := ridge(x, k, depth)
		top := ground - firs(x, k, depth)
		if y < top {
			continue
		}
		far, near := rgb(0xb9c3bd), rgb(0x10333c)
		hue := far.over(rgb(0x5f8f93), smooth(0, 0.5, depth)).over(near, smooth(0.35, 1, depth))
		// Light catches the crest, mist gathers in the valley under it.
		crest := math.Exp(-(y - top) / 0.012)
		mist := smooth(0, 0.17+0.05*depth, y-ground) * (0.85 - 0.5*depth)
		mist *= 0.7 + 0.6*clouds(3*x+float64(k), 7*y, 4, 30+uint32(k))
		c = hue.over(rgb(0xf6e3cd), 0.16*crest*(1-depth)).over(rgb(0xecdcca), mist)
	}
	return c
}

// ridge is the height of the k-th crest at x.
func ridge(x float64, k int, depth float64) float64 {
	scale := 1.6 + 1.1*depth
	hills := clouds(scale*x+3*float64(k), 0.5, 5, uint32(100+7*k)) - 0.45
	return 0.44 + 0.47*math.Pow(depth, 1.25) - (0.17-0.06*depth)*hills
}

// firs is how far the trees stand above the ground of the nearer crests.
func firs(x float64, k int, depth float64) float64 {
	if depth < 0.6 {
		return 0
	}
	const spacing = 110
	i := math.Floor(x * spacing)
	in := math.Abs(2*(x*spacing-i) - 1)
	tall := 0.006 + 0.024*depth*hash(int(i), k, uint32(101+7*k))
	wood := smooth(0.35, 0.6, noise(6*x, float64(k), uint32(102+7*k))+0.15)
	return tall * max(0, 1-in*1.15) * wood
}
