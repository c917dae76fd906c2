package audio

import "testing"

func TestARingServesTheNextCue(t *testing.T) {
	r := make(rings, 1)
	first := r.take(1000)
	r.put(first)
	r.put(make([]float32, 1000)) // one too many
	if again := r.take(900); &again[0] != &first[0] || len(again) != 900 {
		t.Error("the ring that was given back is not used again")
	}
	for _, n := range []int{2000, 400} { // too small, and too large to be held for so little
		r.put(first)
		if other := r.take(n); &other[0] == &first[0] || len(other) != n {
			t.Errorf("%d samples in a ring of %d", n, len(first))
		}
	}
}
