package audio

import "testing"

func TestRingIsReusedByNextCueOfSimilarSize(t *testing.T) {
	r := make(rings, 1)
	first := r.take(1000)
	r.put(first)
	r.put(make([]float32, 1000)) // the store is full
	if again := r.take(900); &again[0] != &first[0] || len(again) != 900 {
		t.Error("take after put returned a new ring, want the stored one")
	}
	for _, n := range []int{2000, 400} { // the stored ring is too small, or more than twice too large
		r.put(first)
		if other := r.take(n); &other[0] == &first[0] || len(other) != n {
			t.Errorf("take(%d) returned the stored ring of %d samples, want a new one", n, len(first))
		}
	}
}
