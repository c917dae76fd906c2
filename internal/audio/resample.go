package audio

import (
	"fmt"
	"io"
	"math/bits"
)

// Resample returns a source that yields src at another rate, of exactly
// round(frames · rate / src's rate) frames, or src itself when it has that rate already.
//
// The filter is a windowed sinc with linear phase: flat within 0.01 dB up to 91 % of the
// lower rate's half, and more than 120 dB down from the half on. An output frame is computed from
// the input around it and from nothing else, so seeking is exact.
func Resample(src Source, rate int) Source {
	info := src.Info()
	if info.Rate == rate {
		return src
	}
	g := gcd(info.Rate, rate)
	r := &resampler{src: src, up: rate / g, down: info.Rate / g, channels: info.Channels}
	r.filter = newPolyphase(r.up, r.down)
	r.scratch = make([]float32, r.filter.taps)
	info.Rate = rate
	if info.Frames >= 0 {
		info.Frames = r.scaled(info.Frames)
	}
	r.info = info
	r.start()
	return r
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// resampleChunk is how many input frames are fetched at a time, at most.
const resampleChunk = 1024

type resampler struct {
	src      Source
	info     Info
	filter   polyphase
	scratch  []float32
	up, down int // output and input frames in the shortest time that holds whole numbers of both
	channels int

	next   int64     // output frame that Read yields next
	window []float32 // input frames, the first of which is number first
	first  int64     // may be negative: silence before the beginning
	loaded int64     // input frames from the start of the file up to the end of window
	length int64     // input frames in all, once known; −1 before
}

// scaled converts a number of input frames to output frames, rounded.
func (r *resampler) scaled(frames int64) int64 {
	whole, rest := frames/int64(r.down), frames%int64(r.down)
	return whole*int64(r.up) + (2*rest*int64(r.up)+int64(r.down))/(2*int64(r.down))
}

// place returns the input frame at or before an output frame, and how many
// up-ths of the way to the following one it lies.
func (r *resampler) place(frame int64) (input int64, phase int) {
	high, low := bits.Mul64(uint64(frame), uint64(r.down))
	q, rem := bits.Div64(high, low, uint64(r.up))
	return int64(q), int(rem)
}

// start puts the window before the first frame of the file.
func (r *resampler) start() {
	lead := r.filter.taps/2 - 1
	r.first = -int64(lead)
	r.window = append(r.window[:0], make([]float32, lead*r.channels)...)
	r.loaded, r.next, r.length = 0, 0, -1
}

func (r *resampler) Info() Info { return r.info }

func (r *resampler) Read(dst []float32) (int, error) {
	want := len(dst) / r.channels
	n := 0
	for n < want {
		if r.length >= 0 && r.next >= r.scaled(r.length) {
			break
		}
		input, phase := r.place(r.next)
		from := input - int64(r.filter.taps/2-1)
		if from+int64(r.filter.taps) > r.first+int64(len(r.window)/r.channels) {
			if n > 0 {
				break // give what there is before fetching more
			}
			if err := r.fetch(from); err != nil {
				return 0, err
			}
			continue
		}
		at := int(from-r.first) * r.channels
		r.convolve(dst[n*r.channels:(n+1)*r.channels], r.window[at:at+r.filter.taps*r.channels], r.filter.row(phase, r.up, r.scratch))
		n++
		r.next++
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// convolve weighs the frames of x with the coefficients h, channel by channel. Four
// sums side by side let the processor add while it still multiplies.
func (r *resampler) convolve(out, x, h []float32) {
	if r.channels == 2 {
		var l0, l1, l2, l3, r0, r1, r2, r3 float32
		for len(h) >= 4 && len(x) >= 8 {
			c := (*[4]float32)(h)
			v := (*[8]float32)(x)
			l0 += c[0] * v[0]
			r0 += c[0] * v[1]
			l1 += c[1] * v[2]
			r1 += c[1] * v[3]
			l2 += c[2] * v[4]
			r2 += c[2] * v[5]
			l3 += c[3] * v[6]
			r3 += c[3] * v[7]
			h, x = h[4:], x[8:]
		}
		out[0], out[1] = (l0+l1)+(l2+l3), (r0+r1)+(r2+r3)
		return
	}
	for c := range out {
		var s0, s1 float32
		for j := 0; j+1 < len(h); j += 2 {
			s0 += h[j] * x[j*r.channels+c]
			s1 += h[j+1] * x[(j+1)*r.channels+c]
		}
		out[c] = s0 + s1
	}
}

// fetch drops the input before frame from and appends more; silence behind the end.
func (r *resampler) fetch(from int64) error {
	drop := max(0, min(from-r.first, int64(len(r.window)/r.channels)))
	r.window = r.window[:copy(r.window, r.window[drop*int64(r.channels):])]
	r.first += drop
	if r.length >= 0 {
		r.window = append(r.window, make([]float32, r.filter.taps*r.channels)...)
		return nil
	}
	old := len(r.window)
	r.window = append(r.window, make([]float32, resampleChunk*r.channels)...)
	n, err := r.src.Read(r.window[old:])
	r.window = r.window[:old+n*r.channels]
	r.loaded += int64(n)
	if err == io.EOF {
		r.length = r.loaded
		return nil
	}
	return err
}

func (r *resampler) SeekTo(frame int64) error {
	if frame < 0 || r.info.Frames >= 0 && frame > r.info.Frames {
		return fmt.Errorf("seek to frame %d of %d", frame, r.info.Frames)
	}
	input, _ := r.place(frame)
	begin := max(input-int64(r.filter.taps/2-1), 0)
	if total := r.src.Info().Frames; total >= 0 {
		begin = min(begin, total)
	}
	if err := r.src.SeekTo(begin); err != nil {
		return err
	}
	if begin == 0 {
		r.start()
	} else {
		r.window = r.window[:0]
		r.first, r.loaded, r.length = begin, begin, -1
	}
	r.next = frame
	return nil
}

func (r *resampler) Close() error { return r.src.Close() }
