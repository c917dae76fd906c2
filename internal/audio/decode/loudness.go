package decode

import (
	"math"
	"strconv"
	"strings"

	"waxwing/internal/audio"
)

// Levels beyond these are typing errors or forgeries, not music: following a
// gain of +100 dB would hurt, so such a value counts as not written at all.
const (
	maxGain = 51.0 // dB, the range of the ID3 RVA2 and of most writers
	maxPeak = 16.0 // linear; float files do exceed 1, but not by 24 dB
)

// r128Offset turns a gain towards −23 LUFS (EBU R 128) into one towards the
// −18 LUFS of ReplayGain 2.0.
const r128Offset = 5.0

// loudnessFromComments reads what Vorbis comments (or any tag with the same
// names) say about a file's level. get returns the value of a comment by its
// upper-case name, or "" when there is none. R128 comments win over
// ReplayGain ones, as RFC 7845 demands where both exist.
func loudnessFromComments(get func(name string) string) audio.Loudness {
	gain := func(scope string) *float64 {
		if g := r128Gain(get("R128_" + scope + "_GAIN")); g != nil {
			return g
		}
		return within(get("REPLAYGAIN_"+scope+"_GAIN"), -maxGain, maxGain)
	}
	peak := func(scope string) *float64 {
		p := within(get("REPLAYGAIN_"+scope+"_PEAK"), 0, maxPeak)
		if p != nil && *p == 0 {
			return nil // written by scanners that did not measure it
		}
		return p
	}
	return audio.Loudness{
		TrackGain: gain("TRACK"), TrackPeak: peak("TRACK"),
		AlbumGain: gain("ALBUM"), AlbumPeak: peak("ALBUM"),
	}
}

// r128Gain reads the 8.8 fixed point number of RFC 7845.
func r128Gain(text string) *float64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 16)
	if err != nil {
		return nil
	}
	g := float64(n)/256 + r128Offset
	if math.Abs(g) > maxGain {
		return nil
	}
	return &g
}

// within reads a decimal number as people and programs write it: "-6.35 dB",
// "−6,35dB", "+3". It returns nil for anything else and outside low..high.
func within(text string, low, high float64) *float64 {
	text = strings.Trim(text, " \t\r\n\x00")
	if n := len(text); n >= 2 && strings.EqualFold(text[n-2:], "db") {
		text = strings.TrimSpace(text[:n-2])
	}
	text = strings.Replace(text, "\u2212", "-", 1)
	text = strings.Replace(text, ",", ".", 1)
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		text = text[:1] + strings.TrimSpace(text[1:])
	}
	if strings.Trim(text, "+-.0123456789eE") != "" { // ParseFloat also takes "inf", "nan", hex and underscores
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < low || v > high {
		return nil
	}
	return &v
}
