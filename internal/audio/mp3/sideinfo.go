package mp3

import (
	"errors"
	"waxwing/internal/media/mpeg"
)

// granuleLines is the number of spectral lines, and of samples, per channel in a granule.
const granuleLines = 576

// granules returns the number of granules in a frame.
func granules(h mpeg.Header) int { return h.Samples() / granuleLines }

var errSideInfo = errors.New("mp3: invalid side information")

// blockType is the shape of the window of one granule.
type blockType uint8

const (
	longBlock  blockType = 0
	startBlock blockType = 1
	shortBlock blockType = 2
	stopBlock  blockType = 3
)

// channelInfo is the side information of one channel in one granule.
type channelInfo struct {
	partLength int // bits of scale factors and spectrum together
	// regionEnd lists the ends of the regions of pairs; the last is where the quadruples begin.
	regionEnd        [3]int
	table            [3]uint8 // Huffman table of each region
	globalGain       int
	scalefacCompress int
	block            blockType
	mixed            bool // the lowest subbands have the window of long blocks
	subblockGain     [3]int
	preflag          bool
	scaleShift       uint // 1 or 2: a scale factor step in half powers of two
	quadTable        uint8
}

// sideInfo is the side information of a frame.
type sideInfo struct {
	reservoir int // number of bytes before the frame at which its main data begins
	// shared is set for each group of scale factor bands in which the second granule uses those of
	// the first.
	shared  [2][4]bool
	granule [2][2]channelInfo // by granule, then channel
}

// parse parses the bytes after header and CRC.
func (s *sideInfo) parse(raw []byte, h mpeg.Header, bands *bandTable) error {
	var padded [32 + bitPadding]byte
	copy(padded[:], raw[:h.SideInfoSize()])
	r := bitReader{data: padded[:]}
	channels := h.Channels()
	if h.LSF {
		s.reservoir = r.bits(8)
		r.bits(channels)
	} else {
		s.reservoir = r.bits(9)
		r.bits(7 - 2*channels)
		for ch := range channels {
			for group := range s.shared[ch] {
				s.shared[ch][group] = r.flag()
			}
		}
	}
	for gr := range granules(h) {
		for ch := range channels {
			if err := s.granule[gr][ch].parse(&r, h, bands); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *channelInfo) parse(r *bitReader, h mpeg.Header, bands *bandTable) error {
	*c = channelInfo{partLength: r.bits(12)}
	pairs := r.bits(9)
	if pairs > granuleLines/2 {
		return errSideInfo
	}
	c.globalGain = r.bits(8)
	if h.LSF {
		c.scalefacCompress = r.bits(9)
	} else {
		c.scalefacCompress = r.bits(4)
	}
	if r.flag() {
		c.block = blockType(r.bits(2))
		c.mixed = r.flag()
		if c.block == longBlock {
			return errSideInfo
		}
		c.table[0], c.table[1] = uint8(r.bits(5)), uint8(r.bits(5))
		for w := range c.subblockGain {
			c.subblockGain[w] = r.bits(3)
		}
		c.regionEnd[0] = bands.windowSwitchRegion(c.block)
		c.regionEnd[1] = granuleLines
	} else {
		for region := range c.table {
			c.table[region] = uint8(r.bits(5))
		}
		first := r.bits(4) + 1
		second := first + r.bits(3) + 1
		c.regionEnd[0] = bands.longStart[first]
		c.regionEnd[1] = bands.longStart[min(second, longBands)]
	}
	c.regionEnd[2] = 2 * pairs
	c.regionEnd[0] = min(c.regionEnd[0], c.regionEnd[2])
	c.regionEnd[1] = min(c.regionEnd[1], c.regionEnd[2])
	if !h.LSF {
		c.preflag = r.flag()
	}
	c.scaleShift = uint(r.bits(1)) + 1
	c.quadTable = uint8(r.bits(1))
	return nil
}
