package matroska

import (
	"bytes"
	"encoding/binary"

	"waxwing/internal/media/flacmeta"
	"waxwing/internal/media/mp4"
	"waxwing/internal/media/ogg"
	"waxwing/internal/media/window"
)

// Codec is the codec of a track.
type Codec uint8

// The codecs that are recognised.
const (
	Other Codec = iota
	Opus
	Vorbis
	FLAC
	MP3
	AAC
	ALAC
)

const (
	maxRate    = 1 << 24
	maxPrivate = window.MaxRead
	audioTrack = 2 // type of a track
	// countedBytes of a packet tell how many frames it completes.
	countedBytes = 7

	stripped = 3 // compression that removes the bytes with which all packets begin
)

// Track is the description of the first audio track.
type Track struct {
	Codec    Codec
	ID       string // of the codec, such as "A_OPUS"
	Private  []byte // configuration of the decoder
	Headers  [3][]byte
	Rate     int    // Hz, never 0
	Channels int    // never 0
	Delay    int64  // ns at the start that are not to be heard
	Prefix   []byte // that begins every packet and is not stored with it
	Encoded  bool   // compressed or encrypted in a way that is not supported

	number int64
	uid    int64
	count  func(packet []byte) int // frames that a packet of Opus, Vorbis or ALAC completes
}

var codecs = map[string]Codec{
	"A_OPUS": Opus, "A_VORBIS": Vorbis, "A_FLAC": FLAC, "A_MPEG/L3": MP3, "A_AAC": AAC,
	"A_AAC/MPEG4/LC": AAC, "A_AAC/MPEG2/LC": AAC, "A_ALAC": ALAC,
}

func (r *reader) readTracks(tracks element) error {
	for e, err := range children(r.Reader, tracks) {
		if err != nil {
			return err
		}
		if e.id != idTrackEntry || r.found {
			continue
		}
		t, isAudio, err := r.readTrack(e)
		if err != nil {
			return err
		}
		if isAudio {
			r.file.Track, r.found = t, true
		}
	}
	return nil
}

func (r *reader) readTrack(entry element) (t Track, isAudio bool, err error) {
	t = Track{Rate: 8000, Channels: 1} // the defaults of the format
	for e, err := range children(r.Reader, entry) {
		if err != nil {
			return t, false, err
		}
		v := int64(0)
		switch e.id {
		case idTrackNumber:
			t.number, err = integer(r.Reader, e)
		case idTrackUID:
			t.uid, err = integer(r.Reader, e)
		case idTrackType:
			v, err = integer(r.Reader, e)
			isAudio = v == audioTrack
		case idCodecID:
			t.ID, err = text(r.Reader, e)
		case idCodecPrivate:
			var b []byte
			b, err = content(r.Reader, e, maxPrivate)
			t.Private = bytes.Clone(b)
		case idCodecDelay:
			t.Delay, err = integer(r.Reader, e)
		case idAudio:
			err = r.readAudio(e, &t)
		case idEncodings:
			err = r.readEncodings(e, &t)
		}
		if err != nil {
			return t, false, err
		}
	}
	if !isAudio {
		return t, false, nil
	}
	t.Codec = codecs[t.ID]
	return t, true, t.readConfig()
}

func (r *reader) readAudio(audio element, t *Track) error {
	for e, err := range children(r.Reader, audio) {
		if err != nil {
			return err
		}
		switch e.id {
		case idRate, idOutputRate:
			v, err := float(r.Reader, e)
			if err != nil {
				return err
			}
			if v >= 1 && v <= maxRate {
				t.Rate = int(v + 0.5)
			}
		case idChannels:
			v, err := integer(r.Reader, e)
			if err != nil {
				return err
			}
			if v >= 1 && v <= 255 {
				t.Channels = int(v)
			}
		}
	}
	return nil
}

// readEncodings reads how the packets are stored. Encryption has no compression in its element.
func (r *reader) readEncodings(encodings element, t *Track) error {
	for encoding, err := range children(r.Reader, encodings) {
		if err != nil {
			return err
		}
		if encoding.id != idEncoding {
			continue
		}
		supported := false
		for e, err := range children(r.Reader, encoding) {
			if err != nil {
				return err
			}
			if e.id != idCompression {
				continue
			}
			if supported, err = r.readCompression(e, t); err != nil {
				return err
			}
		}
		t.Encoded = t.Encoded || !supported
	}
	return nil
}

func (r *reader) readCompression(compression element, t *Track) (supported bool, err error) {
	algorithm := int64(0)
	for e, err := range children(r.Reader, compression) {
		if err != nil {
			return false, err
		}
		switch e.id {
		case idAlgorithm:
			algorithm, err = integer(r.Reader, e)
		case idSettings:
			var b []byte
			b, err = content(r.Reader, e, 256)
			t.Prefix = bytes.Clone(b)
		}
		if err != nil {
			return false, err
		}
	}
	return algorithm == stripped, nil
}

// readConfig takes what the configuration of the decoder states more exactly than the track.
func (t *Track) readConfig() (err error) {
	switch t.Codec {
	case Opus:
		if len(t.Private) < 19 || !bytes.HasPrefix(t.Private, []byte("OpusHead")) {
			return window.Damaged("the Opus header in the Matroska file is invalid")
		}
		t.Channels, t.Rate, t.Delay = max(int(t.Private[9]), 1), ogg.OpusRate, 0 // the header has the delay
		t.count, err = ogg.FrameCounter(ogg.Opus, t.Private, nil)
	case Vorbis:
		if err := t.splitHeaders(); err != nil {
			return err
		}
		t.count, err = ogg.FrameCounter(ogg.Vorbis, t.Headers[0], t.Headers[2])
		if err == nil && t.count == nil {
			err = window.Damaged("the Vorbis setup in the Matroska file is invalid")
		}
	case FLAC:
		t.Private = flacmeta.Head(bytes.TrimPrefix(t.Private, []byte("fLaC")))
		if m, err := flacmeta.Read(window.New(bytes.NewReader(t.Private), int64(len(t.Private))), 0); err == nil {
			t.Rate, t.Channels = m.Rate, m.Channels
		}
	case ALAC:
		err = t.readALACConfig()
	}
	return err
}

func (t *Track) readALACConfig() error {
	const size, maxFrames = 24, 1 << 16
	if len(t.Private) < size {
		return window.Damaged("the ALAC configuration in the Matroska file is cut off")
	}
	be := binary.BigEndian
	frames, rate := be.Uint32(t.Private), be.Uint32(t.Private[20:])
	channels := int(t.Private[9])
	if frames == 0 || frames > maxFrames || rate == 0 || rate > maxRate || channels == 0 {
		return window.Damaged("the ALAC configuration in the Matroska file is invalid")
	}
	t.Rate, t.Channels = int(rate), channels
	t.count = func(packet []byte) int { return int(mp4.ALACFrames(packet, int64(frames))) }
	return nil
}

// OpusDelay returns the number of frames at the start that the header of Opus excludes.
func (t *Track) OpusDelay() int64 { return int64(t.Private[10]) | int64(t.Private[11])<<8 }

// forgetTotal clears the number of samples in the description of FLAC, so that those of a file that
// was cut are counted.
func (t *Track) forgetTotal() {
	const total = 4 + 4 + 13 // behind the marker and the header of the block; 36 bits
	if len(t.Private) >= total+5 {
		t.Private[total] &= 0xf0
		clear(t.Private[total+1 : total+5])
	}
}

// splitHeaders splits the three headers of Vorbis, which are laced as in Xiph's blocks.
func (t *Track) splitHeaders() error {
	damaged := window.Damaged("the Vorbis headers in the Matroska file are invalid")
	b := t.Private
	if len(b) < 3 || b[0] != 2 {
		return damaged
	}
	b = b[1:]
	var sizes [2]int
	for i := range sizes {
		n, used, ok := xiphSize(b)
		if !ok {
			return damaged
		}
		sizes[i], b = n, b[used:]
	}
	if sizes[0] < 30 || sizes[0]+sizes[1] > len(b) {
		return damaged
	}
	t.Headers = [3][]byte{b[:sizes[0]], b[sizes[0] : sizes[0]+sizes[1]], b[sizes[0]+sizes[1]:]}
	return nil
}
