// Package cover paints the album covers of the demo music. A painter gives the light
// at a point; everything else (anti-aliasing, grain, the file) is shared.
package cover

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"os"
)

// Side is the width and height of a cover in pixels.
const Side = 800

// Painter is the light at a point of the unit square, (0,0) at the upper left. Light is
// linear, so that averages and translucent layers look as they do in the world.
type Painter func(x, y float64) Light

// Light is a linear colour.
type Light struct{ R, G, B float64 }

// Save paints a cover and writes it as JPEG.
func Save(file string, paint Painter) error {
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, render(paint, Side), &jpeg.Options{Quality: 84}); err != nil {
		return fmt.Errorf("encode cover: %w", err)
	}
	if err := os.WriteFile(file, buf.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write cover: %w", err)
	}
	return nil
}

// render takes nine points in every pixel and adds a film grain to their mean.
func render(paint Painter, side int) image.Image {
	const per = 3
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	step := 1 / float64(side*per)
	for py := range side {
		for px := range side {
			var sum Light
			for k := range per * per {
				x := (float64(px*per+k%per) + 0.5) * step
				y := (float64(py*per+k/per) + 0.5) * step
				sum = sum.plus(paint(x, y), 1.0/(per*per))
			}
			grain := 0.022 * (hash(px, py, 77) - 0.5)
			img.SetRGBA(px, py, color.RGBA{
				R: display(sum.R, grain), G: display(sum.G, grain), B: display(sum.B, grain), A: 255,
			})
		}
	}
	return img
}

func display(light, grain float64) uint8 {
	light = max(0, light)
	v := 12.92 * light
	if light > 0.0031308 {
		v = 1.055*math.Pow(light, 1/2.4) - 0.055
	}
	return uint8(255*min(1, max(0, v+grain)) + 0.5)
}

// linear is the light of each of the 256 steps a screen shows.
var linear = func() (table [256]float64) {
	for i := range table {
		s := float64(i) / 255
		table[i] = s / 12.92
		if s > 0.04045 {
			table[i] = math.Pow((s+0.055)/1.055, 2.4)
		}
	}
	return table
}()

// rgb is a colour as painters' programs write it: 0xRRGGBB.
func rgb(hex uint32) Light {
	return Light{linear[hex>>16&255], linear[hex>>8&255], linear[hex&255]}
}

func (l Light) plus(m Light, weight float64) Light {
	return Light{l.R + weight*m.R, l.G + weight*m.G, l.B + weight*m.B}
}

// over lays a colour over this one; cover 0 leaves it, 1 hides it.
func (l Light) over(top Light, cover float64) Light {
	cover = min(1, max(0, cover))
	return Light{l.R + (top.R-l.R)*cover, l.G + (top.G-l.G)*cover, l.B + (top.B-l.B)*cover}
}

// stop is a colour at a place of a gradient.
type stop struct {
	at float64
	c  Light
}

// gradient is the colour at x between stops in rising order.
func gradient(x float64, stops ...stop) Light {
	if x <= stops[0].at {
		return stops[0].c
	}
	for i, s := range stops[1:] {
		if x <= s.at {
			return stops[i].c.over(s.c, smooth(stops[i].at, s.at, x))
		}
	}
	return stops[len(stops)-1].c
}

// smooth rises from 0 at a to 1 at b without corners.
func smooth(a, b, x float64) float64 {
	t := min(1, max(0, (x-a)/(b-a)))
	return t * t * (3 - 2*t)
}
