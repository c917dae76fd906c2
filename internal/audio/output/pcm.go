package output

import "math"

// fixedRate is the rate of outputs that have only one; most music has it.
const fixedRate = 44100

// int16LE appends frames as signed 16-bit samples, clipped to full scale.
func int16LE(dst []byte, frames []float32) []byte {
	for _, v := range frames {
		n := int16(math.RoundToEven(float64(min(max(v, -1), 1)) * 32767))
		dst = append(dst, byte(n), byte(n>>8))
	}
	return dst
}

// ramp returns the level n frames later on the way from level to goal. A full change takes 20 ms,
// to avoid a click.
func ramp(level, goal float64, n, rate int) float64 {
	most := 50 * float64(n) / float64(rate)
	return level + min(max(goal-level, -most), most)
}

// scale appends frames to dst at a level that ramps to goal, and returns the level of the last.
func scale(dst, frames []float32, level, goal float64, rate int) ([]float32, float64) {
	for i := 0; i+1 < len(frames); i += 2 {
		level = ramp(level, goal, 1, rate)
		dst = append(dst, float32(level)*frames[i], float32(level)*frames[i+1])
	}
	return dst, level
}
