package matroska

import "waxwing/internal/media/window"

// Lacings of a block that holds several packets.
const (
	noLacing = iota
	xiphLacing
	fixedLacing
	ebmlLacing
)

const (
	maxLaced  = 256
	blockPeek = 1 << 10 // of a block, for its header
)

// readBlockGroup reads a block with properties.
func (r *reader) readBlockGroup(group element) error {
	discard, found := int64(0), false
	var block element
	for e, err := range children(r.Reader, group) {
		if err != nil {
			return err
		}
		switch e.id {
		case idBlock:
			block, found = e, true
		case idDiscard:
			b, err := content(r.Reader, e, 8)
			if err != nil {
				return err
			}
			if len(b) > 0 && b[0] < 0x80 { // negative: at the start
				if discard, err = integer(r.Reader, e); err != nil {
					return err
				}
			}
		}
	}
	if !found || block.cut {
		return nil
	}
	return r.readBlock(block, discard)
}

// readBlock appends the packets of a block that belongs to the track.
func (r *reader) readBlock(e element, discard int64) error {
	b, err := content(r.Reader, e, blockPeek)
	if err != nil {
		return err
	}
	track, n := number(b)
	if !r.found || n == 0 || len(b) < n+3 || track != r.file.number {
		return nil
	}
	flags := b[n+2]
	sizes, used, ok := lacedSizes(b[n+3:], int(flags>>1&3), e.size()-int64(n+3))
	if !ok {
		return nil // a damaged block
	}
	if len(r.file.Packets)+len(sizes) > maxPackets {
		return window.Damaged("the Matroska file has more than %d packets", maxPackets)
	}
	at := e.start + int64(n+3+used)
	for _, size := range sizes {
		if err := r.addPacket(at, size); err != nil {
			return err
		}
		at += size
	}
	r.file.Padding, r.file.End = discard, e.end
	return nil
}

func (r *reader) addPacket(off, size int64) error {
	f := &r.file
	p := Packet{Off: off, Size: int32(size)}
	if f.count != nil {
		b, err := r.Peek(off, int(min(size, countedBytes)))
		if err != nil {
			return err
		}
		if len(f.Prefix) > 0 {
			b = append(f.Prefix[:len(f.Prefix):len(f.Prefix)], b...)
		}
		p.Frames = int32(f.count(b))
	}
	f.Packets = append(f.Packets, p)
	return nil
}

// lacedSizes returns the sizes of the packets in a block whose content, of which b is the
// beginning, has the given size, and the length of their description.
func lacedSizes(b []byte, lacing int, size int64) (sizes []int64, used int, ok bool) {
	if size < 0 || size > window.MaxRead {
		return nil, 0, false
	}
	if lacing == noLacing {
		return []int64{size}, 0, true
	}
	if len(b) == 0 {
		return nil, 0, false
	}
	count := int(b[0]) + 1
	used = 1
	left := size - 1
	sizes = make([]int64, count)
	for i := range count - 1 {
		n, length := int64(0), 0
		switch lacing {
		case xiphLacing:
			v, l, ok := xiphSize(b[used:])
			if !ok {
				return nil, 0, false
			}
			n, length = int64(v), l
		case ebmlLacing:
			v, l := number(b[used:])
			if l == 0 {
				return nil, 0, false
			}
			if n, length = v, l; i > 0 { // relative to the size before
				n = sizes[i-1] + v - (1<<(7*l-1) - 1)
			}
		case fixedLacing:
			n = left / int64(count)
		}
		if n < 0 {
			return nil, 0, false
		}
		sizes[i] = n
		used += length
		if lacing != fixedLacing {
			left -= n + int64(length)
		}
	}
	if lacing == fixedLacing {
		sizes[count-1] = left / int64(count)
		return sizes, used, true
	}
	sizes[count-1] = left
	return sizes, used, left >= 0
}

// xiphSize decodes a size as a sum of bytes that ends with one below 255.
func xiphSize(b []byte) (n, used int, ok bool) {
	for used < len(b) {
		c := b[used]
		used++
		n += int(c)
		if c < 255 {
			return n, used, true
		}
	}
	return 0, used, false
}
