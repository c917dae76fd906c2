package aac

const (
	frameLines = 1024 // of a long window, and samples in a frame
	shortLines = 128
	windows    = 8 // short ones in a frame

	// Short windows cover the middle of a frame; the window is flat before and after them.
	flat = (frameLines - shortLines) / 2
)

// filterbank converts spectra to samples.
type filterbank struct {
	slopes      *[2]struct{ long, short []float64 }
	long, short *transform
	lines       [frameLines]float64
	sum         [flat + frameLines + shortLines]float64 // of overlapping short windows; see shorts
}

func newFilterbank(t *tables) *filterbank {
	const fullScale = 1 << 15
	return &filterbank{
		slopes: &t.slopes,
		long:   newTransform(frameLines, 1.0/frameLines/fullScale),
		short:  newTransform(shortLines, 1.0/shortLines/fullScale),
	}
}

// memory is the state that a channel passes to its next frame: the windowed second half of the
// block and the shape with which the next window starts.
type memory struct {
	tail  [frameLines]float64
	shape int
}

// A block is a transform y of n lines, unfolded by its symmetries to 2n samples:
// y[n/2:], then y backwards and negative, then y[:n/2] negative.

// run completes a frame in out and stores the rest of the block in m.
func (f *filterbank) run(s *windowing, spectrum *[frameLines]float64, m *memory, out *[frameLines]float64) {
	before, after := &f.slopes[m.shape], &f.slopes[s.shape]
	m.shape = s.shape
	if s.sequence == eightShort {
		f.shorts(spectrum, before.short, after.short, m, out)
		return
	}
	const half = frameLines / 2
	y := &f.lines
	f.long.run(spectrum[:], y[:])
	if s.sequence == longStop {
		*out = m.tail
		for i, w := range before.short {
			if at := flat + i; at < half {
				out[at] += w * y[half+at]
			} else {
				out[at] -= w * y[half+frameLines-1-at]
			}
		}
		for i := flat + shortLines; i < frameLines; i++ {
			out[i] -= y[half+frameLines-1-i]
		}
	} else {
		slope := (*[frameLines]float64)(before.long)
		for i := range half {
			out[i] = m.tail[i] + slope[i]*y[half+i]
			out[half+i] = m.tail[half+i] - slope[half+i]*y[frameLines-1-i]
		}
	}
	if s.sequence == longStart {
		for i := range flat {
			m.tail[i] = -y[half-1-i]
		}
		for i := range shortLines {
			w := after.short[shortLines-1-i]
			if at := flat + i; at < half {
				m.tail[at] = -w * y[half-1-at]
			} else {
				m.tail[at] = -w * y[at-half]
			}
		}
		clear(m.tail[flat+shortLines:])
		return
	}
	slope := (*[frameLines]float64)(after.long)
	for i := range half {
		m.tail[i] = -slope[frameLines-1-i] * y[half-1-i]
		m.tail[half+i] = -slope[half-1-i] * y[i]
	}
}

// shorts is run for eight short windows, of which only the first begins with the slope of the
// previous frame.
func (f *filterbank) shorts(spectrum *[frameLines]float64, first, others []float64, m *memory,
	out *[frameLines]float64) {
	const half = shortLines / 2
	clear(f.sum[flat:])
	rising := first
	for w := range windows {
		y := f.lines[:shortLines]
		f.short.run(spectrum[w*shortLines:][:shortLines], y)
		to := f.sum[flat+w*shortLines:][:2*shortLines]
		for i := range half {
			to[i] += rising[i] * y[half+i]
			to[half+i] -= rising[half+i] * y[shortLines-1-i]
			to[shortLines+i] = -others[shortLines-1-i] * y[half-1-i]
			to[shortLines+half+i] = -others[half-1-i] * y[i]
		}
		rising = others
	}
	for i := range out {
		out[i] = m.tail[i] + f.sum[i]
	}
	n := copy(m.tail[:], f.sum[frameLines:])
	clear(m.tail[n:])
}
