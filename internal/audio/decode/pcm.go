package decode

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"waxwing/internal/audio"
	"waxwing/internal/media/riff"
)

// pcmChunk is the largest read of a pcm source, in bytes.
const pcmChunk = 64 << 10

// pcm reads uncompressed samples: most of WAV and AIFF.
type pcm struct {
	in     audio.Input
	info   audio.Info
	start  int64 // of the first sample, in bytes
	width  int   // of one frame, in bytes
	decode func(dst []float32, src []byte)
	next   int64 // the frame that Read returns next
	raw    []byte
}

// newPCM returns a source of samples in the given format.
func newPCM(in audio.Input, file riff.Audio, format sampleFormat) (audio.Source, error) {
	if file.Channels > 8 {
		return nil, fmt.Errorf("%w: %d channels", audio.ErrUnsupported, file.Channels)
	}
	return &pcm{
		in: in, start: file.Off, width: format.bytes * file.Channels, decode: format.decode,
		info: audio.Info{
			Codec: "pcm", Rate: file.Rate, Channels: file.Channels, Frames: file.Frames, Depth: 8 * format.bytes,
		},
	}, nil
}

func (p *pcm) Info() audio.Info { return p.info }

func (p *pcm) Read(dst []float32) (int, error) {
	if p.next >= p.info.Frames {
		return 0, io.EOF
	}
	if p.raw == nil {
		p.raw = make([]byte, pcmChunk/p.width*p.width)
	}
	want := min(int64(len(dst)/p.info.Channels), int64(len(p.raw)/p.width), p.info.Frames-p.next)
	got, err := p.in.ReadAt(p.raw[:want*int64(p.width)], p.start+p.next*int64(p.width))
	n := max(got, 0) / p.width
	if n == 0 {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF // the file shrank since it was opened
		}
		return 0, fmt.Errorf("read samples: %w", err)
	}
	p.decode(dst[:n*p.info.Channels], p.raw[:n*p.width])
	p.next += int64(n)
	return n, nil
}

func (p *pcm) SeekTo(frame int64) error {
	if frame < 0 || frame > p.info.Frames {
		return fmt.Errorf("seek to frame %d of %d", frame, p.info.Frames)
	}
	p.next = frame
	return nil
}

func (p *pcm) Close() error {
	p.raw = nil
	return nil
}

// sampleFormat is an encoding of samples.
type sampleFormat struct {
	bytes  int
	decode func(dst []float32, src []byte) // src holds exactly as many samples as dst
}

// integers returns the format of two's complement samples of 1 to 4 bytes.
// If there are fewer significant bits, they are the upper ones.
func integers(bytes int, order binary.ByteOrder) (sampleFormat, bool) {
	const one16, one24, one32 = 1 << 15, 1 << 23, 1 << 31
	var f func(dst []float32, src []byte)
	big := order == binary.ByteOrder(binary.BigEndian)
	switch bytes {
	case 1:
		f = func(dst []float32, src []byte) {
			for i := range dst {
				dst[i] = float32(int8(src[i])) / 128
			}
		}
	case 2:
		f = func(dst []float32, src []byte) {
			for i := range dst {
				dst[i] = float32(int16(order.Uint16(src[2*i:]))) / one16
			}
		}
	case 3:
		low, high := 0, 2
		if big {
			low, high = 2, 0
		}
		f = func(dst []float32, src []byte) {
			for i := range dst {
				s := src[3*i : 3*i+3]
				dst[i] = float32(int32(s[high])<<24>>8|int32(s[1])<<8|int32(s[low])) / one24
			}
		}
	case 4:
		f = func(dst []float32, src []byte) {
			for i := range dst {
				dst[i] = float32(int32(order.Uint32(src[4*i:]))) / one32
			}
		}
	default:
		return sampleFormat{}, false
	}
	return sampleFormat{bytes, f}, true
}

// unsigned8 decodes the 8-bit samples of WAVE.
func unsigned8(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(int(src[i])-128) / 128
	}
}

// floats returns the format of IEEE samples of 4 or 8 bytes.
func floats(bytes int, order binary.ByteOrder) (sampleFormat, bool) {
	switch bytes {
	case 4:
		return sampleFormat{4, func(dst []float32, src []byte) {
			for i := range dst {
				dst[i] = math.Float32frombits(order.Uint32(src[4*i:]))
			}
		}}, true
	case 8:
		return sampleFormat{8, func(dst []float32, src []byte) {
			for i := range dst {
				dst[i] = float32(math.Float64frombits(order.Uint64(src[8*i:])))
			}
		}}, true
	}
	return sampleFormat{}, false
}

// muLaw and aLaw decode the logarithmic formats of telephony (ITU-T G.711).
func muLaw(dst []float32, src []byte) {
	for i := range dst {
		b := ^src[i]
		v := (int32(b&15)<<3+132)<<(b>>4&7) - 132
		if b&0x80 != 0 {
			v = -v
		}
		dst[i] = float32(v) / (1 << 15)
	}
}

func aLaw(dst []float32, src []byte) {
	for i := range dst {
		b := src[i] ^ 0x55
		v := int32(b&15)<<4 + 8
		if e := b >> 4 & 7; e > 0 {
			v = (v + 256) << (e - 1)
		}
		if b&0x80 == 0 {
			v = -v
		}
		dst[i] = float32(v) / (1 << 15)
	}
}
