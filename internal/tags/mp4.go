package tags

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"waxwing/internal/media/window"
)

const (
	maxBoxes    = 4096 // in one container
	maxBoxDepth = 12
)

// box is an MP4 box: its type and where its content lies.
type box struct {
	kind       string
	start, end int64
}

// mp4File is an MP4 file on its way through its boxes.
type mp4File struct {
	*parser
	movieScale int64
	track      mp4Track // the one being read
	sound      mp4Track // the first sound track
	audio      Range
}

type mp4Track struct {
	handler   string
	scale     int64 // units a second of duration
	duration  int64
	edited    int64 // what the edit list plays, in movie units; 0 when there is none
	format    Format
	protected bool
	rate      int
	channels  int
	bitrate   int
	found     bool
}

func (p *parser) mp4() error {
	m := &mp4File{parser: p}
	p.fields.nextTag()
	if err := m.boxes(0, p.Size(), 0); err != nil {
		return err
	}
	s := m.sound
	switch {
	case !s.found:
		return fmt.Errorf("%w: an MP4 file without a sound track", ErrUnknownFormat)
	case s.protected:
		return fmt.Errorf("%w: the file is protected by DRM", ErrUnknownFormat)
	case s.format == "":
		return fmt.Errorf("%w: an MP4 file with sound of an unknown kind", ErrUnknownFormat)
	}
	t := &p.tags
	t.Format, t.SampleRate, t.Channels, t.Audio = s.format, s.rate, s.channels, m.audio
	if s.scale > 0 {
		t.Duration = samplesToTime(s.duration, int(s.scale))
	}
	if s.edited > 0 && m.movieScale > 0 {
		t.Duration = samplesToTime(s.edited, int(m.movieScale))
	}
	if n := gaplessSamples(p.fields.first(fieldGapless)); n > 0 && s.scale > 0 && n <= s.duration {
		t.Duration = samplesToTime(n, int(s.scale))
	}
	if t.Bitrate = averageBitrate(t.Audio.Len, t.Duration); t.Bitrate == 0 {
		t.Bitrate = s.bitrate
	}
	return nil
}

// gaplessSamples reads iTunes' note " 00000000 00000840 000001CA 00000000003F31F6 …": delay, padding, samples heard.
func gaplessSamples(s string) int64 {
	parts := strings.Fields(s)
	if len(parts) < 4 {
		return 0
	}
	n, err := strconv.ParseInt(parts[3], 16, 64)
	if err != nil {
		return 0
	}
	return n
}

// boxes goes through the boxes between start and end, and into those that hold others.
func (m *mp4File) boxes(start, end int64, depth int) error {
	if depth > maxBoxDepth {
		return window.Damaged("MP4 boxes are nested too deeply")
	}
	for pos, n := start, 0; pos+8 <= end && n < maxBoxes; n++ {
		b, err := m.boxAt(pos, end)
		if err != nil {
			if depth == 0 && m.sound.found {
				return nil // rubbish, or a cut, after all that matters
			}
			return err
		}
		if err := m.box(b, depth); err != nil {
			return err
		}
		pos = b.end
	}
	return nil
}

func (m *mp4File) boxAt(pos, end int64) (box, error) {
	h, err := m.Peek(pos, 16)
	if err != nil {
		return box{}, err
	}
	if len(h) < 8 {
		return box{}, window.Damaged("an MP4 box is cut off")
	}
	b := box{kind: string(h[4:8]), start: pos + 8}
	size := int64(binary.BigEndian.Uint32(h))
	switch {
	case size == 1 && len(h) == 16:
		size, b.start = int64(min(binary.BigEndian.Uint64(h[8:]), 1<<62)), pos+16
	case size == 0:
		size = end - pos
	}
	if b.end = pos + size; b.end < b.start || size < 8 {
		return box{}, window.Damaged("an MP4 box has an impossible size")
	}
	if b.end > end {
		if b.kind != "mdat" {
			return box{}, window.Damaged("an MP4 box reaches past the end")
		}
		b.end = end
	}
	return b, nil
}

func (m *mp4File) box(b box, depth int) error {
	switch b.kind {
	case "moov", "mdia", "minf", "stbl", "edts", "udta", "mvex":
		return m.boxes(b.start, b.end, depth+1)
	case "trak":
		m.track = mp4Track{}
		if err := m.boxes(b.start, b.end, depth+1); err != nil {
			return err
		}
		if m.track.handler == "soun" && !m.sound.found {
			m.sound = m.track
			m.sound.found = true
		}
	case "mdat":
		if b.end-b.start > m.audio.Len {
			m.audio = Range{b.start, b.end - b.start}
		}
	case "meta":
		return m.meta(b, depth)
	case "ilst":
		return m.ilst(b)
	case "mvhd", "mdhd", "mehd", "hdlr", "elst", "stsd":
		head, err := m.Peek(b.start, int(min(b.end-b.start, 4096)))
		if err != nil {
			return err
		}
		m.header(b.kind, head)
	}
	return nil
}

// meta is a full box in MP4 and a plain one in QuickTime.
func (m *mp4File) meta(b box, depth int) error {
	h, err := m.Peek(b.start, 8)
	if err != nil {
		return err
	}
	if !has(h, 4, "hdlr") {
		b.start += 4
	}
	return m.boxes(b.start, b.end, depth+1)
}

// header reads the small boxes that describe the movie or the current track; short ones are left alone.
func (m *mp4File) header(kind string, h []byte) {
	if len(h) < 16 {
		return
	}
	long := h[0] == 1
	switch kind {
	case "mvhd":
		m.movieScale, _ = timescale(h, long)
	case "mdhd":
		m.track.scale, m.track.duration = timescale(h, long)
	case "mehd":
		if d := int64(binary.BigEndian.Uint32(h[4:])); !long && m.sound.duration == 0 {
			m.sound.edited = d
		} else if long && m.sound.duration == 0 {
			m.sound.edited = int64(binary.BigEndian.Uint64(h[4:]) & (1<<62 - 1))
		}
	case "hdlr":
		if m.track.handler == "" {
			m.track.handler = string(h[8:12])
		}
	case "elst":
		m.track.edited = editedDuration(h, long)
	case "stsd":
		m.sampleEntry(h)
	}
}

func timescale(h []byte, long bool) (scale, duration int64) {
	if long {
		if len(h) < 32 {
			return 0, 0
		}
		return int64(binary.BigEndian.Uint32(h[20:])), int64(binary.BigEndian.Uint64(h[24:]) & (1<<62 - 1))
	}
	if len(h) < 20 {
		return 0, 0
	}
	duration = int64(binary.BigEndian.Uint32(h[16:]))
	if duration == 0xffffffff {
		duration = 0
	}
	return int64(binary.BigEndian.Uint32(h[12:])), duration
}

// editedDuration adds up the segments of an edit list that play something.
func editedDuration(h []byte, long bool) (total int64) {
	count := int(min(binary.BigEndian.Uint32(h[4:]), 256))
	size := 12
	if long {
		size = 20
	}
	for i := range count {
		at := 8 + i*size
		if at+size > len(h) {
			return 0
		}
		var d, media int64
		if long {
			d, media = int64(binary.BigEndian.Uint64(h[at:])&(1<<60-1)), int64(binary.BigEndian.Uint64(h[at+8:]))
		} else {
			d, media = int64(binary.BigEndian.Uint32(h[at:])), int64(int32(binary.BigEndian.Uint32(h[at+4:])))
		}
		if media >= 0 {
			total += d
		}
	}
	return total
}
