package art

import (
	"image"
	"math"
)

// canvas is a square picture with coordinates from 0 to 1, independent of its size in pixels.
type canvas struct {
	px  int
	pix []rgb
}

func newCanvas(px int) *canvas { return &canvas{px: px, pix: make([]rgb, px*px)} }

// shade blends f's colour and alpha over every pixel of a rectangle.
func (c *canvas) shade(x0, y0, x1, y1 float64, f func(x, y float64) (rgb, float64)) {
	n := float64(c.px)
	fromX, toX := max(int(x0*n), 0), min(int(math.Ceil(x1*n)), c.px)
	fromY, toY := max(int(y0*n), 0), min(int(math.Ceil(y1*n)), c.px)
	for py := fromY; py < toY; py++ {
		row := c.pix[py*c.px:]
		y := (float64(py) + 0.5) / n
		for px := fromX; px < toX; px++ {
			if col, alpha := f((float64(px)+0.5)/n, y); alpha > 0 {
				row[px] = row[px].mix(col, min(alpha, 1))
			}
		}
	}
}

// fill paints the canvas with a gradient from a to b. Its direction is an angle in turns.
func (c *canvas) fill(a, b rgb, turns float64) {
	ramp := newRamp(a, b)
	dx, dy := math.Cos(turns*2*math.Pi), math.Sin(turns*2*math.Pi)
	reach := math.Abs(dx) + math.Abs(dy)
	c.shade(0, 0, 1, 1, func(x, y float64) (rgb, float64) {
		return ramp.at(((x-0.5)*dx+(y-0.5)*dy)/reach + 0.5), 1
	})
}

// edge converts a signed distance (negative is inside) to the coverage of a pixel.
func (c *canvas) edge(distance float64) float64 {
	return min(max(0.5-distance*float64(c.px), 0), 1)
}

func (c *canvas) disc(cx, cy, r float64, col rgb, alpha float64) {
	c.shade(cx-r-0.01, cy-r-0.01, cx+r+0.01, cy+r+0.01, func(x, y float64) (rgb, float64) {
		return col, alpha * c.edge(distance(x-cx, y-cy)-r)
	})
}

// glow paints a disc that fades out towards its edge.
func (c *canvas) glow(cx, cy, r float64, col rgb, alpha float64) {
	c.shade(cx-r, cy-r, cx+r, cy+r, func(x, y float64) (rgb, float64) {
		d := distance(x-cx, y-cy) / r
		if d >= 1 {
			return col, 0
		}
		f := 1 - d*d
		return col, alpha * f * f
	})
}

func (c *canvas) rect(x0, y0, x1, y1 float64, col rgb) {
	c.shade(x0-0.01, y0-0.01, x1+0.01, y1+0.01, func(x, y float64) (rgb, float64) {
		return col, c.edge(max(x0-x, x-x1)) * c.edge(max(y0-y, y-y1))
	})
}

// grain adds noise, which hides banding in gradients.
func (c *canvas) grain(seed uint64, strength float64) {
	for i := range c.pix {
		seed ^= seed << 13
		seed ^= seed >> 7
		seed ^= seed << 17
		n := (float64(seed>>40)/float64(1<<24) - 0.5) * strength
		p := &c.pix[i]
		p.r, p.g, p.b = p.r+n, p.g+n, p.b+n
	}
}

func (c *canvas) image() *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, c.px, c.px))
	for i, p := range c.pix {
		o := out.Pix[i*4 : i*4+4]
		o[0], o[1], o[2], o[3] = byte8(p.r), byte8(p.g), byte8(p.b), 255
	}
	return out
}

func distance(dx, dy float64) float64 { return math.Sqrt(dx*dx + dy*dy) }
