package decode

import (
	"bytes"
	"fmt"
	"io"

	"waxwing/internal/audio"
)

const (
	headSize  = 4 << 10   // enough for the first packet of an Ogg stream
	junkLimit = 256 << 10 // how far into a file without any mark MPEG frames are looked for
	maxTags   = 8         // ID3 tags in a row
)

// recognised is a file, from where its sound begins, and what opens it. open is nil when nothing does.
type recognised struct {
	in   audio.Input
	open func(audio.Input) (audio.Source, error)
}

// recognise finds out by its content what kind of file in is.
func recognise(in audio.Input) (recognised, error) {
	head, err := headOf(in, 0)
	if err != nil {
		return recognised{}, err
	}
	if open := byMark(head); open != nil {
		return recognised{in, open}, nil
	}
	if bytes.HasPrefix(head, []byte("ID3")) {
		return behindID3(in, head)
	}
	at, kind := findMPEG(head)
	if kind == mpegNone && in.Size() > headSize { // bytes may be slow to come: more of them only when needed
		junk := make([]byte, min(junkLimit, in.Size()))
		if err := readFull(in, junk, 0); err != nil {
			return recognised{}, fmt.Errorf("open: %w", err)
		}
		at, kind = findMPEG(junk)
	}
	switch kind {
	case mpegLayer3:
		return recognised{in, openMP3}, nil
	case mpegADTS:
		return recognised{io.NewSectionReader(in, int64(at), in.Size()-int64(at)), openADTS}, nil
	}
	return recognised{in: in}, nil
}

// behindID3 recognises what follows an ID3v2 tag: MP3 as a rule, but taggers
// put such tags before FLAC and others too.
func behindID3(in audio.Input, head []byte) (recognised, error) {
	at := int64(0)
	for range maxTags {
		if len(head) < 10 || !bytes.HasPrefix(head, []byte("ID3")) {
			break
		}
		size := int64(head[6]&0x7F)<<21 | int64(head[7]&0x7F)<<14 | int64(head[8]&0x7F)<<7 | int64(head[9]&0x7F)
		at += 10 + size
		if head[5]&0x10 != 0 {
			at += 10 // a footer repeats the header
		}
		var err error
		if head, err = headOf(in, at); err != nil {
			return recognised{}, err
		}
	}
	behind := io.NewSectionReader(in, at, max(in.Size()-at, 0))
	if open := byMark(head); open != nil {
		return recognised{behind, open}, nil
	}
	if _, kind := findMPEG(head); kind == mpegADTS {
		return recognised{behind, openADTS}, nil
	}
	return recognised{in, openMP3}, nil
}

// byMark knows files that begin with an unmistakable mark.
func byMark(head []byte) func(audio.Input) (audio.Source, error) {
	at := func(offset int, mark string) bool {
		return len(head) >= offset+len(mark) && string(head[offset:offset+len(mark)]) == mark
	}
	switch {
	case at(0, "fLaC"):
		return openFLAC
	case at(8, "WAVE") && (at(0, "RIFF") || at(0, "RIFX") || at(0, "RF64") || at(0, "BW64")):
		return openWAV
	case at(0, "FORM") && (at(8, "AIFF") || at(8, "AIFC")):
		return openAIFF
	case at(0, "OggS"):
		return byFirstPacket(head)
	case at(4, "ftyp"), at(4, "moov"), at(4, "mdat"), at(4, "free"), at(4, "skip"), at(4, "wide"):
		return openMP4
	}
	return nil
}

// byFirstPacket knows the codec of an Ogg stream. Behind the page's 27 bytes stand
// the lengths of its segments, then the first packet.
func byFirstPacket(page []byte) func(audio.Input) (audio.Source, error) {
	if len(page) < 28 {
		return nil
	}
	packet := page[min(27+int(page[26]), len(page)):]
	switch {
	case bytes.HasPrefix(packet, []byte("\x01vorbis")):
		return openVorbis
	case bytes.HasPrefix(packet, []byte("OpusHead")):
		return openOpus
	case bytes.HasPrefix(packet, []byte("\x7FFLAC")):
		return openOggFLAC
	}
	return nil
}

// headOf reads the first bytes from offset at, fewer when the file is shorter.
func headOf(in audio.Input, at int64) ([]byte, error) {
	head := make([]byte, min(headSize, max(in.Size()-at, 0)))
	if err := readFull(in, head, at); err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	return head, nil
}
