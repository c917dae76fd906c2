package mp4

import (
	"bytes"
	"math"

	"waxwing/internal/media/flacmeta"
	"waxwing/internal/media/window"
)

// Codec is the codec of a track.
type Codec uint8

// The codecs that are recognised.
const (
	Other Codec = iota
	AAC
	ALAC
	FLAC
	MP3
	Opus
)

const (
	aacFrames = 1024    // in a packet
	maxFrames = 1 << 16 // in a packet of ALAC; encoders write 4096
	opusRate  = 48000
	maxRate   = 1 << 24
)

// Tags of MPEG-4 descriptors, and object types in them.
const (
	tagStream  = 3
	tagDecoder = 4
	tagConfig  = 5

	objectAAC    = 0x40
	objectAAC2LC = 0x67
	objectMP3    = 0x6b
	objectMP3LSF = 0x69
)

// readEntry reads the first entry of an "stsd" box: the codec and its configuration.
func (t *Track) readEntry(f fields) error {
	f.take(8)
	size := f.u32()
	t.Entry = string(f.take(4))
	f.data = f.data[:max(min(size-8, len(f.data)), 0)]
	f.take(8)
	version := f.u16()
	f.take(6)
	t.Channels = f.u16()
	f.take(6)
	t.Rate = f.u32() >> 16
	switch version { // QuickTime has longer descriptions
	case 1:
		f.take(16)
	case 2:
		f.take(4)
		if rate := math.Float64frombits(f.number(8)); rate >= 1 && rate < maxRate {
			t.Rate = int(rate)
		}
		t.Channels = f.u32()
		f.take(20)
	}
	if f.short {
		return window.Damaged("the description of the MP4 track is cut off")
	}
	if t.timescale>>16 > 0 && int64(t.Rate) == t.timescale&0xffff {
		t.Rate = int(min(t.timescale, maxRate)) // the entry has room for 16 bits
	}
	switch t.Entry {
	case "mp4a":
		t.Codec = AAC
	case "alac":
		t.Codec = ALAC
	case "fLaC":
		t.Codec = FLAC
	case ".mp3", "ms\x00\x55":
		t.Codec = MP3
	case "Opus":
		t.Codec, t.Rate = Opus, opusRate
	case "drms", "enca":
		t.Codec, t.Protected = AAC, true
	}
	t.readConfig(f, 0)
	if t.Rate <= 0 || t.Rate > maxRate || t.Channels <= 0 || t.Channels > 255 {
		return window.Damaged("an MP4 track with %d channels of %d Hz", t.Channels, t.Rate)
	}
	return nil
}

// readConfig reads the boxes behind a sample entry, which QuickTime puts into another box.
func (t *Track) readConfig(f fields, depth int) {
	for {
		kind, b, ok := f.box()
		if !ok {
			return
		}
		switch {
		case kind == "wave" && depth == 0:
			t.readConfig(b, 1)
		case kind == "esds" && t.Config == nil:
			b.take(4)
			t.readDescriptors(b)
		case kind == "alac" && t.Codec == ALAC && t.Config == nil:
			b.take(4)
			t.Config = bytes.Clone(b.data)
			if t.PacketFrames = b.u32(); t.PacketFrames > maxFrames {
				t.PacketFrames = 0
			}
			b.take(1)
			t.Bits = b.u8()
			b.take(3)
			t.Channels = b.u8()
			b.take(6)
			t.Bitrate, t.Rate = b.u32()/1000, b.u32()
		case kind == "dfLa" && t.Codec == FLAC && t.Config == nil:
			b.take(4)
			t.Config = flacmeta.Head(b.data)
			b.take(4)
			if info, ok := flacmeta.ParseStreamInfo(b.data); ok {
				t.Rate, t.Channels, t.Bits = info.Rate, info.Channels, info.Depth
			}
		case kind == "dOps" && t.Codec == Opus && t.Config == nil:
			t.readOpusConfig(b.data)
		}
	}
}

// readDescriptors reads the MPEG-4 descriptors of an elementary stream.
func (t *Track) readDescriptors(f fields) {
	for !f.short && len(f.data) > 0 {
		tag := f.u8()
		size := 0
		for range 4 {
			b := f.u8()
			size = size<<7 | b&127
			if b < 128 {
				break
			}
		}
		switch tag {
		case tagStream: // contains the others
			f.take(2)
			flags := f.u8()
			if flags&0x80 != 0 {
				f.take(2)
			}
			if flags&0x40 != 0 {
				f.take(f.u8())
			}
			if flags&0x20 != 0 {
				f.take(2)
			}
		case tagDecoder: // contains the configuration
			switch f.u8() {
			case objectAAC, objectAAC2LC:
				t.PacketFrames = aacFrames
			case objectMP3, objectMP3LSF:
				t.Codec = MP3
			}
			f.take(8)
			t.Bitrate = f.u32() / 1000
		case tagConfig:
			t.Config = bytes.Clone(f.take(min(size, len(f.data))))
			if t.PacketFrames == aacFrames {
				t.readAudioConfig(t.Config)
			}
			return
		default:
			f.take(size)
		}
	}
}

// readOpusConfig converts the configuration to the identification header of Ogg (RFC 7845, section
// 5.1), which has the same fields in the other byte order. The delay becomes part of the edit.
func (t *Track) readOpusConfig(b []byte) {
	const size = 11
	if len(b) < size || b[1] == 0 {
		return
	}
	t.Channels = int(b[1])
	t.delay = int64(b[2])<<8 | int64(b[3])
	head := append([]byte("OpusHead\x01"), b[1], 0, 0, b[7], b[6], b[5], b[4], b[9], b[8])
	t.Config = append(head, b[size-1:]...)
}

// AudioConfig is what an AudioSpecificConfig of AAC states.
type AudioConfig struct {
	Core     int // sample rate of AAC-LC in Hz
	Rate     int // of the decoded audio: HE-AAC doubles it
	Channels int // 0 when not stated
}

// PacketFrames returns the number of frames in a packet.
func (c AudioConfig) PacketFrames() int64 {
	if c.Core > 0 && c.Rate == 2*c.Core {
		return 2 * aacFrames
	}
	return aacFrames
}

// readAudioConfig takes the rate and the channels of the configuration, which is more exact than
// the sample entry.
func (t *Track) readAudioConfig(config []byte) {
	c := ParseAudioConfig(config)
	if c.Channels > 0 {
		t.Channels = c.Channels
	}
	// HE-AAC may also be declared by the sample entry alone.
	if c.Core > 0 && c.Rate > 0 && t.Rate != 2*c.Core {
		t.Rate = c.Rate
	}
	c.Rate = t.Rate
	t.PacketFrames = int(c.PacketFrames())
}

// ParseAudioConfig parses an AudioSpecificConfig (ISO 14496-3, section 1.6.2.1).
func ParseAudioConfig(config []byte) (c AudioConfig) {
	const sbr, ps, rateStored = 5, 29, 15
	b := bitReader{data: config}
	object := b.read(5)
	readRate := func() int {
		rates := [16]int{96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350}
		index := b.read(4)
		if index == rateStored {
			return b.read(24)
		}
		return rates[index]
	}
	c.Core = readRate()
	if channels := b.read(4); channels > 0 && channels < 8 {
		c.Channels = [8]int{0, 1, 2, 3, 4, 5, 6, 8}[channels]
	}
	c.Rate = c.Core
	if object == sbr || object == ps {
		c.Rate = readRate()
	}
	if object == ps {
		c.Channels = 2
	}
	return c
}

// bitReader reads bits, most significant first, and zeros past the end.
type bitReader struct {
	data []byte
	at   int
}

func (b *bitReader) read(n int) (v int) {
	for range n {
		v <<= 1
		if i := b.at / 8; i < len(b.data) {
			v |= int(b.data[i]>>(7-b.at%8)) & 1
		}
		b.at++
	}
	return v
}
