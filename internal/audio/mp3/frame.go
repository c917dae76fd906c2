package mp3

import "waxwing/internal/media/mpeg"

const (
	// maxReservoir is the most bytes that main data can begin before its frame.
	maxReservoir = 511
	maxChannels  = 2
)

// frameDecoder converts frames to samples. Its state is what frames pass to each other: the bit
// reservoir, the overlap of the blocks and the filter banks.
type frameDecoder struct {
	bands   *bandTable
	huffman *huffmanTables

	// data holds the tail of the previous main data, then this frame's, then padding.
	data [maxReservoir + mpeg.MaxFrame + bitPadding]byte
	held int // bytes of data in use

	side      sideInfo
	scale     [2][maxChannels]scaleFactors // by granule, then channel
	lines     [maxChannels][granuleLines]float32
	overlap   [maxChannels][overlapLength]float32
	subband   subbandSamples
	synthesis [maxChannels]synthesis

	// split is set after a stereo frame in a mono stream: both channels are decoded from then on.
	split bool
	right [granuleLines]float32
}

// newFrameDecoder returns a decoder for the stream of h.
func newFrameDecoder(h mpeg.Header) *frameDecoder {
	return &frameDecoder{
		bands:   newBandTable(longWidths[h.RateIndex], shortWidths[h.RateIndex], h.LSF),
		huffman: loadHuffmanTables(),
	}
}

// reset discards the state of previous frames.
func (d *frameDecoder) reset() {
	d.held = 0
	d.overlap = [maxChannels][overlapLength]float32{}
	d.synthesis = [maxChannels]synthesis{}
	d.split = false
}

// feed appends a frame's main data to the reservoir and returns where in data it begins. A
// truncated frame lacks its end.
func (d *frameDecoder) feed(frame []byte, h mpeg.Header) int {
	if keep := maxReservoir; d.held > keep {
		copy(d.data[:keep], d.data[d.held-keep:d.held])
		d.held = keep
	}
	begin := d.held
	if start := h.MainDataStart(); start < len(frame) {
		d.held += copy(d.data[d.held:maxReservoir+mpeg.MaxFrame], frame[start:])
	}
	return begin
}

// decode writes the frame's samples, interleaved for the given number of channels, to pcm and
// reports whether any of it was decoded. Granules that cannot be decoded become silence.
func (d *frameDecoder) decode(frame []byte, h mpeg.Header, pcm []float32, channels int) bool {
	begin := d.feed(frame, h)
	sound := len(frame) >= h.MainDataStart() &&
		d.side.parse(frame[h.MainDataStart()-h.SideInfoSize():], h, d.bands) == nil
	r := bitReader{data: d.data[:], pos: 8 * (begin - d.side.reservoir)}
	heard := false
	for gr := range granules(h) {
		out := pcm[gr*granuleLines*channels : (gr+1)*granuleLines*channels]
		end := r.pos
		for ch := range h.Channels() {
			end += d.side.granule[gr][ch].partLength
		}
		var counts [2]int
		// Main data from before the first frame, or behind a cut, is missing.
		if sound && r.pos >= 0 && end <= 8*d.held && d.readGranule(&r, h, gr, &counts) {
			heard = true
		} else {
			d.silenceGranule(gr)
			counts = [2]int{}
		}
		r.pos = end
		d.renderGranule(h, gr, counts, out, channels)
	}
	return heard
}

// conceal writes silence for a lost frame, after the overlap of the previous one.
func (d *frameDecoder) conceal(h mpeg.Header, pcm []float32, channels int) {
	d.held = 0
	for gr := range granules(h) {
		d.silenceGranule(gr)
		d.renderGranule(h, gr, [2]int{}, pcm[gr*granuleLines*channels:(gr+1)*granuleLines*channels], channels)
	}
}

// silenceGranule makes a granule one of long blocks without lines. It also clears the scale
// factors, because the second granule of the frame may refer to them.
func (d *frameDecoder) silenceGranule(gr int) {
	d.side.granule[gr] = [maxChannels]channelInfo{}
	d.scale[gr] = [maxChannels]scaleFactors{}
	d.lines = [maxChannels][granuleLines]float32{}
}

// readGranule parses scale factors and spectra and converts them to left and right. It returns
// false if they exceed the length in the side information.
func (d *frameDecoder) readGranule(r *bitReader, h mpeg.Header, gr int, counts *[2]int) bool {
	channels := h.Channels()
	for ch := range channels {
		c := &d.side.granule[gr][ch]
		partEnd := r.pos + c.partLength
		d.readScaleFactors(r, h, gr, ch)
		if r.pos > partEnd {
			return false
		}
		count, err := d.huffman.readSpectrum(r, c, partEnd, &d.lines[ch])
		if err != nil {
			return false
		}
		requantize(&d.lines[ch], count, c, &d.scale[gr][ch], d.bands.segments(c))
		counts[ch] = count
	}
	if channels == 2 {
		right := &d.side.granule[gr][1]
		decodeStereo(h, &d.lines[0], &d.lines[1], counts, right, &d.scale[gr][1], d.bands.segments(right))
	}
	return true
}

func (d *frameDecoder) readScaleFactors(r *bitReader, h mpeg.Header, gr, ch int) {
	c := &d.side.granule[gr][ch]
	if h.LSF {
		d.scale[gr][ch].readLSF(r, c, h.Intensity && ch == 1)
		return
	}
	var first *scaleFactors
	if gr == 1 {
		first = &d.scale[0][ch]
	}
	d.scale[gr][ch].read(r, c, first, &d.side.shared[ch])
}

// renderGranule converts lines to samples. In a stereo stream, mono goes to both sides; in a mono
// stream, stereo becomes the mean.
func (d *frameDecoder) renderGranule(h mpeg.Header, gr int, counts [2]int, out []float32, channels int) {
	info := &d.side.granule[gr]
	if h.Channels() == 2 && channels == 1 && !d.split {
		d.split = true
		d.overlap[1], d.synthesis[1] = d.overlap[0], d.synthesis[0]
	}
	if h.Channels() == 1 && (channels == 2 || d.split) {
		d.lines[1], info[1], counts[1] = d.lines[0], info[0], counts[0]
	}
	for ch := range channels {
		d.renderChannel(ch, &info[ch], counts[ch], out[ch:], channels)
	}
	if channels == 1 && d.split {
		d.renderChannel(1, &info[1], counts[1], d.right[:], 1)
		for i, right := range d.right {
			out[i] = (out[i] + right) / 2
		}
	}
}

// renderChannel writes the samples of one channel to every step-th element of out.
func (d *frameDecoder) renderChannel(ch int, c *channelInfo, count int, out []float32, step int) {
	if c.block == shortBlock {
		interleave(&d.lines[ch], d.bands.segments(c))
		if count > 0 {
			count = granuleLines
		}
	}
	hybrid(&d.lines[ch], count, c, d.bands.mixedEnd, &d.overlap[ch], &d.subband)
	d.synthesis[ch].run(&d.subband, out, step)
}
