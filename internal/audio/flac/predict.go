package flac

// history is the number of zeros before the first sample of a block, so that predictors may use a
// rounded-up order without a special case.
const history = 32

// restoreFixed converts residuals to samples with the fixed polynomial predictor of the given
// order. s begins with the warm-up samples.
func restoreFixed(s []int64, order int) {
	switch order {
	case 1:
		a := s[0]
		for i := 1; i < len(s); i++ {
			a += s[i]
			s[i] = a
		}
	case 2:
		b, a := s[0], s[1]
		for i := 2; i < len(s); i++ {
			b, a = a, s[i]+2*a-b
			s[i] = a
		}
	case 3:
		c, b, a := s[0], s[1], s[2]
		for i := 3; i < len(s); i++ {
			c, b, a = b, a, s[i]+3*(a-b)+c
			s[i] = a
		}
	case 4:
		d, c, b, a := s[0], s[1], s[2], s[3]
		for i := 4; i < len(s); i++ {
			d, c, b, a = c, b, a, s[i]+4*(a+c)-6*b-d
			s[i] = a
		}
	}
}

// restoreLPC converts residuals to samples by linear prediction. s begins with history older
// samples; from is the index of the first residual. coef[0] is the weight of the newest sample, and
// unused coefficients are zero.
func restoreLPC(s []int64, from, order int, coef *[history]int64, shift uint) {
	shift &= 63
	switch {
	case order <= 4:
		restore4(s, from, coef, shift)
	case order <= 8:
		restore8(s, from, coef, shift)
	case order <= 12:
		restore12(s, from, coef, shift)
	default:
		restore32(s, from, coef, shift)
	}
}

// In the loops below, a and b are the newest samples: each sample waits for the one before, and
// reading that from memory would make the wait longer.

func restore4(s []int64, from int, coef *[history]int64, shift uint) {
	c0, c1, c2, c3 := coef[0], coef[1], coef[2], coef[3]
	a, b := s[from-1], s[from-2]
	for i := from; i < len(s); i++ {
		h := (*[4]int64)(s[i-4:])
		b, a = a, s[i]+(h[0]*c3+h[1]*c2+b*c1+a*c0)>>shift
		s[i] = a
	}
}

func restore8(s []int64, from int, coef *[history]int64, shift uint) {
	c0, c1, c2, c3, c4, c5, c6, c7 := coef[0], coef[1], coef[2], coef[3], coef[4], coef[5], coef[6], coef[7]
	a, b := s[from-1], s[from-2]
	for i := from; i < len(s); i++ {
		h := (*[8]int64)(s[i-8:])
		old := h[0]*c7 + h[1]*c6 + h[2]*c5 + h[3]*c4 + h[4]*c3 + h[5]*c2 + b*c1
		b, a = a, s[i]+(old+a*c0)>>shift
		s[i] = a
	}
}

func restore12(s []int64, from int, coef *[history]int64, shift uint) {
	c := (*[12]int64)(coef[:])
	a, b := s[from-1], s[from-2]
	for i := from; i < len(s); i++ {
		h := (*[12]int64)(s[i-12:])
		old := h[0]*c[11] + h[1]*c[10] + h[2]*c[9] + h[3]*c[8] + h[4]*c[7] + h[5]*c[6] +
			h[6]*c[5] + h[7]*c[4] + h[8]*c[3] + h[9]*c[2] + b*c[1]
		b, a = a, s[i]+(old+a*c[0])>>shift
		s[i] = a
	}
}

func restore32(s []int64, from int, c *[history]int64, shift uint) {
	for i := from; i < len(s); i++ {
		h := (*[history]int64)(s[i-history:])
		var sum int64
		for j := 0; j < history; j += 4 {
			sum += h[31-j]*c[j] + h[30-j]*c[j+1] + h[29-j]*c[j+2] + h[28-j]*c[j+3]
		}
		s[i] += sum >> shift
	}
}
