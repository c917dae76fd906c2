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
	switch t.Entry {
	case "mp4a":
		t.Codec = AAC
	case "alac":
		t.Codec = ALAC
	case "fLaC":
		t.Codec = FLAC
	case ".mp3":
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
			b.take(5)
			t.Channels = b.u8()
			b.take(6)
			t.Bitrate, t.Rate = b.u32()/1000, b.u32()
		case kind == "dfLa":
			b.take(8)
			if info, ok := flacmeta.ParseStreamInfo(b.data); ok {
				t.Rate, t.Channels = info.Rate, info.Channels
			}
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

// readAudioConfig reads the rate and the channels from an AudioSpecificConfig (ISO 14496-3,
// section 1.6.2.1), which is more exact than the sample entry.
func (t *Track) readAudioConfig(config []byte) {
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
	core := readRate()
	if channels := b.read(4); channels > 0 && channels < 8 {
		t.Channels = [8]int{0, 1, 2, 3, 4, 5, 6, 8}[channels]
	}
	rate := core
	if object == sbr || object == ps { // HE-AAC doubles the rate
		rate = readRate()
	}
	if object == ps {
		t.Channels = 2
	}
	// HE-AAC may also be declared by the sample entry alone.
	if core > 0 && rate > 0 && t.Rate != 2*core {
		t.Rate = rate
	}
	if core > 0 && t.Rate == 2*core {
		t.PacketFrames *= 2
	}
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
