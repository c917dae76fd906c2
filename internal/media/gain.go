package media

import (
	"strconv"
	"strings"
)

// Limits of believable values. Others are treated as absent: applying a forged gain of +100 dB
// could hurt ears and loudspeakers.
const (
	MaxGain = 51.0 // dB, in either direction
	MaxPeak = 16.0 // linear; decoded peaks exceed 1, but not by 24 dB
)

// r128Offset converts a gain relative to −23 LUFS (EBU R 128) to the −18 LUFS of ReplayGain 2.0.
const r128Offset = 5.0

// Gain is the loudness correction that a file requests, in dB relative to −18 LUFS, and its peaks,
// where 1 is full scale. Absent values are nil.
type Gain struct {
	Track, TrackPeak, Album, AlbumPeak *float64
}

// GainText holds the values of a file's gain tags as written, "" where absent.
type GainText struct {
	TrackGain, TrackPeak, AlbumGain, AlbumPeak string // REPLAYGAIN_*
	TrackR128, AlbumR128                       string // R128_*_GAIN
}

// Parse interprets the tags. In Opus files R128 tags replace ReplayGain tags (RFC 7845, section
// 5.2.1) and apply in addition to the output gain of the header; in other files they only fill in
// for missing ReplayGain tags.
func (t GainText) Parse(opus bool) Gain {
	r128 := Gain{Track: ParseR128(t.TrackR128), Album: ParseR128(t.AlbumR128)}
	if opus && r128 != (Gain{}) {
		return r128
	}
	g := Gain{
		Track: ParseGain(t.TrackGain), TrackPeak: ParsePeak(t.TrackPeak),
		Album: ParseGain(t.AlbumGain), AlbumPeak: ParsePeak(t.AlbumPeak),
	}
	if g.Track == nil {
		g.Track = r128.Track
	}
	if g.Album == nil {
		g.Album = r128.Album
	}
	return g
}

// ParseGain parses a ReplayGain value such as "-6.35 dB", "−6,35dB" or "+3". It returns nil for
// anything else and beyond MaxGain.
func ParseGain(text string) *float64 {
	text = trim(text)
	if n := len(text); n >= 2 && strings.EqualFold(text[n-2:], "db") {
		text = text[:n-2]
	}
	return number(text, -MaxGain, MaxGain)
}

// ParsePeak parses a linear peak. It returns nil beyond MaxPeak and for 0, which scanners write
// when they did not measure it.
func ParsePeak(text string) *float64 {
	v := number(text, 0, MaxPeak)
	if v != nil && *v == 0 {
		return nil
	}
	return v
}

// ParseR128 parses the Q7.8 fixed point number of an R128 tag.
func ParseR128(text string) *float64 {
	n, err := strconv.ParseInt(trim(text), 10, 16)
	if err != nil {
		return nil
	}
	return LimitGain(float64(n)/256 + r128Offset)
}

// LimitGain returns a pointer to a gain in dB, or nil beyond MaxGain.
func LimitGain(db float64) *float64 {
	if !(db >= -MaxGain && db <= MaxGain) {
		return nil
	}
	return &db
}

func trim(text string) string { return strings.Trim(text, " \t\r\n\x00") }

// number parses a decimal number within low and high as people and programs in many countries
// write it.
func number(text string, low, high float64) *float64 {
	text = strings.Replace(trim(text), "\u2212", "-", 1)
	text = strings.Replace(text, ",", ".", 1)
	if strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+") {
		text = text[:1] + trim(text[1:])
	}
	// ParseFloat also accepts "inf", "nan", hexadecimal numbers and underscores.
	if strings.Trim(text, "+-.0123456789eE") != "" {
		return nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || v < low || v > high {
		return nil
	}
	return &v
}
