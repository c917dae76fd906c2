package decode

import (
	"errors"
	"fmt"
	"io"
	"math"
	"sort"

	"waxwing/internal/audio"
)

// maxPacket is the longest packet of any codec here: eight channels of 32 bits, and room.
const maxPacket = 1 << 20

var errSampleTable = errors.New("bad sample table")

// packetTable says where the packets of a track lie in the file. Packets of one chunk follow each other.
type packetTable struct {
	count  int
	size   int64    // of every packet, when sizes is nil
	sizes  []uint32 // of each packet
	chunks []packetChunk

	// The place found last makes reading on cheap, however long a chunk is.
	found bool
	last  packetChunk
}

type packetChunk struct {
	first  int // packet
	offset int64
}

func (t *packetTable) sizeOf(packet int) int64 {
	if t.sizes == nil {
		return t.size
	}
	return int64(t.sizes[packet])
}

// locate returns where a packet starts.
func (t *packetTable) locate(packet int) int64 {
	chunk := t.chunks[sort.Search(len(t.chunks), func(i int) bool { return t.chunks[i].first > packet })-1]
	from, offset := chunk.first, chunk.offset
	if t.found && t.last.first >= from && t.last.first <= packet {
		from, offset = t.last.first, t.last.offset
	}
	if t.sizes == nil {
		offset += int64(packet-from) * t.size
	} else {
		for _, size := range t.sizes[from:packet] {
			offset += int64(size)
		}
	}
	t.found, t.last = true, packetChunk{packet, offset}
	return offset
}

// trim leaves out the packets at the end that a file of the given size no longer holds.
func (t *packetTable) trim(size int64) {
	t.count = sort.Search(t.count, func(i int) bool {
		end := t.locate(i) + t.sizeOf(i)
		t.found = false // the search jumps about
		return end > size
	})
}

// read returns a packet, in buf when it has the room.
func (t *packetTable) read(in audio.Input, packet int, buf []byte) ([]byte, error) {
	size := t.sizeOf(packet)
	if size > maxPacket {
		return nil, fmt.Errorf("packet %d of %d bytes: %w", packet, size, errSampleTable)
	}
	if int64(cap(buf)) < size {
		buf = make([]byte, size)
	}
	buf = buf[:size]
	n, err := readUpTo(in, buf, t.locate(packet))
	if err == nil && n < len(buf) {
		err = io.ErrUnexpectedEOF
	}
	return buf, err
}

// readPacketTable reads the sample table of a track. What it allocates is bounded by the bytes of the table.
func readPacketTable(table mp4Box) (*packetTable, error) {
	t := &packetTable{}
	if err := t.readSizes(table); err != nil {
		return nil, err
	}
	if t.count == 0 {
		return t, nil
	}
	offsets, err := readChunkOffsets(table)
	if err != nil {
		return nil, err
	}
	data, err := table.contentOf("stsc")
	if err != nil {
		return nil, err
	}
	f := fields{data: data}
	f.take(4)
	runs := min(f.u32(), len(f.data)/12)
	packet, chunk := 0, 0
	nextFirst := f.u32() - 1
	for run := range runs {
		if packet == t.count || chunk == len(offsets) {
			break
		}
		perChunk := f.u32()
		f.take(4)
		first := nextFirst
		nextFirst = len(offsets)
		if run < runs-1 {
			nextFirst = f.u32() - 1
		}
		if first != chunk || nextFirst <= first || perChunk == 0 {
			return nil, fmt.Errorf("chunks: %w", errSampleTable)
		}
		for ; chunk < min(nextFirst, len(offsets)) && packet < t.count; chunk++ {
			t.chunks = append(t.chunks, packetChunk{packet, offsets[chunk]})
			packet += min(perChunk, t.count-packet)
		}
	}
	if len(t.chunks) == 0 {
		return nil, fmt.Errorf("chunks: %w", errSampleTable)
	}
	t.count = packet
	return t, nil
}

func (t *packetTable) readSizes(table mp4Box) error {
	data, err := table.contentOf("stsz")
	if err != nil {
		return err
	}
	if data == nil {
		return t.readCompactSizes(table)
	}
	f := fields{data: data}
	f.take(4)
	t.size = int64(f.u32())
	t.count = f.u32()
	if t.size > 0 {
		t.count = min(t.count, int(table.in.Size()/t.size))
		return nil
	}
	t.count = min(t.count, len(f.data)/4)
	t.sizes = make([]uint32, t.count)
	for i := range t.sizes {
		t.sizes[i] = uint32(f.u32())
	}
	return nil
}

// readCompactSizes reads a table of 4, 8 or 16 bits a packet.
func (t *packetTable) readCompactSizes(table mp4Box) error {
	data, err := table.contentOf("stz2")
	if err != nil {
		return err
	}
	f := fields{data: data}
	f.take(7)
	width := f.u8()
	if width != 4 && width != 8 && width != 16 {
		return fmt.Errorf("sizes: %w", errSampleTable)
	}
	t.count = min(f.u32(), len(f.data)*8/width)
	t.sizes = make([]uint32, t.count)
	for i := range t.sizes {
		switch {
		case width == 16:
			t.sizes[i] = uint32(f.u16())
		case width == 8:
			t.sizes[i] = uint32(f.u8())
		case i%2 == 0:
			t.sizes[i] = uint32(f.data[0] >> 4)
		default:
			t.sizes[i] = uint32(f.u8() & 15)
		}
	}
	return nil
}

func readChunkOffsets(table mp4Box) ([]int64, error) {
	data, err := table.contentOf("stco")
	if err != nil {
		return nil, err
	}
	width := 4
	if data == nil {
		if data, err = table.contentOf("co64"); err != nil {
			return nil, err
		}
		width = 8
	}
	f := fields{data: data}
	f.take(4)
	offsets := make([]int64, min(f.u32(), len(f.data)/width))
	for i := range offsets {
		offset := f.number(width)
		if offset > math.MaxInt64/2 {
			return nil, fmt.Errorf("chunk offset: %w", errSampleTable)
		}
		offsets[i] = int64(offset)
	}
	return offsets, nil
}
