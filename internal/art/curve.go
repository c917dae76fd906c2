package art

import (
	"math"
	"math/rand/v2"
)

// curve is a function sampled from -0.5 to 1.5.
type curve [2050]float64

func newCurve(f func(x float64) float64) *curve {
	var c curve
	for i := range c {
		c[i] = f(float64(i)/1024 - 0.5)
	}
	return &c
}

func (c *curve) at(x float64) float64 {
	at := min(max((x+0.5)*1024, 0), 2048)
	i := int(at)
	return c[i] + (c[i+1]-c[i])*(at-float64(i))
}

// stretch returns the arc length of the curve per unit of x.
func (c *curve) stretch() *curve {
	return newCurve(func(x float64) float64 {
		slope := (c.at(x+0.003) - c.at(x-0.003)) / 0.006
		return math.Sqrt(1 + slope*slope)
	})
}

// waves returns a smooth random curve: a sum of sines with decreasing height.
func waves(r *rand.Rand, frequency, height float64) *curve {
	type sine struct{ f, phase, height float64 }
	var parts [4]sine
	for i := range parts {
		parts[i] = sine{
			frequency * math.Pow(1.8, float64(i)) * uniform(r, 0.8, 1.2), r.Float64() * 2 * math.Pi,
			height * math.Pow(0.5, float64(i)),
		}
	}
	return newCurve(func(x float64) (y float64) {
		for _, s := range parts {
			y += s.height * math.Sin(x*s.f*2*math.Pi+s.phase)
		}
		return y
	})
}

func boolFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
