package alac

// predictor restores samples from residuals with an adaptive filter.
type predictor struct {
	coefficients []int16
	shift        uint
	width        int // bits of a sample
}

// differences is the number of coefficients that means a plain sum.
const differences = 31

// restore converts residuals to samples, in place.
func (p predictor) restore(samples []int32) {
	order := len(p.coefficients)
	if order == 0 {
		return
	}
	for i := 1; i < min(order+1, len(samples)); i++ {
		samples[i] = p.wrap(samples[i] + samples[i-1])
	}
	half := int32(1) << p.shift >> 1
	for i := order + 1; i < len(samples); i++ {
		window := samples[i-order-1 : i]
		base := window[0]
		recent := window[1:] // oldest first
		sum := half
		for k, c := range p.coefficients {
			sum += int32(c) * (recent[order-1-k] - base)
		}
		residual := samples[i]
		samples[i] = p.wrap(residual + base + sum>>p.shift)
		p.learn(recent, base, residual)
	}
}

// learn adapts the coefficients by a step that would have made the residual smaller.
func (p predictor) learn(recent []int32, base, residual int32) {
	order := len(p.coefficients)
	direction := int32(1)
	if residual < 0 {
		direction = -1
	}
	for age := order - 1; age >= 0 && residual*direction > 0; age-- {
		distance := base - recent[order-1-age]
		sign := int32(0)
		switch {
		case distance > 0:
			sign = direction
		case distance < 0:
			sign = -direction
		}
		p.coefficients[age] -= int16(sign)
		residual -= int32(order-age) * (sign * distance >> p.shift)
	}
}

// sumUp adds every residual to the previous sample.
func (p predictor) sumUp(samples []int32) {
	for i := 1; i < len(samples); i++ {
		samples[i] = p.wrap(samples[i] + samples[i-1])
	}
}

// wrap limits a sample to its width, like the arithmetic of the encoder.
func (p predictor) wrap(v int32) int32 {
	return v << (32 - p.width) >> (32 - p.width)
}
