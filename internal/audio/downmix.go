package audio

import "math"

// Downmix returns a stereo source of src: mono goes to both sides, more than two channels are mixed
// with the coefficients of ITU-R BS.775, and stereo is returned unchanged.
//
// Center and surround channels are mixed at −3 dB, a single back channel at −6 dB on either side;
// the low frequency channel is omitted, as the recommendation says. The sum is then scaled so that
// no input within full scale can clip: by −7.7 dB for 5.1.
func Downmix(src Source) Source {
	channels := src.Info().Channels
	if channels == 2 {
		return src
	}
	return &downmix{Source: src, weights: downmixWeights(channels)}
}

// sides is the factor of a channel on the left and on the right.
type sides struct{ left, right float32 }

func downmixWeights(channels int) []sides {
	const half = 1 / math.Sqrt2 // of the power
	var (
		left      = sides{1, 0}
		right     = sides{0, 1}
		center    = sides{half, half}
		none      = sides{}
		surroundL = sides{half, 0}
		surroundR = sides{0, half}
		back      = sides{0.5, 0.5}
	)
	var w []sides
	switch channels {
	case 1:
		return []sides{{1, 1}}
	case 3:
		w = []sides{left, right, center}
	case 4:
		w = []sides{left, right, surroundL, surroundR}
	case 5:
		w = []sides{left, right, center, surroundL, surroundR}
	case 6:
		w = []sides{left, right, center, none, surroundL, surroundR}
	case 7:
		w = []sides{left, right, center, none, back, surroundL, surroundR}
	case 8:
		w = []sides{left, right, center, none, surroundL, surroundR, surroundL, surroundR}
	}
	var sum float32
	for _, s := range w {
		sum += s.left
	}
	for i := range w {
		w[i].left /= sum
		w[i].right /= sum
	}
	return w
}

type downmix struct {
	Source
	weights []sides
	wide    []float32
}

// downmixChunk is how many frames are mixed at a time, at most.
const downmixChunk = 2048

func (d *downmix) Info() Info {
	info := d.Source.Info()
	info.Channels = 2
	return info
}

func (d *downmix) Read(dst []float32) (int, error) {
	channels := len(d.weights)
	want := min(len(dst)/2, downmixChunk) * channels
	if len(d.wide) < want {
		d.wide = make([]float32, want)
	}
	n, err := d.Source.Read(d.wide[:want])
	for i := range n {
		var left, right float32
		frame := d.wide[i*channels : (i+1)*channels]
		for c, w := range d.weights {
			left += frame[c] * w.left
			right += frame[c] * w.right
		}
		dst[2*i], dst[2*i+1] = left, right
	}
	return n, err
}
