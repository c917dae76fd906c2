package ogg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"waxwing/internal/media/flacmeta"
	"waxwing/internal/media/window"
)

// Codec is the codec of a stream.
type Codec uint8

// The codecs that are recognised.
const (
	unknown Codec = iota
	Vorbis
	Opus
	FLAC
	Speex
)

const (
	maxStreams     = 64      // multiplexed in one link
	maxHeaderPages = 1 << 12 // a comment packet with the largest picture has fewer
	maxOtherPages  = 64      // of other streams before the first audio stream
	maxFirst       = 512     // bytes that are read of the first packet
	maxHeader      = 1 << 20 // bytes of a header packet without comments
	maxRate        = 1 << 20
	opusRate       = 48000

	// flacPrefix is what precedes the FLAC stream in the first packet: "\x7fFLAC", the version of
	// the mapping and the number of header packets.
	flacPrefix = 9
)

// ErrNoAudio is wrapped by the error of Read when the file has no known audio stream.
var ErrNoAudio = errors.New("no audio stream")

// Stream is the first audio stream of one link of a chained file.
type Stream struct {
	Codec    Codec
	Serial   uint32
	Rate     int // Hz, never 0
	Channels int // never 0
	ID       []byte
	Comments HeaderPacket // with the bytes before the comments
	Setup    HeaderPacket // of Vorbis

	Start  int64 // offset of the first page of audio
	End    int64 // offset of the end of the link
	First  int64 // position of the first sample; negative when samples at the beginning are dropped
	Delay  int64 // frames after First that are not to be heard
	Frames int64 // that are to be heard
	// StreamInfo describes a FLAC stream.
	StreamInfo flacmeta.StreamInfo

	begin     int64           // offset of the link
	announced map[uint32]bool // the serial numbers in the link
}

// Origin returns the position of the first frame to be heard.
func (s *Stream) Origin() int64 { return max(0, s.First) + s.Delay }

// codecOf recognises the first packet of a stream.
func codecOf(packet []byte) Codec {
	switch {
	case bytes.HasPrefix(packet, []byte("\x01vorbis")):
		return Vorbis
	case bytes.HasPrefix(packet, []byte("OpusHead")):
		return Opus
	case bytes.HasPrefix(packet, []byte("\x7fFLAC")):
		return FLAC
	case bytes.HasPrefix(packet, []byte("Speex   ")):
		return Speex
	}
	return unknown
}

// CommentSkip returns the number of bytes before the comments in their packet.
func (s *Stream) CommentSkip() int64 {
	return [...]int64{Vorbis: 7, Opus: 8, FLAC: 4, Speex: 0}[s.Codec]
}

// ReadHeaders reads the headers of the first audio stream in the link at offset. The checksums of
// header pages are not verified, because pictures in the comments are not read.
func (r *Reader) ReadHeaders(offset int64) (*Stream, error) {
	s := &Stream{begin: offset, announced: map[uint32]bool{}}
	packets := [3]HeaderPacket{{w: r.w}, {w: r.w}, {w: r.w}}
	done, wanted, others := 0, 2, 0
	for range maxHeaderPages {
		p, err := r.next(offset, r.w.Size(), r.headerAt)
		if errors.Is(err, io.EOF) && others > 0 && s.Codec == unknown {
			err = ErrNoAudio
		} else if errors.Is(err, io.EOF) {
			err = window.Damaged("the Ogg headers are cut off")
		}
		if err != nil {
			return nil, err
		}
		offset = p.end()
		lacing := bytes.Clone(p.lacing)
		if p.flags&flagFirst != 0 && len(s.announced) < maxStreams {
			s.announced[p.serial] = true
			head, err := r.w.Peek(p.body, int(min(8, p.end()-p.body)))
			if err != nil {
				return nil, err
			}
			if codec := codecOf(head); s.Codec == unknown && codec != unknown {
				s.Codec, s.Serial = codec, p.serial
				if codec == Vorbis {
					wanted = 3
				}
			}
		} else if s.Codec == unknown {
			// Metadata such as Ogg Skeleton may end before the audio begins.
			if others++; others > maxOtherPages {
				return nil, ErrNoAudio
			}
		}
		if s.Codec == unknown || p.serial != s.Serial {
			continue
		}
		at := p.body
		for _, n := range lacing {
			packets[done].append(piece{at, int64(n)})
			at += int64(n)
			if n == 255 {
				continue
			}
			if done++; done < wanted {
				continue
			}
			if offset > r.w.Size() {
				return nil, window.Damaged("the Ogg headers are cut off")
			}
			s.Comments, s.Setup, s.Start = packets[1], packets[2], offset
			return s, s.readID(&packets[0])
		}
	}
	return nil, window.Damaged("the Ogg headers do not end")
}

// readID reads the identification packet.
func (s *Stream) readID(packet *HeaderPacket) error {
	b, err := packet.At(0, int(min(packet.Size(), maxFirst)))
	if err != nil {
		return err
	}
	s.ID = bytes.Clone(b)
	switch {
	case s.Codec == Vorbis && len(b) >= 30:
		s.Channels, s.Rate = int(b[11]), int(binary.LittleEndian.Uint32(b[12:]))
	case s.Codec == Opus && len(b) >= 19:
		s.Channels, s.Rate = int(b[9]), opusRate
		s.Delay = int64(binary.LittleEndian.Uint16(b[10:]))
	case s.Codec == FLAC && len(b) >= flacPrefix+4+4:
		s.StreamInfo, _ = flacmeta.ParseStreamInfo(b[flacPrefix+4+4:])
		s.Channels, s.Rate = s.StreamInfo.Channels, s.StreamInfo.Rate
	case s.Codec == Speex && len(b) >= 52:
		s.Channels, s.Rate = int(binary.LittleEndian.Uint32(b[48:])&7), int(binary.LittleEndian.Uint32(b[36:]))
	}
	if s.Rate <= 0 || s.Rate > maxRate || s.Channels <= 0 {
		return window.Damaged("the header of the Ogg stream is invalid")
	}
	return nil
}

// HeaderPacket is a packet as its pieces in the file, which are read on request.
type HeaderPacket struct {
	w      *window.Reader
	pieces []piece
	size   int64
	joined []byte
}

type piece struct{ off, size int64 }

func (p *HeaderPacket) append(next piece) {
	p.size += next.size
	if last := len(p.pieces) - 1; last >= 0 && p.pieces[last].off+p.pieces[last].size == next.off {
		p.pieces[last].size += next.size
		return
	}
	p.pieces = append(p.pieces, next)
}

// Size returns the length of the packet.
func (p *HeaderPacket) Size() int64 { return p.size }

// At returns n bytes of the packet at off, valid until the next call.
func (p *HeaderPacket) At(off int64, n int) ([]byte, error) {
	if n < 0 || n > window.MaxRead || off < 0 || off > p.size-int64(n) {
		return nil, window.Damaged("an Ogg packet is cut off")
	}
	p.joined = p.joined[:0]
	for _, piece := range p.pieces {
		if off >= piece.size {
			off -= piece.size
			continue
		}
		b, err := p.w.At(piece.off+off, int(min(piece.size-off, int64(n-len(p.joined)))))
		if err != nil {
			return nil, err
		}
		p.joined = append(p.joined, b...)
		if len(p.joined) == n {
			break
		}
		off = 0
	}
	return p.joined, nil
}

// Bytes reads the whole packet, which must be shorter than 1 MiB.
func (p *HeaderPacket) Bytes() ([]byte, error) {
	if p.size > maxHeader {
		return nil, window.Damaged("an Ogg header of %d bytes", p.size)
	}
	return p.At(0, int(p.size))
}
