package decode

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"waxwing/internal/audio"
)

// Format tags of WAVE.
const (
	wavePCM        = 0x0001
	waveFloat      = 0x0003
	waveALaw       = 0x0006
	waveMuLaw      = 0x0007
	waveMP3        = 0x0055
	waveExtensible = 0xFFFE
)

// waveFormat is the "fmt " chunk.
type waveFormat struct {
	tag        uint16
	channels   int
	rate       int
	blockAlign int
	bits       int
	mask       uint32 // of speakers, 0 when not stated
}

// openWAV opens RIFF, RIFX (big endian), RF64 and BW64 (longer than 4 GiB) WAVE files.
func openWAV(in audio.Input) (audio.Source, error) {
	var head [12]byte
	if err := readFull(in, head[:], 0); err != nil {
		return nil, fmt.Errorf("open WAV: %w", err)
	}
	var order binary.ByteOrder = binary.LittleEndian
	if string(head[:4]) == "RIFX" {
		order = binary.BigEndian
	}
	riffEnd := 8 + int64(order.Uint32(head[4:]))

	var format *waveFormat
	var data *chunk
	long := int64(-1) // size of the data by the "ds64" chunk
	err := walkChunks(in, order, func(c chunk) (bool, error) {
		switch c.id {
		case "fmt ":
			f, err := readWaveFormat(in, order, c)
			if err != nil {
				return false, err
			}
			format = &f
		case "ds64":
			var b [16]byte
			if err := readFull(in, b[:], c.start); err == nil {
				long = int64(order.Uint64(b[8:]) & math.MaxInt64)
			}
		case "data":
			switch {
			case c.size == math.MaxUint32 && long >= 0:
				c.size = long
			case c.size == math.MaxUint32, c.size == 0 && riffEnd <= c.start:
				c.size = max(in.Size()-c.start, 0) // written to a pipe: the sizes were never filled in
			}
			data = &c
		}
		return format != nil && data != nil, nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("open WAV: %w", err)
	case format == nil:
		return nil, fmt.Errorf("open WAV: the file does not say its format: %w", io.ErrUnexpectedEOF)
	case data == nil:
		return nil, fmt.Errorf("open WAV: the file has no sound in it: %w", io.ErrUnexpectedEOF)
	case format.tag == waveMP3:
		return openMP3(io.NewSectionReader(in, data.start, max(min(data.size, in.Size()-data.start), 0)))
	}
	samples, err := format.samples(order)
	if err != nil {
		return nil, err
	}
	src, err := newPCM(in, data.start, data.size, format.rate, format.channels, samples)
	if err != nil {
		return nil, err
	}
	return inWaveOrder(src, format.mask), nil
}

func readWaveFormat(in audio.Input, order binary.ByteOrder, c chunk) (waveFormat, error) {
	var b [40]byte
	if c.size < 14 {
		return waveFormat{}, fmt.Errorf("its format is only %d bytes long: %w", c.size, io.ErrUnexpectedEOF)
	}
	if err := readFull(in, b[:min(c.size, 40)], c.start); err != nil {
		return waveFormat{}, err
	}
	f := waveFormat{
		tag:        order.Uint16(b[0:]),
		channels:   int(order.Uint16(b[2:])),
		rate:       int(order.Uint32(b[4:])),
		blockAlign: int(order.Uint16(b[12:])),
		bits:       int(order.Uint16(b[14:])),
	}
	if f.tag == waveExtensible && c.size >= 40 {
		f.mask = order.Uint32(b[20:])
		f.tag = order.Uint16(b[24:])
	}
	return f, nil
}

// samples returns how the samples are written. The block alignment says how wide
// they are; the number of bits may be smaller (20 bits in 3 bytes).
func (f waveFormat) samples(order binary.ByteOrder) (sampleFormat, error) {
	bytes := (f.bits + 7) / 8
	if f.channels > 0 && f.blockAlign%f.channels == 0 && f.blockAlign/f.channels > bytes {
		bytes = f.blockAlign / f.channels
	}
	var s sampleFormat
	var ok bool
	switch f.tag {
	case wavePCM:
		if bytes == 1 {
			s, ok = sampleFormat{1, unsigned8}, true
		} else {
			s, ok = integers(bytes, order)
		}
	case waveFloat:
		s, ok = floats(bytes, order)
	case waveALaw:
		s, ok = sampleFormat{1, aLaw}, bytes == 1
	case waveMuLaw:
		s, ok = sampleFormat{1, muLaw}, bytes == 1
	}
	if !ok {
		return s, fmt.Errorf("%w: WAV of format %#04x with %d bits", audio.ErrUnsupported, f.tag, f.bits)
	}
	return s, nil
}
