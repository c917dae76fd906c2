package art

import (
	"image/color"
	"math"
)

func byte8(v float64) uint8 { return uint8(min(max(v*255+0.5, 0), 255)) }

// rgb is an sRGB colour with components from 0 to 1.
type rgb struct{ r, g, b float64 }

// web returns the colour 0xRRGGBB.
func web(v uint32) rgb {
	return rgb{float64(v>>16&255) / 255, float64(v>>8&255) / 255, float64(v&255) / 255}
}

func (c rgb) mix(o rgb, t float64) rgb {
	return rgb{c.r + (o.r-c.r)*t, c.g + (o.g-c.g)*t, c.b + (o.b-c.b)*t}
}

func (c rgb) scale(f float64) rgb { return rgb{c.r * f, c.g * f, c.b * f} }

func (c rgb) luma() float64 { return 0.299*c.r + 0.587*c.g + 0.114*c.b }

func (c rgb) color() color.RGBA { return color.RGBA{byte8(c.r), byte8(c.g), byte8(c.b), 255} }

// ramp is a gradient through evenly spaced colours. It is interpolated in a perceptual colour
// space, which avoids a grey middle.
type ramp [256]rgb

func newRamp(stops ...rgb) *ramp {
	var out ramp
	for i := range out {
		at := float64(i) / 255 * float64(len(stops)-1)
		k := min(int(at), len(stops)-2)
		out[i] = mixOKLab(stops[k], stops[k+1], at-float64(k))
	}
	return &out
}

func (r *ramp) at(t float64) rgb {
	at := min(max(t, 0), 1) * 255
	i := min(int(at), 254)
	return r[i].mix(r[i+1], at-float64(i))
}

// mixOKLab mixes two colours in OKLab (Björn Ottosson, 2020).
func mixOKLab(a, b rgb, t float64) rgb {
	la, lb := toOKLab(a), toOKLab(b)
	return fromOKLab([3]float64{la[0] + (lb[0]-la[0])*t, la[1] + (lb[1]-la[1])*t, la[2] + (lb[2]-la[2])*t})
}

func toOKLab(c rgb) [3]float64 {
	r, g, b := linear(c.r), linear(c.g), linear(c.b)
	l := math.Cbrt(0.4122214708*r + 0.5363325363*g + 0.0514459929*b)
	m := math.Cbrt(0.2119034982*r + 0.6806995451*g + 0.1073969566*b)
	s := math.Cbrt(0.0883024619*r + 0.2817188376*g + 0.6299787005*b)
	return [3]float64{
		0.2104542553*l + 0.7936177850*m - 0.0040720468*s,
		1.9779984951*l - 2.4285922050*m + 0.4505937099*s,
		0.0259040371*l + 0.7827717662*m - 0.8086757660*s,
	}
}

func fromOKLab(v [3]float64) rgb {
	l := v[0] + 0.3963377774*v[1] + 0.2158037573*v[2]
	m := v[0] - 0.1055613458*v[1] - 0.0638541728*v[2]
	s := v[0] - 0.0894841775*v[1] - 1.2914855480*v[2]
	l, m, s = l*l*l, m*m*m, s*s*s
	return rgb{
		gamma(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		gamma(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		gamma(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s),
	}
}

func linear(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func gamma(v float64) float64 {
	v = min(max(v, 0), 1)
	if v <= 0.0031308 {
		return v * 12.92
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}
