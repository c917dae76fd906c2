package tags

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"waxwing/internal/media/ogg"
)

const (
	sampleLen = 4 << 10
	// sampleReach is how far from the ends of compressed audio further parts are hashed. They are
	// close, because each distant part of a file in object storage costs a request.
	sampleReach = 48 << 10
)

// identify computes AudioID. FLAC contains a checksum of its samples, which is the same in every
// encoding. For other formats the length and a few parts of the audio are hashed, so that a scan
// does not read whole files.
func (p *parser) identify() error {
	t := &p.tags
	h := sha256.New()
	h.Write([]byte(t.Format))
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(t.Duration)))
	if p.audioDigest != nil {
		h.Write(p.audioDigest)
	} else if err := p.sampleAudio(h); err != nil {
		return err
	}
	copy(t.AudioID[:], h.Sum(nil))
	return nil
}

func (p *parser) sampleAudio(h hash.Hash) error {
	a := p.tags.Audio
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(a.Len)))
	n := min(a.Len, sampleLen)
	// The last part comes first, because it is often cached after reading the trailers.
	reach := min(sampleReach, a.Len/2)
	offsets := []int64{a.Len - n, a.Len - reach, reach, 0}
	switch p.tags.Format {
	case WAV, AIFF, DSF: // recordings of one length are of one size, and silent at both ends
		offsets = []int64{a.Len - n, a.Len / 2, 0}
	}
	for _, off := range offsets {
		b, err := p.Peek(a.Off+off, int(min(n, a.Len-off)))
		if err != nil {
			return err
		}
		if p.paged {
			writePaged(h, b)
		} else {
			h.Write(b)
		}
	}
	return nil
}

// writePaged hashes part of an Ogg stream without the numbers and checksums of pages, which change
// with the size of the tags before them. The edges are excluded, because they may contain half a
// header.
func writePaged(h hash.Hash, b []byte) {
	const sequence, lacing = 18, 26 // sequence number and checksum lie between them
	first := bytes.Index(b, []byte("OggS"))
	if first < 0 || first > ogg.HeaderSize {
		first = min(ogg.HeaderSize, len(b))
	}
	b = b[first:max(len(b)-ogg.HeaderSize, first)]
	for {
		i := bytes.Index(b, []byte("OggS"))
		if i < 0 {
			h.Write(b)
			return
		}
		h.Write(b[:min(i+sequence, len(b))])
		b = b[min(i+lacing, len(b)):]
	}
}
