package mp3

import "sync"

// firstBits is the index width of the first lookup. It covers nearly every code that occurs and
// keeps a table within two kilobytes.
const firstBits = 9

// codeTable decodes one Huffman code. An entry is either a symbol (length<<8 | symbol) or, with
// the top bit set, the offset and index width of a second table (offset<<8 | width).
type codeTable struct {
	entry []uint32
	shift uint // of a 64-bit word, to keep the bits of the first lookup
}

const secondTable = 1 << 31

// newCodeTable builds the table of a complete prefix code whose symbols are given in the
// order of their code words.
func newCodeTable(symbols, lengths []uint8) codeTable {
	longest := 0
	for _, l := range lengths {
		longest = max(longest, int(l))
	}
	first := min(longest, firstBits)
	t := codeTable{entry: make([]uint32, 1<<first), shift: uint(64 - first)}
	code := 0 // left-aligned in longest bits
	for i := 0; i < len(symbols); {
		length := int(lengths[i])
		if length <= first {
			t.put(0, code>>(longest-first), first, length, symbols[i])
			code += 1 << (longest - length)
			i++
			continue
		}
		// Codes with these first bits share a second table, as wide as the longest of them needs.
		prefix := code >> (longest - first)
		end, width := i, 0
		for c := code; end < len(symbols) && c>>(longest-first) == prefix; end++ {
			width = max(width, int(lengths[end])-first)
			c += 1 << (longest - int(lengths[end]))
		}
		place := len(t.entry)
		t.entry = append(t.entry, make([]uint32, 1<<width)...)
		t.entry[prefix] = uint32(secondTable | place<<8 | width)
		for ; i < end; i++ {
			rest := code & (1<<(longest-first) - 1) >> (longest - first - width)
			t.put(place, rest, width, int(lengths[i])-first, symbols[i])
			code += 1 << (longest - int(lengths[i]))
		}
	}
	return t
}

// put stores a symbol of length bits in every slot that begins with it of the table at place, which
// has 2^width slots.
func (t *codeTable) put(place, slot, width, length int, symbol uint8) {
	for i := range 1 << (width - length) {
		t.entry[place+slot+i] = uint32(length<<8) | uint32(symbol)
	}
}

// spectrumTable is one of the 32 tables for pairs: a code and the number of bits that follow a 15
// to extend it.
type spectrumTable struct {
	code     codeTable
	linbits  uint
	allZeros bool // tables 0, 4 and 14: no bits, only zeros
}

// huffmanTables are built on first use and shared.
type huffmanTables struct {
	pair [32]spectrumTable
	quad [2]codeTable
	// signed holds |x|^(4/3) with x's sign, at 2x for plus and 2x+1 for minus.
	signed [2 * 16]float32
}

var loadHuffmanTables = sync.OnceValue(func() *huffmanTables {
	t := &huffmanTables{}
	for n := range t.pair {
		switch book, ok := pairCodes[n]; {
		case ok:
			t.pair[n].code = newCodeTable(book.symbols, book.lengths)
		case n > 16:
			t.pair[n].code = t.pair[n-1].code
		default:
			t.pair[n].allZeros = true
		}
		if n >= 16 {
			t.pair[n].linbits = linbits[n-16]
		}
	}
	for n, book := range quadCodes {
		t.quad[n] = newCodeTable(book.symbols, book.lengths)
	}
	for x := range len(t.signed) / 2 {
		t.signed[2*x] = fourThirds(x)
		t.signed[2*x+1] = -fourThirds(x)
	}
	return t
})
