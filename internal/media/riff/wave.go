package riff

import (
	"encoding/binary"
	"math"

	"waxwing/internal/media/window"
)

// Formats of WAVE.
const (
	PCM   = 0x0001
	Float = 0x0003
	ALaw  = 0x0006
	MuLaw = 0x0007
	MP3   = 0x0055

	extensible = 0xfffe
)

// WAVE is a WAVE file.
type WAVE struct {
	Audio
	Order  binary.ByteOrder
	Format uint16
	Mask   uint32 // of speakers; 0 when not stated

	blockAlign int
	byteRate   int64
}

// ReadWAVE reads RIFF, RIFX (big-endian), RF64 and BW64 (longer than 4 GiB) files. It calls other,
// if not nil, for each chunk that does not describe the audio; without it reading stops at the
// audio.
func ReadWAVE(w *window.Reader, other func(Chunk) error) (*WAVE, error) {
	head, err := w.At(0, headerSize)
	if err != nil {
		return nil, err
	}
	f := &WAVE{Order: binary.LittleEndian}
	if string(head[:4]) == "RIFX" {
		f.Order = binary.BigEndian
	}
	end := 8 + int64(f.Order.Uint32(head[4:]))
	long, frames := int64(-1), int64(0)
	for c, err := range Chunks(w, headerSize, w.Size(), f.Order) {
		if err != nil {
			return nil, err
		}
		switch c.ID {
		case "fmt ":
			err = f.readFormat(w, *c)
		case "ds64":
			var b []byte
			if b, err = w.Peek(c.Off, 16); len(b) == 16 {
				long = int64(f.Order.Uint64(b[8:]) & math.MaxInt64)
			}
		case "fact":
			var b []byte
			if b, err = w.Peek(c.Off, 4); len(b) == 4 {
				frames = int64(f.Order.Uint32(b))
			}
		case "data":
			switch {
			case c.Size == math.MaxUint32 && long >= 0:
				c.Size = min(long, w.Size())
			case c.Size == math.MaxUint32, c.Size == 0 && end <= c.Off:
				c.Size = max(w.Size()-c.Off, 0) // written to a pipe: the sizes are not filled in
			}
			if f.Size == 0 { // an empty chunk may precede the audio
				f.Off, f.Size = c.Off, c.Size
			}
		default:
			if other != nil {
				err = other(*c)
			}
		}
		if err != nil {
			return nil, err
		}
		if other == nil && f.Rate > 0 && f.Size > 0 {
			break
		}
	}
	switch {
	case f.Rate == 0:
		return nil, window.Damaged("the WAV file does not declare its format")
	case f.Off == 0:
		return nil, window.Damaged("the WAV file has no audio")
	}
	switch f.Format {
	case PCM, Float, ALaw, MuLaw:
		frames = 0
		f.SampleSize = (f.Bits + 7) / 8
		if f.Channels > 0 && f.blockAlign%f.Channels == 0 {
			// There may be fewer bits than there is room for, such as 20 in 3 bytes.
			f.SampleSize = max(f.SampleSize, f.blockAlign/f.Channels)
		}
	default:
		if frames == 0 && f.byteRate > 0 {
			frames = int64(float64(min(f.Size, w.Size())) / float64(f.byteRate) * float64(f.Rate))
		}
	}
	return f, f.finish(w.Size(), frames)
}

func (f *WAVE) readFormat(w *window.Reader, c Chunk) error {
	if c.Size < 14 {
		return window.Damaged("the format of the WAV file has only %d bytes", c.Size)
	}
	var b [40]byte
	data, err := w.At(c.Off, int(min(c.Size, 40)))
	if err != nil {
		return err
	}
	copy(b[:], data)
	f.Format = f.Order.Uint16(b[0:])
	f.Channels = int(f.Order.Uint16(b[2:]))
	f.Rate = int(f.Order.Uint32(b[4:]))
	f.byteRate = int64(f.Order.Uint32(b[8:]))
	f.blockAlign = int(f.Order.Uint16(b[12:]))
	f.Bits = int(f.Order.Uint16(b[14:]))
	if f.Format == extensible && c.Size >= 40 {
		f.Mask = f.Order.Uint32(b[20:])
		f.Format = f.Order.Uint16(b[24:])
	}
	return nil
}
