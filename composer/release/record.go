package release

import (
	"math"

	"waxwing/composer/studio"
	"waxwing/composer/synth"
)

// Take is one track as recorded, before encoding.
type Take struct {
	Track  Track
	Format Format
	Sound  synth.Stereo
	LUFS   float64
	Peak   float64
	// samples is set for lossless formats, where dither and rounding are done once over
	// the whole side, so that its tracks join as if never cut.
	samples []int16
}

// Record plays a side and cuts it into its tracks.
func (s Side) Record() []Take {
	session := s.Session()
	sound := session.Record(s.Format.Rate)
	var samples []int16
	if s.Format.Lossless {
		samples = studio.Quantized(sound)
	}
	var takes []Take
	from := 0
	for _, track := range s.Tracks {
		to := sound.Len()
		if track.Until > 0 {
			to = int(math.Round(session.Clock.Seconds(track.Until) * s.Format.Rate))
		}
		take := Take{Track: track, Format: s.Format, Sound: synth.Stereo{L: sound.L[from:to], R: sound.R[from:to]}}
		take.LUFS, take.Peak = studio.Loudness(s.Format.Rate, take.Sound), studio.Peak(take.Sound)
		if samples != nil {
			take.samples = samples[2*from : 2*to]
		}
		takes = append(takes, take)
		from = to
	}
	return takes
}

// Seconds is the length of the take.
func (t Take) Seconds() float64 { return float64(t.Sound.Len()) / t.Format.Rate }

// Samples is a lossless take as it is encoded: 16 bit, interleaved.
func (t Take) Samples() []int16 { return t.samples }
