package cover

import "math"

// hash is a number in [0, 1) that belongs to a place of a grid.
func hash(x, y int, seed uint32) float64 {
	h := uint32(x)*0x8da6b343 ^ uint32(y)*0xd8163841 ^ seed*0xcb1ab31f
	h = (h ^ h>>15) * 0x2c1b3c6d
	h = (h ^ h>>12) * 0x297a2d39
	return float64(h^h>>15) / (1 << 32)
}

// noise is a smooth random field with a feature about every unit.
func noise(x, y float64, seed uint32) float64 {
	ix, iy := math.Floor(x), math.Floor(y)
	fx, fy := smooth(0, 1, x-ix), smooth(0, 1, y-iy)
	i, j := int(ix), int(iy)
	top := hash(i, j, seed)*(1-fx) + hash(i+1, j, seed)*fx
	bottom := hash(i, j+1, seed)*(1-fx) + hash(i+1, j+1, seed)*fx
	return top*(1-fy) + bottom*fy
}

// clouds sums noise of ever finer features; the result lies in [0, 1].
func clouds(x, y float64, octaves int, seed uint32) float64 {
	sum, weight, total := 0.0, 1.0, 0.0
	for k := range octaves {
		sum += weight * noise(x, y, seed+uint32(k)*31)
		total += weight
		weight *= 0.5
		x, y = 2*x+17.3, 2*y-9.1
	}
	return sum / total
}
