package audio

// rings passes the ring of a cue that has ended to the next one: a ring is as large as all other
// memory of a player, and a new one for each track would be garbage every few minutes.
type rings chan []float32

// take returns a ring of n samples with undefined content.
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

// put stores a ring for the next take, unless one is stored already.
func (r rings) put(ring []float32) {
	select {
	case r <- ring:
	default:
	}
}
