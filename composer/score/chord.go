package score

import (
	"fmt"
	"strconv"
	"strings"
)

// Chord is a harmony between two beats.
type Chord struct {
	Name     string
	At, Dur  float64
	Root     int   // pitch class 0..11
	Bass     int   // pitch class 0..11, the root unless the symbol has a slash
	Classes  []int // pitch classes in order of importance to the ear: guide tones first, root and fifth last
	Tensions []int // further pitch classes a melody may rest on
}

// Chart is the harmony of a piece in order of time.
type Chart []Chord

// quality lists intervals above the root: those that make the colour of the chord
// first, those a bass or the ear supplies last, then what a melody may add.
type quality struct{ tones, tensions []int }

var qualities = map[string]quality{
	"":        {[]int{4, 7, 0}, nil},
	"m":       {[]int{3, 7, 0}, nil},
	"5":       {[]int{7, 0}, nil},
	"sus2":    {[]int{2, 7, 0}, nil},
	"sus4":    {[]int{5, 7, 0}, nil},
	"add9":    {[]int{4, 2, 7, 0}, nil},
	"madd9":   {[]int{3, 2, 7, 0}, nil},
	"6":       {[]int{4, 9, 7, 0}, []int{2}},
	"69":      {[]int{4, 9, 2, 7, 0}, nil},
	"m6":      {[]int{3, 9, 7, 0}, []int{2}},
	"7":       {[]int{4, 10, 7, 0}, []int{2, 9}},
	"maj7":    {[]int{4, 11, 7, 0}, []int{2}},
	"m7":      {[]int{3, 10, 7, 0}, []int{2}},
	"9":       {[]int{4, 10, 2, 7, 0}, []int{9}},
	"maj9":    {[]int{4, 11, 2, 7, 0}, []int{9}},
	"m9":      {[]int{3, 10, 2, 7, 0}, []int{5}},
	"m11":     {[]int{3, 10, 5, 2, 7, 0}, nil},
	"13":      {[]int{4, 10, 9, 2, 0}, []int{7}},
	"7b9":     {[]int{4, 10, 1, 7, 0}, nil},
	"7sus4":   {[]int{5, 10, 7, 0}, []int{2}},
	"9sus4":   {[]int{5, 10, 2, 7, 0}, []int{9}},
	"m7b5":    {[]int{3, 6, 10, 0}, nil},
	"dim7":    {[]int{3, 6, 9, 0}, nil},
	"maj7#11": {[]int{4, 11, 6, 7, 0}, []int{2}},
}

// Harmony reads a chart: bars between |, the chords of a bar sharing it evenly or by
// their own lengths (Cm9:2 F13:1), % for the bar before once more.
func Harmony(bar float64, text string) Chart {
	var chart, last Chart
	for i, measure := range strings.Split(text, "|") {
		at := float64(i) * bar
		if strings.TrimSpace(measure) == "%" {
			for _, c := range last {
				c.At += bar
				chart = append(chart, c)
			}
			last = chart[len(chart)-len(last):]
			continue
		}
		symbols := strings.Fields(measure)
		for _, symbol := range symbols {
			name, length, given := strings.Cut(symbol, ":")
			dur := bar / float64(len(symbols))
			if given {
				dur = parseLength(length)
			}
			c := parseChord(name)
			c.At, c.Dur = at, dur
			at += dur
			chart = append(chart, c)
		}
		if full := float64(i+1) * bar; at < full-1e-6 || at > full+1e-6 {
			panic(fmt.Sprintf("score: chart bar %d does not fill %g beats: %s", i+1, bar, measure))
		}
		last = chart[len(chart)-len(symbols):]
	}
	return chart
}

func parseChord(name string) Chord {
	symbol, under, slash := strings.Cut(name, "/")
	root, kind := pitchClass(symbol)
	q, ok := qualities[kind]
	if !ok {
		panic("score: unknown chord " + strconv.Quote(name))
	}
	c := Chord{Name: name, Root: (root + 12) % 12}
	c.Bass = c.Root
	if slash {
		bass, _ := pitchClass(under)
		c.Bass = (bass + 12) % 12
	}
	for _, interval := range q.tones {
		c.Classes = append(c.Classes, (c.Root+interval)%12)
	}
	for _, interval := range q.tensions {
		c.Tensions = append(c.Tensions, (c.Root+interval)%12)
	}
	return c
}

// At is the chord that sounds at a beat; after the end, the last one.
func (c Chart) At(beat float64) Chord {
	for _, chord := range c {
		if beat < chord.At+chord.Dur-1e-6 {
			return chord
		}
	}
	return c[len(c)-1]
}

// End is the beat at which the last chord stops.
func (c Chart) End() float64 {
	last := c[len(c)-1]
	return last.At + last.Dur
}
