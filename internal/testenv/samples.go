package testenv

import (
	"encoding/binary"
	"math"
)

// Float32s converts little-endian bytes to samples.
func Float32s(raw []byte) []float32 {
	out := make([]float32, len(raw)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return out
}
