package tags

import (
	"encoding/binary"
	"waxwing/internal/media/window"
)

// monkeys reads Monkey's Audio of version 3.98 and later, which all files of the last twenty years are.
func (p *parser) monkeys() error {
	end, err := p.trailers()
	if err != nil {
		return err
	}
	b, err := p.At(0, 52+24)
	if err != nil {
		return err
	}
	descriptor := int64(binary.LittleEndian.Uint32(b[8:]))
	if binary.LittleEndian.Uint16(b[4:]) < 3980 || descriptor > 4096 {
		return ErrUnknownFormat
	}
	if b, err = p.At(descriptor, 24); err != nil {
		return err
	}
	perFrame, last, frames := int64(binary.LittleEndian.Uint32(b[4:])), int64(binary.LittleEndian.Uint32(b[8:])), int64(binary.LittleEndian.Uint32(b[12:]))
	t := &p.tags
	t.Format, t.Channels, t.SampleRate = APE, int(binary.LittleEndian.Uint16(b[18:])), int(binary.LittleEndian.Uint32(b[20:]))
	return p.rareSound(0, end, max(frames-1, 0)*perFrame+last)
}

func (p *parser) wavPack() error {
	end, err := p.trailers()
	if err != nil {
		return err
	}
	b, err := p.At(0, 32)
	if err != nil {
		return err
	}
	rates := [16]int{6000, 8000, 9600, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000, 192000}
	samples, flags := int64(binary.LittleEndian.Uint32(b[12:])), binary.LittleEndian.Uint32(b[24:])
	if samples == 0xffffffff {
		samples = 0
	}
	t := &p.tags
	t.Format, t.SampleRate, t.Channels = WavPack, rates[flags>>23&15], 2
	if flags&4 != 0 {
		t.Channels = 1
	}
	return p.rareSound(0, end, samples)
}

// musepack reads stream versions 7 and 8.
func (p *parser) musepack() error {
	end, err := p.trailers()
	if err != nil {
		return err
	}
	b, err := p.Peek(0, 64)
	if err != nil {
		return err
	}
	t := &p.tags
	t.Format = MPC
	rates := [4]int{44100, 48000, 37800, 32000}
	var samples int64
	switch {
	case has(b, 0, "MP+") && len(b) >= 12:
		t.SampleRate, t.Channels = rates[b[10]&3], 2
		samples = int64(binary.LittleEndian.Uint32(b[4:])) * 1152
	case has(b, 4, "SH") && len(b) >= 32:
		_, n := musepackSize(b[6:])
		at := 6 + n + 4 + 1 // checksum and version
		count, n := musepackSize(b[at:])
		_, m := musepackSize(b[at+n:])
		at += n + m
		if at+2 > len(b) {
			return window.Damaged("the Musepack header is cut off")
		}
		samples = count
		t.SampleRate, t.Channels = rates[b[at]>>5&3], int(b[at+1]>>4)+1
	default:
		return ErrUnknownFormat
	}
	return p.rareSound(0, end, samples)
}

func musepackSize(b []byte) (v int64, used int) {
	for used < 8 && used < len(b) {
		c := b[used]
		used++
		v = v<<7 | int64(c&0x7f)
		if c&0x80 == 0 {
			break
		}
	}
	return v, used
}

func (p *parser) dsf() error {
	b, err := p.At(0, 28+52)
	if err != nil {
		return err
	}
	metadata := int64(min(binary.LittleEndian.Uint64(b[20:]), 1<<62))
	t := &p.tags
	t.Format, t.Channels, t.SampleRate = DSF, int(binary.LittleEndian.Uint32(b[52:])&15), int(min(binary.LittleEndian.Uint32(b[56:]), 1<<28))
	samples := int64(min(binary.LittleEndian.Uint64(b[64:]), 1<<60))
	end := p.Size()
	if metadata > 0 && metadata < p.Size() {
		if err := p.id3v2(metadata); err != nil {
			return err
		}
		end = metadata
	}
	return p.rareSound(92, end, samples)
}

// rareSound finishes a format that counts its samples.
func (p *parser) rareSound(start, end, samples int64) error {
	t := &p.tags
	if t.SampleRate <= 0 || end < start {
		return window.Damaged("the file does not say how its sound is stored")
	}
	t.Duration = samplesToTime(samples, t.SampleRate)
	t.Audio = Range{start, end - start}
	t.Bitrate = averageBitrate(t.Audio.Len, t.Duration)
	return nil
}
