package mp4

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sort"

	"waxwing/internal/media/joined"
	"waxwing/internal/media/ogg"
	"waxwing/internal/media/window"
)

// maxPacket is the longest packet of any codec: eight channels of 32 bits, and some room.
const maxPacket = 1 << 20

// Samples is the location of a track's packets in the file. Packets of one chunk are contiguous.
type Samples struct {
	Count  int
	size   int64    // of every packet, when sizes is nil
	sizes  []uint32 // of each packet
	chunks []chunk

	times times // of the packets, in ticks of the media

	// The packet located last makes sequential reading cheap, however long a chunk is.
	located bool
	last    chunk
}

type chunk struct {
	first  int // packet
	offset int64
}

// Append adds a packet.
func (s *Samples) Append(offset int64, size int) {
	s.chunks = append(s.chunks, chunk{s.Count, offset})
	s.sizes = append(s.sizes, uint32(size))
	s.Count++
}

func (s *Samples) sizeOf(packet int) int64 {
	if s.sizes == nil {
		return s.size
	}
	return int64(s.sizes[packet])
}

// locate returns the offset of a packet.
func (s *Samples) locate(packet int) int64 {
	c := s.chunks[sort.Search(len(s.chunks), func(i int) bool { return s.chunks[i].first > packet })-1]
	from, offset := c.first, c.offset
	if s.located && s.last.first >= from && s.last.first <= packet {
		from, offset = s.last.first, s.last.offset
	}
	if s.sizes == nil {
		offset += int64(packet-from) * s.size
	} else {
		for _, size := range s.sizes[from:packet] {
			offset += int64(size)
		}
	}
	s.located, s.last = true, chunk{packet, offset}
	return offset
}

// trim drops the packets at the end that a file of the given size does not hold.
func (s *Samples) trim(size int64) {
	s.Count = sort.Search(s.Count, func(i int) bool {
		end := s.locate(i) + s.sizeOf(i)
		s.located = false // the search is not sequential
		return end > size
	})
}

// Read returns a packet, in buf if that is large enough.
func (s *Samples) Read(r io.ReaderAt, packet int, buf []byte) ([]byte, error) {
	size := s.sizeOf(packet)
	if size > maxPacket {
		return nil, window.Damaged("packet %d has %d bytes", packet, size)
	}
	if int64(cap(buf)) < size {
		buf = make([]byte, size)
	}
	buf = buf[:size]
	n, err := r.ReadAt(buf, s.locate(packet))
	if n == len(buf) {
		return buf, nil
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return buf, fmt.Errorf("read packet %d: %w", packet, err)
}

// Samples reads the sample table of the track, and its fragments. The memory it uses is bounded by
// the size of the tables in the file.
func (f *File) Samples() (*Samples, error) {
	s := &Samples{times: slices.Clone(f.times)}
	if err := s.readSizes(f.boxes); err != nil {
		return nil, err
	}
	if s.Count > 0 {
		if err := s.readChunks(f.boxes); err != nil {
			return nil, err
		}
	}
	if f.fragmented {
		if err := f.readFragments(s); err != nil {
			return nil, err
		}
	}
	s.trim(f.w.Size())
	return s, nil
}

// readChunks reads the offsets of chunks, and which packets each has.
func (s *Samples) readChunks(boxes map[string]box) error {
	offsets, err := readChunkOffsets(boxes)
	if err != nil {
		return err
	}
	f, err := boxes["stsc"].content()
	if err != nil {
		return err
	}
	f.take(4)
	runs := min(f.u32(), len(f.data)/12)
	packet, n := 0, 0
	nextFirst := f.u32() - 1
	for run := range runs {
		if packet == s.Count || n == len(offsets) {
			break
		}
		perChunk := f.u32()
		f.take(4)
		first := nextFirst
		nextFirst = len(offsets)
		if run < runs-1 {
			nextFirst = f.u32() - 1
		}
		if first != n || nextFirst <= first || perChunk == 0 {
			return window.Damaged("the chunks of the MP4 track contradict each other")
		}
		for ; n < min(nextFirst, len(offsets)) && packet < s.Count; n++ {
			s.chunks = append(s.chunks, chunk{packet, offsets[n]})
			packet += min(perChunk, s.Count-packet)
		}
	}
	if len(s.chunks) == 0 {
		return window.Damaged("the MP4 track has no chunks")
	}
	s.Count = packet
	return nil
}

func (s *Samples) readSizes(boxes map[string]box) error {
	if _, found := boxes["stsz"]; !found {
		return s.readCompactSizes(boxes["stz2"])
	}
	f, err := boxes["stsz"].content()
	if err != nil {
		return err
	}
	f.take(4)
	s.size = int64(f.u32())
	s.Count = f.u32()
	if s.size > 0 {
		s.Count = min(s.Count, int(boxes["stsz"].w.Size()/s.size))
		return nil
	}
	s.Count = min(s.Count, len(f.data)/4)
	s.sizes = make([]uint32, s.Count)
	for i := range s.sizes {
		s.sizes[i] = uint32(f.u32())
	}
	return nil
}

// readCompactSizes reads a table of 4, 8 or 16 bits per packet.
func (s *Samples) readCompactSizes(b box) error {
	f, err := b.content()
	if err != nil {
		return err
	}
	f.take(7)
	width := f.u8()
	if width != 4 && width != 8 && width != 16 {
		return window.Damaged("the packet sizes of the MP4 track are missing")
	}
	s.Count = min(f.u32(), len(f.data)*8/width)
	s.sizes = make([]uint32, s.Count)
	for i := range s.sizes {
		switch {
		case width == 16:
			s.sizes[i] = uint32(f.u16())
		case width == 8:
			s.sizes[i] = uint32(f.u8())
		case i%2 == 0:
			s.sizes[i] = uint32(f.data[0] >> 4)
		default:
			s.sizes[i] = uint32(f.u8() & 15)
		}
	}
	return nil
}

func readChunkOffsets(boxes map[string]box) ([]int64, error) {
	b, narrow := boxes["stco"]
	width := 4
	if !narrow {
		b, width = boxes["co64"], 8
	}
	f, err := b.content()
	if err != nil {
		return nil, err
	}
	f.take(4)
	offsets := make([]int64, min(f.u32(), len(f.data)/width))
	for i := range offsets {
		offset := f.number(width)
		if offset > math.MaxInt64/2 {
			return nil, window.Damaged("an MP4 chunk is outside of the file")
		}
		offsets[i] = int64(offset)
	}
	return offsets, nil
}

// Content returns the packets as one file behind the given head: a FLAC or MP3 stream.
func (s *Samples) Content(r io.ReaderAt, head []byte) *joined.File {
	content := joined.New(r, head, nil)
	for i := range s.Count {
		content.Append(s.locate(i), s.sizeOf(i))
	}
	return content
}

// Remux returns the packets of Opus as an Ogg file. The first skip frames are not heard, nor those
// behind the number of frames after them.
func (f *File) Remux(r io.ReaderAt, s *Samples, skip, frames int64) *ogg.Remux {
	file := ogg.NewRemux(r, nil, f.Config, ogg.EmptyOpusTags)
	for i := range s.Count {
		end := rescale(s.times.before(i+1), ogg.OpusRate, f.timescale) - skip
		file.Append(s.locate(i), int(min(s.sizeOf(i), maxPacket)), min(end, frames))
		if end >= frames {
			break
		}
	}
	return file
}
