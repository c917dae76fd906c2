package mp3

import (
	"math"
	"strconv"
	"strings"

	"waxwing/internal/audio"
)

// setLoudness takes over a ReplayGain tag, whatever wrote it; the first of each kind counts.
func setLoudness(l *audio.Loudness, key, value string) {
	var to **float64
	switch strings.ToUpper(key) {
	case "REPLAYGAIN_TRACK_GAIN":
		to = &l.TrackGain
	case "REPLAYGAIN_TRACK_PEAK":
		to = &l.TrackPeak
	case "REPLAYGAIN_ALBUM_GAIN":
		to = &l.AlbumGain
	case "REPLAYGAIN_ALBUM_PEAK":
		to = &l.AlbumPeak
	default:
		return
	}
	value = strings.TrimSpace(value)
	if n := len(value) - 2; n > 0 && strings.EqualFold(value[n:], "dB") {
		value = strings.TrimSpace(value[:n])
	}
	v, err := strconv.ParseFloat(value, 64)
	// No honest gain or peak is beyond this; it also keeps out NaN.
	if *to == nil && err == nil && math.Abs(v) <= 100 {
		*to = &v
	}
}

// preferred returns a where it says anything, else b: gains and peaks of different tags are not mixed.
func preferred(a, b audio.Loudness) audio.Loudness {
	if a == (audio.Loudness{}) {
		return b
	}
	return a
}
