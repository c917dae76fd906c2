package vorbis

import "errors"

var errResidue = errors.New("bad residue")

// residue is the fine structure of a spectrum: partitions, each of a class, whose numbers are
// refined in up to eight passes.
type residue struct {
	kind       int // 0: strided vectors, 1: plain vectors, 2: channels interleaved into one vector
	begin, end int
	partition  int // size
	classBook  *codebook
	classes    [][8]*codebook // by class and pass; nil: nothing to add

	live   [][]float32 // scratch: the spectra that are wanted
	chosen []uint8     // scratch: the class of every partition, channel by channel
}

func readResidue(r *bitReader, books []*codebook) (*residue, error) {
	x := &residue{kind: int(r.read(16))}
	x.begin = int(r.read(24))
	x.end = int(r.read(24))
	x.partition = int(r.read(24)) + 1
	x.classes = make([][8]*codebook, r.read(6)+1)
	book := int(r.read(8))
	if x.kind > 2 || x.end < x.begin || book >= len(books) {
		return nil, errResidue
	}
	x.classBook = books[book]

	passes := make([]uint32, len(x.classes))
	for i := range passes {
		passes[i] = r.read(3)
		if r.flag() {
			passes[i] |= r.read(5) << 3
		}
	}
	for i, set := range passes {
		for pass := range 8 {
			if set>>pass&1 == 0 {
				continue
			}
			book := int(r.read(8))
			if book >= len(books) || books[book].values == nil {
				return nil, errResidue
			}
			x.classes[i][pass] = books[book]
		}
	}
	if r.over {
		return nil, errResidue
	}
	return x, nil
}

// add decodes the residue onto the given spectra, which have equal length. A channel that is not
// wanted does not change. The end of the packet ends the decoding.
func (x *residue) add(r *bitReader, spectra [][]float32, wanted []bool) {
	live := x.live[:0]
	for i, s := range spectra {
		if wanted[i] {
			live = append(live, s)
		}
	}
	x.live = live
	if len(live) == 0 {
		return
	}
	size := len(live[0])
	vectors := len(live)
	if x.kind == 2 {
		// One vector over all channels, silent ones included.
		live = spectra
		size *= len(spectra)
		vectors = 1
	}
	begin, end := min(x.begin, size), min(x.end, size)
	partitions := (end - begin) / x.partition
	perWord := x.classBook.dim
	if need := vectors * partitions; cap(x.chosen) < need {
		x.chosen = make([]uint8, need)
	}

	for pass := range 8 {
		for p := 0; p < partitions; p++ {
			if pass == 0 && p%perWord == 0 {
				for v := range vectors {
					if !x.choose(r, x.chosen[v*partitions:][:partitions], p) {
						return
					}
				}
			}
			for v := range vectors {
				book := x.classes[x.chosen[v*partitions:][:partitions][p]][pass]
				if book == nil {
					continue
				}
				at := begin + p*x.partition
				done := false
				switch x.kind {
				case 0:
					done = addStrided(r, book, live[v][at:at+x.partition])
				case 1:
					done = addPlain(r, book, live[v][at:at+x.partition])
				default:
					done = addInterleaved(r, book, live, at, x.partition)
				}
				if !done {
					return
				}
			}
		}
	}
}

// choose reads one codeword, which has the classes of the partitions from p on.
func (x *residue) choose(r *bitReader, chosen []uint8, p int) bool {
	word := x.classBook.scalar(r)
	if word < 0 {
		return false
	}
	for i := x.classBook.dim - 1; i >= 0; i-- {
		if p+i < len(chosen) {
			chosen[p+i] = uint8(word % len(x.classes))
		}
		word /= len(x.classes)
	}
	return true
}

func addStrided(r *bitReader, book *codebook, out []float32) bool {
	stride := len(out) / book.dim
	for i := range stride {
		vector := book.vector(r)
		if vector == nil {
			return false
		}
		for k, value := range vector {
			out[i+k*stride] += value
		}
	}
	return true
}

func addPlain(r *bitReader, book *codebook, out []float32) bool {
	for len(out) > 0 {
		vector := book.vector(r)
		if vector == nil {
			return false
		}
		vector = vector[:min(len(vector), len(out))]
		for k, value := range vector {
			out[k] += value
		}
		out = out[len(vector):]
	}
	return true
}

func addInterleaved(r *bitReader, book *codebook, out [][]float32, at, size int) bool {
	if len(out) == 2 && at%2 == 0 && book.dim%2 == 0 && size%book.dim == 0 {
		return addStereo(r, book, out[0][at/2:(at+size)/2], out[1][at/2:(at+size)/2])
	}
	channel, bin := at%len(out), at/len(out)
	for size > 0 {
		vector := book.vector(r)
		if vector == nil {
			return false
		}
		vector = vector[:min(len(vector), size)]
		size -= len(vector)
		for _, value := range vector {
			out[channel][bin] += value
			if channel++; channel == len(out) {
				channel = 0
				bin++
			}
		}
	}
	return true
}

// addStereo is addInterleaved for two channels and whole vectors of an even length.
func addStereo(r *bitReader, book *codebook, left, right []float32) bool {
	right = right[:len(left)]
	for len(left) > 0 {
		vector := book.vector(r)
		if vector == nil {
			return false
		}
		for i := 0; i+1 < len(vector); i += 2 {
			left[i/2] += vector[i]
			right[i/2] += vector[i+1]
		}
		left, right = left[len(vector)/2:], right[len(vector)/2:]
	}
	return true
}
