package cover

type Painter func(x, y float64) [3]float64
func HalfMoon(x, y float64) [3]float64 { return [3]float64{} }
func Ridges(x, y float64) [3]float64 { return [3]float64{} }
func NightPark(x, y float64) [3]float64 { return [3]float64{} }
func Stamp(x, y float64) [3]float64 { return [3]float64{} }
func Save(file string, p Painter) error { return nil }
