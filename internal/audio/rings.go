package audio

// rings keeps the ring of a cue that has ended for the next one: tracks follow each other for hours, and each ring
// is as large as all else that a player holds.
type rings chan []float32

// take returns a ring of n samples. What is in it has no meaning.
func (r rings) take(n int) []float32 {
	select {
	case spare := <-r:
		if cap(spare) >= n && cap(spare) <= 2*n {
			return spare[:n]
		}
	default:
	}
	return make([]float32, n)
}

// put keeps a ring if there is none already.
func (r rings) put(ring []float32) {
	select {
	case r <- ring:
	default:
	}
}
