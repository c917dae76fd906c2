package audio

import "math"

const (
	// The filter passes frequencies up to passBand of the lower rate's Nyquist frequency (20.1 kHz at
	// 44.1), and nothing above that frequency: no aliasing.
	passBand = 0.912
	// stopBand is the attenuation above that, in dB.
	stopBand = 125.0

	maxTable   = 1 << 19 // coefficients, 2 MiB; ratios that need more are interpolated
	finePhases = 2048    // for an interpolated table: the error is then below −135 dB
)

// polyphase is a low-pass filter, sampled at every position that an output frame may have between
// two input frames.
type polyphase struct {
	taps   int       // input frames per output frame; a multiple of 4
	phases int       // positions between two input frames
	table  []float32 // phases rows of taps; one more row when positions are interpolated
	exact  bool      // every output frame has a row
}

// newPolyphase designs the filter for a change of rate by up/down, a reduced fraction.
func newPolyphase(up, down int) polyphase {
	stretch := max(1, float64(down)/float64(up)) // for a lower output rate the filter is longer
	cutoff := (1 + passBand) / 2 / stretch       // relative to the input's Nyquist frequency
	// Kaiser's formula: the length of a filter from its attenuation and transition width.
	width := (1 - passBand) / 2 / stretch
	taps := (int((stopBand-7.95)/(14.36*width)) + 4) &^ 3

	f := polyphase{taps: taps, phases: up, exact: true}
	rows := up
	if up*taps > maxTable {
		f.exact = false
		f.phases = max(64, int(finePhases/stretch))
		rows = f.phases + 1
	}
	f.table = make([]float32, rows*taps)
	beta := 0.1102 * (stopBand - 8.7)
	row := make([]float64, taps)
	for p := range rows {
		sum := 0.0
		for j := range row {
			// Distance of the tap's input frame from the output frame, in input frames.
			x := float64(j-taps/2+1) - float64(p)/float64(f.phases)
			row[j] = sinc(cutoff*x) * kaiser(2*x/float64(taps), beta)
			sum += row[j]
		}
		for j := range row {
			f.table[p*taps+j] = float32(row[j] / sum) // so that a constant signal stays unchanged
		}
	}
	return f
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	return math.Sin(math.Pi*x) / (math.Pi * x)
}

// kaiser is the Kaiser window over −1..1, up to a constant factor.
func kaiser(x, beta float64) float64 {
	if x <= -1 || x >= 1 {
		return 0
	}
	return bessel(beta * math.Sqrt(1-x*x))
}

// bessel is the modified Bessel function of the first kind and order zero, by its power series.
func bessel(x float64) float64 {
	sum, term := 1.0, 1.0
	for k := 1.0; term > sum*1e-17; k++ {
		term *= (x / (2 * k)) * (x / (2 * k))
		sum += term
	}
	return sum
}

// row returns the coefficients for an output frame at the fraction at/of between two input frames.
// scratch has room for a row.
func (f *polyphase) row(at, of int, scratch []float32) []float32 {
	if f.exact {
		return f.table[at*f.taps : (at+1)*f.taps]
	}
	position := float64(at) / float64(of) * float64(f.phases)
	p := int(position)
	share := float32(position - float64(p))
	a := f.table[p*f.taps : (p+1)*f.taps]
	b := f.table[(p+1)*f.taps : (p+2)*f.taps]
	for j := range a {
		scratch[j] = a[j] + share*(b[j]-a[j])
	}
	return scratch[:f.taps]
}
