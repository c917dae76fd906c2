package tags

import "encoding/binary"

// sampleEntry reads the first entry of an stsd box: what kind of sound the track holds.
func (m *mp4File) sampleEntry(h []byte) {
	const audioEntry = 8 + 8 + 20 // box header, reference, QuickTime's version 0 sound description
	if len(h) < 8+audioEntry {
		return
	}
	e := h[8:]
	t := &m.track
	t.channels, t.rate = int(binary.BigEndian.Uint16(e[24:])), int(binary.BigEndian.Uint16(e[32:]))
	switch string(e[4:8]) {
	case "mp4a":
		t.format = AAC
	case "alac":
		t.format = ALAC
	case "Opus":
		t.format, t.rate = Opus, 48000
	case "fLaC":
		t.format = FLAC
	case ".mp3":
		t.format = MP3
	case "drms", "enca":
		t.format, t.protected = AAC, true
	default:
		return
	}
	children := audioEntry
	switch binary.BigEndian.Uint16(e[16:]) { // QuickTime's longer descriptions
	case 1:
		children += 16
	case 2:
		children += 36
	}
	m.entryBoxes(e, children, 0)
}

// entryBoxes looks for the codec's own description within a sample entry.
func (m *mp4File) entryBoxes(e []byte, pos, depth int) {
	t := &m.track
	for pos+8 <= len(e) {
		size := int(binary.BigEndian.Uint32(e[pos:]))
		if size < 8 || size > len(e)-pos {
			return
		}
		body := e[pos+8 : pos+size]
		switch kind := string(e[pos+4 : pos+8]); {
		case kind == "wave" && depth == 0:
			m.entryBoxes(body, 0, 1)
		case kind == "esds" && len(body) > 4:
			m.esds(body[4:])
		case kind == "alac" && t.format == ALAC && len(body) >= 28:
			t.channels, t.bitrate = int(body[13]), int(binary.BigEndian.Uint32(body[20:])/1000)
			t.rate = int(min(binary.BigEndian.Uint32(body[24:]), 1<<20))
		case kind == "dfLa" && len(body) >= 8+34:
			m.streamInfo(body[8:42])
			t.rate = m.tags.SampleRate
		}
		pos += size
	}
}

// esds reads an MPEG-4 elementary stream descriptor: is it really AAC, and at which rate?
func (m *mp4File) esds(b []byte) {
	t := &m.track
	for depth := 0; depth < 4 && len(b) > 1; depth++ {
		kind := b[0]
		n, used := descriptorLen(b[1:])
		b = b[1+used:]
		if n > len(b) {
			n = len(b)
		}
		b = b[:n]
		switch kind {
		case 3: // ES descriptor
			if len(b) < 3 {
				return
			}
			flags, skip := b[2], 3
			if flags&0x80 != 0 {
				skip += 2
			}
			if flags&0x40 != 0 && len(b) > skip {
				skip += 1 + int(b[skip])
			}
			if flags&0x20 != 0 {
				skip += 2
			}
			if skip > len(b) {
				return
			}
			b = b[skip:]
		case 4: // decoder configuration
			if len(b) < 13 {
				return
			}
			if b[0] == 0x69 || b[0] == 0x6b {
				t.format = MP3
			}
			t.bitrate = int(binary.BigEndian.Uint32(b[9:]) / 1000)
			b = b[13:]
		case 5: // AudioSpecificConfig
			if len(b) < 2 || t.format != AAC {
				return
			}
			if channels := int(b[1] >> 3 & 15); channels > 0 && channels < 8 {
				t.channels = [8]int{0, 1, 2, 3, 4, 5, 6, 8}[channels]
			}
			return
		default:
			return
		}
	}
}

func descriptorLen(b []byte) (n, used int) {
	for used < 4 && used < len(b) {
		c := b[used]
		used++
		n = n<<7 | int(c&0x7f)
		if c&0x80 == 0 {
			break
		}
	}
	return n, used
}
