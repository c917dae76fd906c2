package audio

import (
	"fmt"
	"io"
	"math/bits"
)

// Resample returns a source that yields src at another rate, of exactly
// round(frames · rate / src's rate) frames, or src itself when it has that rate already.
//
// The filter is a windowed sinc with linear phase: flat within 0.01 dB up to 91 % of the lower
// rate's Nyquist frequency, and below −120 dB from there on. An output frame depends only on the
// input around it, so seeking is exact.
func Resample(src Source, rate int) Source {
	info := src.Info()
	if info.Rate == rate {
		return src
	}
	g := gcd(info.Rate, rate)
	r := &resampler{src: src, up: rate / g, down: info.Rate / g}
	r.filter = newPolyphase(r.up, r.down)
	r.scratch = make([]float32, r.filter.taps)
	r.window = make([][]float32, info.Channels)
	r.fetched = make([]float32, resampleChunk*info.Channels)
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

// maxResampled limits frame numbers, so that no product overflows: 290 years.
const maxResampled = 1 << 50

type resampler struct {
	src      Source
	info     Info
	filter   polyphase
	scratch  []float32
	up, down int // output and input frames in the shortest time with whole numbers of both

	next    int64       // output frame that Read yields next
	window  [][]float32 // a part of each input channel, from the frame first on
	first   int64       // may be negative: silence before the beginning
	loaded  int64       // input frames from the start of the file up to the end of window
	length  int64       // input frames in all, once known; −1 before
	fetched []float32
}

// scaled converts a number of input frames to output frames, rounded.
func (r *resampler) scaled(frames int64) int64 { return Rescale(frames, r.down, r.up) }

// Rescale returns how many frames Resample makes of frames at another rate.
func Rescale(frames int64, from, to int) int64 {
	whole, rest := frames/int64(from), frames%int64(from)
	return whole*int64(to) + (2*rest*int64(to)+int64(from))/(2*int64(from))
}

// inputFrame returns the input frame at or before an output frame, and how many
// up-ths of the way to the following one it lies.
func (r *resampler) inputFrame(frame int64) (input int64, phase int) {
	high, low := bits.Mul64(uint64(frame), uint64(r.down))
	q, rem := bits.Div64(high, low, uint64(r.up))
	return int64(q), int(rem)
}

// start moves the window before the first frame of the file.
func (r *resampler) start() {
	lead := r.filter.taps/2 - 1
	r.empty()
	r.silence(lead)
	r.first, r.loaded, r.next, r.length = -int64(lead), 0, 0, -1
}

func (r *resampler) empty() {
	for c := range r.window {
		r.window[c] = r.window[c][:0]
	}
}

func (r *resampler) Info() Info { return r.info }

func (r *resampler) Read(dst []float32) (int, error) {
	want := len(dst) / len(r.window)
	n := 0
	for n < want {
		if r.length >= 0 && r.next >= r.scaled(r.length) {
			break
		}
		input, phase := r.inputFrame(r.next)
		from := input - int64(r.filter.taps/2-1)
		if from+int64(r.filter.taps) > r.first+int64(len(r.window[0])) {
			if n > 0 {
				break // return these before fetching more
			}
			if err := r.fetch(from); err != nil {
				return 0, err
			}
			continue
		}
		at := int(from - r.first)
		row := r.filter.row(phase, r.up, r.scratch)
		for c, w := range r.window {
			dst[n*len(r.window)+c] = dot(row, w[at:at+len(row)])
		}
		n++
		r.next++
	}
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// dot is the dot product of two slices of equal length, a multiple of four. Four independent sums
// let the processor work in parallel.
func dot(h, x []float32) float32 {
	var a, b, c, d float32
	x = x[:len(h)]
	for i := 0; i < len(h)-3; i += 4 {
		a += h[i] * x[i]
		b += h[i+1] * x[i+1]
		c += h[i+2] * x[i+2]
		d += h[i+3] * x[i+3]
	}
	return (a + b) + (c + d)
}

// fetch drops the input before the frame from and appends more; after the end, silence.
func (r *resampler) fetch(from int64) error {
	drop := int(max(0, min(from-r.first, int64(len(r.window[0])))))
	r.first += int64(drop)
	for c, w := range r.window {
		r.window[c] = w[:copy(w, w[drop:])]
	}
	if r.length >= 0 {
		r.silence(r.filter.taps)
		return nil
	}
	n, err := r.src.Read(r.fetched)
	for c := range r.window {
		for i := c; i < n*len(r.window); i += len(r.window) {
			r.window[c] = append(r.window[c], r.fetched[i])
		}
	}
	r.loaded += int64(n)
	if err == io.EOF {
		r.length = r.loaded
		return nil
	}
	return err
}

// silence appends frames to the window.
func (r *resampler) silence(frames int) {
	for c := range r.window {
		r.window[c] = append(r.window[c], make([]float32, frames)...)
	}
}

func (r *resampler) SeekTo(frame int64) error {
	if frame < 0 || frame > maxResampled || r.info.Frames >= 0 && frame > r.info.Frames {
		return fmt.Errorf("seek to frame %d of %d", frame, r.info.Frames)
	}
	input, _ := r.inputFrame(frame)
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
		r.empty()
		r.first, r.loaded, r.length = begin, begin, -1
	}
	r.next = frame
	return nil
}

func (r *resampler) Close() error { return r.src.Close() }
