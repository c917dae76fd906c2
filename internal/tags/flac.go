package tags

import (
	"bytes"
	"encoding/binary"
	"waxwing/internal/media/window"
)

const maxFLACBlocks = 4096

// flac reads the metadata blocks of a FLAC stream.
func (p *parser) flac() error {
	t := &p.tags
	t.Format = FLAC
	pos := int64(4)
	p.fields.nextTag()
	haveInfo := false
	for range maxFLACBlocks {
		b, err := p.At(pos, 4)
		if err != nil {
			return err
		}
		kind, last, size := b[0]&0x7f, b[0]&0x80 != 0, int64(b[1])<<16|int64(b[2])<<8|int64(b[3])
		pos += 4
		if size > p.Size()-pos {
			return window.Damaged("a FLAC metadata block reaches past the end of the file")
		}
		switch kind {
		case 0:
			if b, err = p.At(pos, min(int(size), 34)); err != nil {
				return err
			}
			if haveInfo = p.streamInfo(b); !haveInfo {
				return window.Damaged("the FLAC stream header is not valid")
			}
		case 4:
			if err := p.vorbisComments(fileSection{p.Reader, pos, pos + size}); err != nil {
				return err
			}
		case 6:
			if b, err = p.Peek(pos, 512); err != nil {
				return err
			}
			if start, n, pic, ok := flacPicture(b, size); ok {
				pic.Off, pic.Len = pos+start, n
				p.offerPicture(pic)
			}
		}
		pos += size
		if last {
			break
		}
	}
	if !haveInfo {
		return window.Damaged("the FLAC stream header is missing")
	}
	t.Audio = Range{pos, p.Size() - pos}
	t.Bitrate = averageBitrate(t.Audio.Len, t.Duration)
	return nil
}

// streamInfo reads a STREAMINFO block, also where Ogg wraps one.
func (p *parser) streamInfo(b []byte) bool {
	if len(b) < 34 {
		return false
	}
	packed := binary.BigEndian.Uint64(b[10:])
	t := &p.tags
	t.SampleRate, t.Channels = int(packed>>44), int(packed>>41&7)+1
	if t.SampleRate == 0 {
		return false
	}
	t.Duration = samplesToTime(int64(packed&(1<<36-1)), t.SampleRate)
	if digest := b[18:34]; !bytes.Equal(digest, make([]byte, 16)) {
		p.audioDigest = bytes.Clone(digest)
	}
	return true
}
