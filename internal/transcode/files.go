package transcode

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"waxwing/internal/audio"
	"waxwing/internal/audio/flac"
)

const bufferSize = 256 << 10

// flacSink writes FLAC.
type flacSink struct {
	file    io.WriterAt
	out     *bufio.Writer
	encoder *flac.Encoder
	depth   int
	samples []int32
}

func newFLAC(p *partial, v Variant, info audio.Info) (sink, error) {
	out := bufio.NewWriterSize(p.File, bufferSize)
	depth := v.depthOf(info)
	encoder, err := flac.NewEncoder(out, info.Rate, info.Channels, depth)
	if err != nil {
		return nil, fmt.Errorf("encode FLAC: %w", err)
	}
	return &flacSink{file: p.File, out: out, encoder: encoder, depth: depth}, nil
}

func (s *flacSink) write(samples []float32) error {
	s.samples = whole(s.samples, samples, s.depth)
	return s.encoder.Write(s.samples)
}

func (s *flacSink) finish() error {
	header, err := s.encoder.Finish()
	if err != nil {
		return err
	}
	return finishFile(s.out, s.file, header)
}

func (s *flacSink) close() {}

// finishFile writes what is buffered, and the header in its final form.
func finishFile(out *bufio.Writer, file io.WriterAt, header []byte) error {
	if err := out.Flush(); err != nil {
		return err
	}
	_, err := file.WriteAt(header, 0)
	return err
}

// wavSink writes WAV.
type wavSink struct {
	file    io.WriterAt
	out     *bufio.Writer
	info    audio.Info
	depth   int
	size    int64 // bytes of samples
	samples []int32
}

func newWAV(p *partial, v Variant, info audio.Info) (sink, error) {
	s := &wavSink{file: p.File, out: bufio.NewWriterSize(p.File, bufferSize), info: info, depth: v.depthOf(info)}
	_, err := s.out.Write(s.header())
	return s, err
}

func (s *wavSink) write(samples []float32) error {
	s.samples = whole(s.samples, samples, s.depth)
	s.size += int64(len(samples)) * int64(s.depth/8)
	if s.size > math.MaxUint32-1000 {
		return errWAVTooLong
	}
	b := s.out.AvailableBuffer()
	for _, v := range s.samples {
		if s.depth == 16 {
			b = append(b, byte(v), byte(v>>8))
		} else {
			b = append(b, byte(v), byte(v>>8), byte(v>>16))
		}
	}
	_, err := s.out.Write(b)
	return err
}

func (s *wavSink) finish() error {
	if s.size%2 == 1 { // chunks have even lengths
		if err := s.out.WriteByte(0); err != nil {
			return err
		}
	}
	return finishFile(s.out, s.file, s.header())
}

func (s *wavSink) close() {}

// masks are the speakers of audio.Info's layouts.
var masks = [...]uint32{
	1: audio.FrontCenter,
	2: audio.FrontLeft | audio.FrontRight,
	3: audio.FrontLeft | audio.FrontRight | audio.FrontCenter,
	4: audio.FrontLeft | audio.FrontRight | audio.BackLeft | audio.BackRight,
	5: audio.FrontLeft | audio.FrontRight | audio.FrontCenter | audio.BackLeft | audio.BackRight,
	6: audio.FrontLeft | audio.FrontRight | audio.FrontCenter | audio.LowFrequency | audio.BackLeft | audio.BackRight,
	7: audio.FrontLeft | audio.FrontRight | audio.FrontCenter | audio.LowFrequency | audio.BackCenter |
		audio.SideLeft | audio.SideRight,
	8: audio.FrontLeft | audio.FrontRight | audio.FrontCenter | audio.LowFrequency | audio.BackLeft |
		audio.BackRight | audio.SideLeft | audio.SideRight,
}

// header returns what precedes the samples. More than two channels or 16 bits need the extensible
// form.
func (s *wavSink) header() []byte {
	order := binary.LittleEndian
	extensible := s.info.Channels > 2 || s.depth > 16
	format, formatSize := uint16(1), 16
	if extensible {
		format, formatSize = 0xFFFE, 40
	}
	align := s.info.Channels * s.depth / 8
	b := append([]byte(nil), "RIFF"...)
	b = order.AppendUint32(b, uint32(int64(4+8+formatSize+8)+s.size+s.size%2))
	b = append(b, "WAVEfmt "...)
	b = order.AppendUint32(b, uint32(formatSize))
	b = order.AppendUint16(b, format)
	b = order.AppendUint16(b, uint16(s.info.Channels))
	b = order.AppendUint32(b, uint32(s.info.Rate))
	b = order.AppendUint32(b, uint32(s.info.Rate*align))
	b = order.AppendUint16(b, uint16(align))
	b = order.AppendUint16(b, uint16(s.depth))
	if extensible {
		b = order.AppendUint16(b, 22)
		b = order.AppendUint16(b, uint16(s.depth))
		b = order.AppendUint32(b, masks[s.info.Channels])
		b = append(b, "\x01\x00\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"...) // integers
	}
	b = append(b, "data"...)
	return order.AppendUint32(b, uint32(s.size))
}
