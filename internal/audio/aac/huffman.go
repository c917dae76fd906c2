package aac

// firstBits is the index width of the first lookup. Nearly every word is that short, and the tables
// of all codes fit into a processor's second-level cache.
const firstBits = 9

// codeTable decodes one prefix code.
type codeTable struct {
	first [1 << firstBits]codeWord
	// Words longer than firstBits, in order: where each starts when written at the top of 32 bits.
	starts []uint32
	long   []codeWord
}

// codeWord is a symbol and the length of its word. In the first table a length of 0 represents all
// long words with these first bits, and symbol is the index of the lowest.
type codeWord struct {
	symbol uint16
	length uint16
}

func newCodeTable(book codeBook) *codeTable {
	t := &codeTable{}
	start := uint32(0)
	for i, symbol := range book.symbols {
		length := book.lengths[i]
		slot := start >> (32 - firstBits)
		if length <= firstBits {
			for j := range uint32(1) << (firstBits - length) {
				t.first[slot+j] = codeWord{symbol, uint16(length)}
			}
		} else {
			if start<<firstBits == 0 {
				t.first[slot] = codeWord{symbol: uint16(len(t.long))}
			}
			t.starts = append(t.starts, start)
			t.long = append(t.long, codeWord{symbol, uint16(length)})
		}
		start += 1 << (32 - length) // wraps to 0 after the last
	}
	return t
}

// find returns the code word at the start of bits.
func (t *codeTable) find(bits uint64) codeWord {
	if w := t.first[bits>>(64-firstBits)]; w.length > 0 {
		return w
	}
	return t.findLong(bits)
}

func (t *codeTable) findLong(bits uint64) codeWord {
	i := int(t.first[bits>>(64-firstBits)].symbol)
	for i+1 < len(t.starts) && t.starts[i+1] <= uint32(bits>>32) {
		i++
	}
	return t.long[i]
}

// spectrumBook is one of the eleven codebooks for spectral lines. A word encodes dim lines.
type spectrumBook struct {
	*codeTable
	dim int
	// unsigned means that signs follow the word, a bit for each value that is not zero.
	unsigned bool
	values   [][4]int8 // by symbol
}

// spectrumShapes describes the codebooks 1 to 11: a symbol has dim digits to the base 2·largest+1,
// or largest+1 in unsigned codebooks.
var spectrumShapes = [11]struct {
	dim, largest int
	unsigned     bool
}{
	{4, 1, false}, {4, 1, false}, {4, 2, true}, {4, 2, true}, {2, 4, false}, {2, 4, false},
	{2, 7, true}, {2, 7, true}, {2, 12, true}, {2, 12, true}, {2, escape, true},
}

func newSpectrumBook(number int) spectrumBook {
	code, shape := spectrumCodes[number], spectrumShapes[number]
	b := spectrumBook{newCodeTable(code), shape.dim, shape.unsigned, make([][4]int8, len(code.symbols))}
	base, lowest := 2*shape.largest+1, -shape.largest
	if shape.unsigned {
		base, lowest = shape.largest+1, 0
	}
	for symbol := range b.values {
		rest := symbol
		for i := shape.dim - 1; i >= 0; i-- {
			b.values[symbol][i] = int8(rest%base + lowest)
			rest /= base
		}
	}
	return b
}
