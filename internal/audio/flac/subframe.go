package flac

// subframe reads one channel of a frame. s has history zeros and then room for the block.
func (r *bitReader) subframe(s []int64, depth uint) error {
	head, err := r.uint(8)
	if err != nil {
		return err
	}
	if head&0x80 != 0 {
		return damaged("a subframe does not begin with zero")
	}
	wasted := uint(0)
	if head&1 != 0 {
		n, err := r.unary()
		if err != nil {
			return err
		}
		if n+1 >= uint64(depth) {
			return damaged("a subframe wastes all its bits")
		}
		wasted = uint(n) + 1
		depth -= wasted
	}
	block := s[history:]
	switch kind := int(head >> 1 & 63); {
	case kind == 0:
		err = r.constant(block, depth)
	case kind == 1:
		err = r.verbatim(block, depth)
	case kind >= 8 && kind <= 12:
		err = r.fixed(block, depth, kind-8)
	case kind >= 32:
		err = r.lpc(s, depth, kind-31)
	default:
		err = damaged("a subframe has an unknown type")
	}
	if wasted > 0 {
		for i := range block {
			block[i] <<= wasted & 63
		}
	}
	return err
}

func (r *bitReader) constant(block []int64, depth uint) error {
	v, err := r.int(depth)
	for i := range block {
		block[i] = v
	}
	return err
}

func (r *bitReader) verbatim(block []int64, depth uint) error {
	for i := range block {
		v, err := r.int(depth)
		if err != nil {
			return err
		}
		block[i] = v
	}
	return nil
}

func (r *bitReader) fixed(block []int64, depth uint, order int) error {
	if order > len(block) {
		return damaged("a predictor is longer than its block")
	}
	if err := r.verbatim(block[:order], depth); err != nil {
		return err
	}
	if err := r.residual(block, order); err != nil {
		return err
	}
	restoreFixed(block, order)
	return nil
}

func (r *bitReader) lpc(s []int64, depth uint, order int) error {
	block := s[history:]
	if order > len(block) {
		return damaged("a predictor is longer than its block")
	}
	if err := r.verbatim(block[:order], depth); err != nil {
		return err
	}
	precision, err := r.uint(4)
	if err != nil {
		return err
	}
	if precision == 15 {
		return damaged("a predictor has an invalid precision")
	}
	shift, err := r.int(5)
	if err != nil {
		return err
	}
	if shift < 0 {
		return damaged("a predictor shifts to the left")
	}
	var coef [history]int64
	for i := range order {
		if coef[i], err = r.int(uint(precision) + 1); err != nil {
			return err
		}
	}
	if err := r.residual(block, order); err != nil {
		return err
	}
	restoreLPC(s, history+order, order, &coef, uint(shift))
	return nil
}

// residual reads the residual of a predictor of the given order into block[order:].
func (r *bitReader) residual(block []int64, order int) error {
	head, err := r.uint(6)
	if err != nil {
		return err
	}
	width := uint(4)
	switch head >> 4 {
	case 0:
	case 1:
		width = 5
	default:
		return damaged("a residual has an unknown coding")
	}
	partitions := 1 << (head & 15)
	size := len(block) / partitions
	if size*partitions != len(block) || size < order {
		return damaged("a residual has invalid partitions")
	}
	escape := uint64(1)<<width - 1
	from := order
	for p := range partitions {
		part := block[from : (p+1)*size]
		from = (p + 1) * size
		k, err := r.uint(width)
		if err != nil {
			return err
		}
		if k != escape {
			err = r.rice(part, uint(k))
		} else {
			err = r.unencoded(part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unencoded reads a partition whose numbers have a fixed width, which may be zero.
func (r *bitReader) unencoded(part []int64) error {
	width, err := r.uint(5)
	if err != nil {
		return err
	}
	if width == 0 {
		clear(part)
		return nil
	}
	return r.verbatim(part, uint(width))
}
