package mp3

import (
	"encoding/binary"
	"errors"
)

var errSpectrum = errors.New("mp3: spectrum runs past its end")

// readSpectrum decodes the lines of one channel up to bit end and returns the number of lines that
// may be non-zero; it clears the rest. Each line becomes |x|^(4/3) with x's sign, in the order of
// the bit stream. r moves to end.
func (t *huffmanTables) readSpectrum(r *bitReader, c *channelInfo, end int, lines *[granuleLines]float32) (int, error) {
	from := 0
	for region, to := range c.regionEnd {
		table := &t.pair[c.table[region]]
		switch {
		case table.allZeros:
			clear(lines[from:to])
		case table.linbits == 0:
			if !t.readSmallPairs(r, &table.code, end, lines[from:to]) {
				return 0, errSpectrum
			}
		default:
			if !t.readPairs(r, table, end, lines[from:to]) {
				return 0, errSpectrum
			}
		}
		from = to
	}
	if r.pos > end {
		return 0, errSpectrum
	}
	from = t.readQuads(r, &t.quad[c.quadTable], end, lines, from)
	clear(lines[from:])
	r.pos = end
	return from, nil
}

// readSmallPairs decodes pairs of values up to 15. It reports whether they end before end.
func (t *huffmanTables) readSmallPairs(r *bitReader, code *codeTable, end int, lines []float32) bool {
	data, pos := r.data, r.pos
	entries, shift := code.entry, code.shift&63
	for i := 0; i+1 < len(lines); i += 2 {
		if pos >= end {
			return false
		}
		w := binary.BigEndian.Uint64(data[pos>>3:]) << (pos & 7)
		e := entries[w>>shift]
		if e >= secondTable {
			w, pos = w<<firstBits, pos+firstBits
			e = entries[e&^secondTable>>8+uint32(w>>(64-e&63))]
		}
		length := e >> 8
		w <<= length & 63
		// A sign bit follows each non-zero value.
		x, y := e>>4&15, e&15
		signed := (x + 15) >> 4
		lines[i] = t.signed[x<<1|uint32(w>>63)&signed]
		w <<= signed & 1
		length += signed
		signed = (y + 15) >> 4
		lines[i+1] = t.signed[y<<1|uint32(w>>63)&signed]
		pos += int(length + signed)
	}
	r.pos = pos
	return true
}

// readPairs is readSmallPairs for tables in which 15 is extended by the bits that follow.
func (t *huffmanTables) readPairs(r *bitReader, table *spectrumTable, end int, lines []float32) bool {
	data, pos := r.data, r.pos
	entries, shift := table.code.entry, table.code.shift&63
	linbits := table.linbits & 63
	for i := 0; i+1 < len(lines); i += 2 {
		if pos >= end {
			return false
		}
		w := binary.BigEndian.Uint64(data[pos>>3:]) << (pos & 7)
		e := entries[w>>shift]
		if e >= secondTable {
			w, pos = w<<firstBits, pos+firstBits
			e = entries[e&^secondTable>>8+uint32(w>>(64-e&63))]
		}
		length := uint(e >> 8)
		w <<= length & 63
		pair := [2]uint32{e >> 4 & 15, e & 15}
		for k, x := range pair {
			if x < 15 {
				signed := (x + 15) >> 4
				lines[i+k] = t.signed[x<<1|uint32(w>>63)&signed]
				w <<= signed & 1
				length += uint(signed)
				continue
			}
			v := fourThirds(15 + int(w>>(64-linbits)))
			w <<= linbits
			if w>>63 == 1 {
				v = -v
			}
			lines[i+k] = v
			w <<= 1
			length += linbits + 1
		}
		pos += int(length)
	}
	r.pos = pos
	return true
}

// readQuads decodes quadruples of values up to 1, beginning at line from, until the bits or the
// lines end, and returns the line after the last. A quadruple that runs past end is stuffing and is
// dropped.
func (t *huffmanTables) readQuads(r *bitReader, code *codeTable, end int, lines *[granuleLines]float32, from int) int {
	pos := r.pos
	for from+4 <= granuleLines && pos < end {
		w := binary.BigEndian.Uint64(r.data[pos>>3:]) << (pos & 7)
		e := code.entry[w>>(code.shift&63)]
		length := e >> 8
		w <<= length & 63
		quad := lines[from : from+4 : from+4]
		for k := range quad {
			x := e >> (3 - k) & 1
			quad[k] = t.signed[x<<1|uint32(w>>63)&x]
			w <<= x & 1
			length += x
		}
		pos += int(length)
		if pos > end {
			break
		}
		from += 4
	}
	return from
}
