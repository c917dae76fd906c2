package cover

import "math"

// NightPark is the cover of Insert Moon: a park at night on a screen of a hundred
// coarse pixels, under a moon that takes coins.
func NightPark(x, y float64) Light {
	const cells = 100
	i, j := int(x*cells), int(y*cells)
	const shore = 72
	c := pixelPark(i, j)
	if j >= shore {
		// The pond: the park upside down, shifted in strips.
		strip := (j - shore) / 2
		sway := int(math.Round(1.6 * math.Sin(float64(strip)*1.9) * float64(strip) / 7))
		c = pixelPark(i+sway, 2*shore-1-j-(j-shore)/2).over(rgb(0x140a3a), 0.42)
		if hash(i/5, j, 90) < 0.07 && j%2 == 0 {
			c = c.over(rgb(0xffb3d1), 0.35)
		}
		if j == shore {
			c = rgb(0x3df0d0).over(rgb(0x140a3a), 0.35)
		}
	}
	// The gaps between the pixels of an old screen.
	fx, fy := x*cells-float64(i), y*cells-float64(j)
	if fx > 0.9 || fy > 0.9 {
		c = c.over(Light{}, 0.16)
	}
	return c
}

// skyColours from the zenith down; between two of them the screen can only dither.
var skyColours = []Light{
	rgb(0x120838), rgb(0x22105c), rgb(0x431a86), rgb(0x7a2798), rgb(0xc03a92), rgb(0xf25f7f), rgb(0xff9a76),
}

// bayer is the order in which a cell of 4×4 pixels fills up.
var bayer = [16]float64{0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5}

func pixelPark(i, j int) Light {
	level := float64(j) / 72 * float64(len(skyColours)-1)
	threshold := (bayer[(j&3)*4+(i&3)] + 0.5) / 16
	index := int(level)
	if level-float64(index) > threshold {
		index++
	}
	c := skyColours[min(max(index, 0), len(skyColours)-1)]
	if j < 45 && hash(i, j, 91) < 0.012 {
		c = rgb(0xfff3c9)
	}
	c = pixelMoon(i, j, threshold, c)
	c = skyline(i, j, c)
	return trees(i, j, c)
}

func pixelMoon(i, j int, threshold float64, c Light) Light {
	const cx, cy, r = 62, 27, 15.3
	dx, dy := float64(i)-cx+0.5, float64(j)-cy+0.5
	d := math.Hypot(dx, dy)
	if d > r {
		if glow := 1 - (d-r)/9; glow > 0 && glow*0.55 > threshold {
			return c.over(rgb(0xffd6a0), 0.38)
		}
		return c
	}
	c = rgb(0xfff4cf)
	if (dx+dy)/r > 0.15+threshold*0.9 { // the shaded side
		c = rgb(0xffc98a)
	}
	for _, crater := range [][3]float64{{-7, -5, 2.6}, {6, 7, 2.2}, {-5, 7, 1.7}, {7, -7, 1.4}} {
		if math.Hypot(dx-crater[0], dy-crater[1]) < crater[2] {
			c = rgb(0xf2b57e)
		}
	}
	if math.Abs(dx) < 2.4 && math.Abs(dy) < 6.2 { // the slot and its frame
		c = rgb(0xd98a6a)
		if math.Abs(dx) < 1.1 && math.Abs(dy) < 5 {
			c = rgb(0x22105c)
		}
	}
	return c
}

func skyline(i, j int, c Light) Light {
	block := (i + 300) / 7
	height := 6 + int(15*hash(block, 1, 92))
	top := 66 - height
	if j < top {
		if i%7 == 3 && j >= top-4 && hash(block, 2, 92) < 0.35 {
			return rgb(0x2a1260) // an aerial
		}
		return c
	}
	c = rgb(0x2a1260)
	if i%7 == 6 {
		return rgb(0x1c0b4a)
	}
	if i%2 == 1 && j%3 == 1 && j > top+1 && hash(i, j, 93) < 0.5 {
		return []Light{rgb(0xffe08a), rgb(0x3df0d0), rgb(0xff7ab8)}[int(3*hash(i, j, 94))]
	}
	return c
}

// trees are round crowns on short trunks along the shore, and the lawn under them.
func trees(i, j int, c Light) Light {
	if j >= 68 {
		c = rgb(0x0d2a4a)
		if hash(i, j, 95) < 0.25 {
			c = rgb(0x12405a)
		}
	}
	for k := range 9 {
		cx := float64(k)*13 - 3 + 5*hash(k, 0, 96)
		r := 4.2 + 2.6*hash(k, 1, 96)
		cy := 67 - r - 1.5
		dx, dy := float64(i)-cx, float64(j)-cy
		if math.Abs(dx) < 1 && j > int(cy) && j < 70 {
			c = rgb(0x1b0b3d)
		}
		if math.Hypot(dx, dy) < r+0.6*hash(i, j, 97) {
			c = rgb(0x0f3f5c)
			if dx-dy > 0.35*r {
				c = rgb(0x1c7a78)
			}
			if dx-dy > 1.0*r {
				c = rgb(0x3dc79a)
			}
		}
	}
	return c
}
