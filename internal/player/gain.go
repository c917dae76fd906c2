package player

import (
	"math"

	"waxwing/api/catalogapi"
	"waxwing/internal/fault"
)

// GainMode selects which ReplayGain values playback applies.
type GainMode string

const (
	GainOff   GainMode = "off"
	GainTrack GainMode = "track" // every track equally loud
	GainAlbum GainMode = "album" // every album equally loud, its tracks as they were mastered
	GainAuto  GainMode = "auto"  // album where an album is played in its order, else track
)

// ParseGainMode parses a setting.
func ParseGainMode(word string) (GainMode, error) {
	switch m := GainMode(word); m {
	case GainOff, GainTrack, GainAlbum, GainAuto:
		return m, nil
	}
	return "", fault.New(fault.Invalid, "replay gain must be one of off, track, album, auto")
}

// albumGain reports whether the track at index plays at album gain.
func (m GainMode) albumGain(q *queue, index int) bool {
	if m != GainAuto {
		return m == GainAlbum
	}
	neighbour := func(i int) bool {
		return i >= 0 && i < len(q.tracks) && q.tracks[i].AlbumID != "" && q.tracks[i].AlbumID == q.tracks[index].AlbumID
	}
	return !q.shuffle && (neighbour(index-1) || neighbour(index+1))
}

// maxGain limits a boost in dB, as for gains in tags. With a false peak, a larger one of a faulty
// catalog would turn noise into full scale.
const maxGain = 51

// factor is the factor for samples. It never raises the loudest sample above full scale:
// the peak limits a boost, and without a known peak there is no boost.
func (m GainMode) factor(g catalogapi.Gain, album bool) float64 {
	if m == GainOff {
		return 1
	}
	gain, peak := g.TrackGain, g.TrackPeak
	if (album || gain == nil) && g.AlbumGain != nil {
		gain, peak = g.AlbumGain, g.AlbumPeak
	}
	if gain == nil {
		return 1
	}
	f := math.Pow(10, min(*gain, maxGain)/20)
	if peak != nil && *peak > 0 {
		return min(f, max(1 / *peak, 0))
	}
	return min(f, 1)
}

// volumeFactor converts the volume setting to a factor for samples. Loudness is perceived about
// logarithmically; the third power is close to that, reaches silence at 0, and is what desktops
// use.
func (c *core) volumeFactor() float64 {
	if c.muted {
		return 0
	}
	v := float64(c.volume) / 100
	return v * v * v
}
