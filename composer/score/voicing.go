package score

import (
	"math"
	"slices"
)

// Register is the range a set of voices keeps to.
type Register struct{ Low, High string }

// Voicings chooses for each chord of the chart the pitches of some voices, low to
// high, so that every voice moves as little as it can from the chord before: what a
// keyboard player's hand does by itself.
func (c Chart) Voicings(voices int, within Register) [][]int {
	low, high := Pitch(within.Low), Pitch(within.High)
	chosen := make([][]int, len(c))
	var before []int
	for i, chord := range c {
		classes := chord.Classes[:min(voices, len(chord.Classes))]
		best, bestCost := []int(nil), math.Inf(1)
		for _, candidate := range placements(classes, low, high) {
			candidate = doubled(candidate, voices, high)
			if cost := movement(before, candidate) + discomfort(candidate, low, high); cost < bestCost {
				best, bestCost = candidate, cost
			}
		}
		chosen[i], before = best, best
	}
	return chosen
}

// placements are all ways to put each pitch class once between low and high.
func placements(classes []int, low, high int) [][]int {
	if len(classes) == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, rest := range placements(classes[1:], low, high) {
		for p := low; p <= high; p++ {
			if p%12 == classes[0] && !slices.Contains(rest, p) {
				one := append(slices.Clone(rest), p)
				slices.Sort(one)
				all = append(all, one)
			}
		}
	}
	return all
}

// doubled adds octaves of the lowest tones until there are as many tones as voices.
func doubled(tones []int, voices, high int) []int {
	tones = slices.Clone(tones)
	for i := 0; len(tones) < voices && i < len(tones); i++ {
		if up := tones[i] + 12; up <= high && !slices.Contains(tones, up) {
			tones = append(tones, up)
		}
	}
	slices.Sort(tones)
	return tones
}

func movement(before, after []int) float64 {
	total := 0.0
	for i := range min(len(before), len(after)) {
		step := math.Abs(float64(after[i] - before[i]))
		total += step + 0.06*step*step
	}
	return total
}

// discomfort counts what makes a voicing sound bad by itself: semitones rubbing,
// close intervals down low, wide holes, and straying from the middle of the register.
func discomfort(tones []int, low, high int) float64 {
	cost, sum := 0.0, 0
	for i, p := range tones {
		sum += p
		if i == 0 {
			continue
		}
		gap := p - tones[i-1]
		if gap == 1 {
			cost += 9
		}
		if tones[i-1] < 52 && gap < 5 {
			cost += float64(5-gap) * 3
		}
		if gap > 9 {
			cost += float64(gap-9) * 2
		}
	}
	// A minor ninth between outer voices is the harshest interval of all.
	for i, p := range tones {
		for _, q := range tones[i+1:] {
			if q-p == 13 {
				cost += 7
			}
		}
	}
	centre := float64(low+high) / 2
	return cost + 0.8*math.Abs(float64(sum)/float64(max(1, len(tones)))-centre)
}
