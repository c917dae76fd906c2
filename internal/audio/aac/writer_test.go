package aac

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// bitWriter writes the bits that bitReader reads.
type bitWriter struct {
	data []byte
	used int
}

func (w *bitWriter) put(value, n int) {
	for i := n - 1; i >= 0; i-- {
		if w.used%8 == 0 {
			w.data = append(w.data, 0)
		}
		w.data[w.used/8] |= byte(value>>i&1) << (7 - w.used%8)
		w.used++
	}
}

func (w *bitWriter) code(book codeBook, symbol int) {
	start := 0 // at the top of 32 bits
	for i, s := range book.symbols {
		length := int(book.lengths[i])
		if int(s) == symbol {
			w.put(start>>(32-length), length)
			return
		}
		start += 1 << (32 - length)
	}
	panic("no such symbol")
}

// writer generates random packets with all features of the format; noise only if requested.
type writer struct {
	bitWriter
	rng      *rand.Rand
	config   Config
	noise    bool
	last     []int // last window sequence of each channel
	division [2]division
}

func newWriter(config Config, seed uint64) *writer {
	w := &writer{rng: rand.New(rand.NewPCG(seed, 9)), config: config, last: make([]int, config.Channels())}
	w.division[0], w.division[1] = divide(config.rate)
	return w
}

// chance returns true with a probability of 1/n.
func (w *writer) chance(n int) bool { return w.rng.IntN(n) == 0 }

func (w *writer) bit() int { return w.rng.IntN(2) }

func (w *writer) packet() []byte {
	w.bitWriter = bitWriter{}
	at := 0
	for _, e := range w.config.elements {
		w.filling()
		w.put(e.kind, 3)
		w.put(max(e.tag, 0), 4)
		if e.kind == pairElement {
			w.pair(at)
		} else {
			w.put(120, 8)
			s := w.windowing(at, e.kind == lowElement)
			w.stream(&s, 120, false)
		}
		at += e.width()
	}
	w.filling()
	w.put(endElement, 3)
	return w.data
}

// filling writes elements without audio.
func (w *writer) filling() {
	if w.chance(4) {
		w.put(fillElement, 3)
		if n := w.rng.IntN(30); n < 15 {
			w.put(n, 4)
			w.skipped(n)
		} else {
			w.put(15, 4)
			w.put(n-14, 8)
			w.skipped(n)
		}
	}
	if w.chance(4) {
		w.put(dataElement, 3)
		aligned := w.bit()
		w.put(aligned, 5)
		n := w.rng.IntN(300)
		w.put(min(n, 255), 8)
		if n >= 255 {
			w.put(n-255, 8)
		}
		if aligned == 1 {
			w.put(0, (8-w.used%8)%8)
		}
		w.skipped(n)
	}
}

// skipped writes bytes that do not form an extension.
func (w *writer) skipped(n int) {
	for i := range n {
		if i == 0 {
			w.put(0, 4)
			w.put(w.rng.IntN(16), 4)
		} else {
			w.put(w.rng.IntN(256), 8)
		}
	}
}

func (w *writer) pair(at int) {
	common := w.last[at] == w.last[at+1] && !w.chance(3)
	if !common {
		w.put(0, 1)
		for ch := range 2 {
			w.put(120, 8)
			s := w.windowing(at+ch, false)
			w.stream(&s, 120, false)
		}
		return
	}
	w.put(1, 1)
	s := w.windowing(at, false)
	w.last[at+1] = w.last[at]
	mode := w.rng.IntN(3)
	w.put(mode, 2)
	if mode == 1 {
		for range s.groups * s.bands {
			w.put(w.bit(), 1)
		}
	}
	w.put(120, 8)
	w.stream(&s, 120, false)
	w.put(110, 8)
	w.stream(&s, 110, true)
}

// windowing writes a window sequence that may follow the last one.
func (w *writer) windowing(ch int, low bool) windowing {
	next := [4][2]int{{onlyLong, longStart}, {eightShort, eightShort}, {eightShort, longStop},
		{onlyLong, longStart}}[w.last[ch]]
	s := windowing{sequence: next[w.bit()], shape: w.bit(), groups: 1, sizes: [8]int{1}}
	if low {
		s.sequence, s.shape = onlyLong, 0
	}
	w.last[ch] = s.sequence
	w.put(0, 1)
	w.put(s.sequence, 2)
	w.put(s.shape, 1)
	if s.sequence != eightShort {
		s.division = &w.division[0]
		s.bands = w.rng.IntN(len(s.edges))
		w.put(s.bands, 6)
		w.put(0, 1)
		return s
	}
	s.division = &w.division[1]
	s.bands = w.rng.IntN(len(s.edges))
	w.put(s.bands, 4)
	for range windows - 1 {
		same := w.bit()
		w.put(same, 1)
		if same == 0 {
			s.sizes[s.groups] = 0
			s.groups++
		}
		s.sizes[s.groups-1]++
	}
	return s
}

// stream writes an individual_channel_stream of the standard, after the windowing.
func (w *writer) stream(s *windowing, gain int, right bool) {
	books := w.sections(s, right)
	w.factors(books, gain)
	w.pulses(s)
	w.shaping(s)
	w.put(0, 1)
	for i, book := range books {
		if book == zeroBook || book > lastBook {
			continue
		}
		band := i % s.bands
		for range (s.edges[band+1] - s.edges[band]) * s.sizes[i/s.bands] / spectrumShapes[book-1].dim {
			w.word(book)
		}
	}
}

func (w *writer) sections(s *windowing, right bool) []int {
	width := 5
	if s.sequence == eightShort {
		width = 3
	}
	var books []int
	for range s.groups {
		for band := 0; band < s.bands; {
			book := w.rng.IntN(lastBook + 1)
			if right && w.chance(4) {
				book = 14 + w.bit()
			}
			if w.noise && w.chance(4) {
				book = noiseBook
			}
			n := 1 + w.rng.IntN(s.bands-band)
			w.put(book, 4)
			rest := n
			for ; rest >= 1<<width-1; rest -= 1<<width - 1 {
				w.put(1<<width-1, width)
			}
			w.put(rest, width)
			books = append(books, slices.Repeat([]int{book}, n)...)
			band += n
		}
	}
	return books
}

// factors writes scale factors. Each kind stays close to its first value.
func (w *writer) factors(books []int, gain int) {
	near := map[int]int{zeroBook: gain, noiseBook: 0, intensityBook: 0}
	first := true
	for _, book := range books {
		kind := zeroBook
		switch {
		case book == zeroBook:
			continue
		case book == noiseBook:
			kind = noiseBook
		case book > noiseBook:
			kind = intensityBook
		}
		if kind == noiseBook && first {
			first = false
			near[kind] = 30
			w.put(30-gain+noiseStart+noiseZero, noiseBits)
			continue
		}
		delta := w.rng.IntN(13) - 6
		if kind == zeroBook && near[kind]+delta > 130 || near[kind] > 40 && kind != zeroBook {
			delta = -3
		} else if kind == zeroBook && near[kind]+delta < 60 || near[kind] < -40 {
			delta = 3
		}
		near[kind] += delta
		w.code(scalefactorCode, delta+deltaZero)
	}
}

func (w *writer) pulses(s *windowing) {
	if s.sequence == eightShort || s.bands < 10 || w.bit() == 0 {
		w.put(0, 1)
		return
	}
	w.put(1, 1)
	n := w.rng.IntN(4)
	w.put(n, 2)
	w.put(w.rng.IntN(3), 6)
	for range n + 1 {
		w.put(w.rng.IntN(8), 5)
		w.put(w.rng.IntN(16), 4)
	}
}

// shaping writes filters that do not resonate, so that small differences stay small.
func (w *writer) shaping(s *windowing) {
	if w.bit() == 0 {
		w.put(0, 1)
		return
	}
	w.put(1, 1)
	count, countBits, lengthBits, orderBits, highest := 1, 2, 6, 5, maxOrder
	if s.sequence == eightShort {
		count, countBits, lengthBits, orderBits, highest = windows, 1, 4, 3, 7
	}
	for range count {
		n := w.rng.IntN(1 << countBits)
		w.put(n, countBits)
		if n == 0 {
			continue
		}
		fine := w.bit()
		w.put(fine, 1)
		for range n {
			w.put(w.rng.IntN(1<<lengthBits), lengthBits)
			order := w.rng.IntN(highest + 1)
			w.put(order, orderBits)
			if order == 0 {
				continue
			}
			w.put(w.bit(), 1)
			compressed := w.bit()
			w.put(compressed, 1)
			for range order {
				w.put(w.rng.IntN(3)-1, 3+fine-compressed)
			}
		}
	}
}

// word writes one code word with its signs and escapes.
func (w *writer) word(book int) {
	code, shape := spectrumCodes[book-1], spectrumShapes[book-1]
	symbol := w.rng.IntN(len(code.symbols))
	w.code(code, symbol)
	if !shape.unsigned {
		return
	}
	values := loadTables().spectrum[book-1].values[symbol]
	for _, v := range values[:shape.dim] {
		if v != 0 {
			w.put(w.bit(), 1)
		}
	}
	for _, v := range values[:shape.dim] {
		if v == escape {
			n := escapeBits + w.rng.IntN(w.rng.IntN(escapeMost-escapeBits+1)+1)
			w.put(1<<(n-escapeBits)-1, n-escapeBits)
			w.put(0, 1)
			w.put(w.rng.IntN(1<<n), n)
		}
	}
}

// writeADTS writes packets with a predefined channel configuration to a file.
func writeADTS(t testing.TB, rate, channels int, packets [][]byte) string {
	t.Helper()
	var file bytes.Buffer
	for _, p := range packets {
		w := &bitWriter{}
		w.put(0xfff1, 16)
		w.put(objectLC-1, 2)
		w.put(rate, 4)
		w.put(channels, 4)
		w.put(0, 4)
		w.put(len(p)+7, 13)
		w.put(0x7ff, 11)
		w.put(0, 2)
		file.Write(w.data)
		file.Write(p)
	}
	path := filepath.Join(t.TempDir(), "a.aac")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
