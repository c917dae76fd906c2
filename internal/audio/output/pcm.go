package output

import "math"

// fixedRate is the rate of outputs that cannot change it: most music has it.
const fixedRate = 44100

// int16LE appends frames as signed 16-bit samples, clipped to full scale.
func int16LE(dst []byte, frames []float32) []byte {
	for _, v := range frames {
		n := int16(math.RoundToEven(float64(min(max(v, -1), 1)) * 32767))
		dst = append(dst, byte(n), byte(n>>8))
	}
	return dst
}
