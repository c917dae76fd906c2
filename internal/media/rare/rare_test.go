package rare

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"waxwing/internal/media/window"
	"waxwing/internal/testenv"
)

func open(b []byte) *window.Reader { return window.New(bytes.NewReader(b), int64(len(b))) }

// wavPackBlock builds a block of 100 samples.
func wavPackBlock(total, index, flags uint32, subBlocks ...byte) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32([]byte("wvpk"), uint32(24+len(subBlocks)))
	b = append(b, 0x10, 4, 0, 0)
	for _, v := range []uint32{total, index, 100, flags, 0} {
		b = le.AppendUint32(b, v)
	}
	return append(b, subBlocks...)
}

func TestWavPackDeclaresRateChannelsAndLength(t *testing.T) {
	const (
		cd      = 9 << 23 // 44.1 kHz
		other   = 15 << 23
		single  = wavPackInitial | wavPackFinal
		unknown = 0xffffffff
	)
	header := func(rate, channels int, samples int64) Header {
		return Header{SampleRate: rate, Channels: channels, Samples: samples}
	}
	for name, c := range map[string]struct {
		file []byte
		want Header
	}{
		"stereo":        {wavPackBlock(1000, 0, cd|single), header(44100, 2, 1000)},
		"mono":          {wavPackBlock(1000, 0, cd|single|wavPackMono), header(44100, 1, 1000)},
		"other rate":    {wavPackBlock(9, 0, other|single, 0x67, 2, 0xe8, 3, 0, 0), header(1000, 2, 9)},
		"four channels": {wavPackBlock(9, 0, cd|wavPackInitial, 0x0d, 1, 4, 0x33), header(44100, 4, 9)},
		"DSD128": {wavPackBlock(9, 0, 12<<23|single|wavPackDSD, 0x0e, 1, 3, 0),
			header(705600, 2, 9)},
		"unknown length": {
			slices.Concat(wavPackBlock(unknown, 0, cd|single), wavPackBlock(unknown, 100, cd|single),
				wavPackBlock(unknown, 200, cd|single)),
			header(44100, 2, 300),
		},
	} {
		if got, err := WavPack(open(c.file)); err != nil || got != c.want {
			t.Errorf("%s: got %+v and %v, want %+v", name, got, err, c.want)
		}
	}
}

func TestMonkeysAudioOfEveryVersion(t *testing.T) {
	le := binary.LittleEndian
	// old returns the header of a version before 3.98.
	old := func(version uint16, rate, frames, last uint32) []byte {
		b := le.AppendUint16([]byte("MAC "), version)
		for _, v := range []uint16{2000, 0, 2} {
			b = le.AppendUint16(b, v)
		}
		for _, v := range []uint32{rate, 0, 0, frames, last} {
			b = le.AppendUint32(b, v)
		}
		return append(b, make([]byte, 100)...)
	}
	current := func(rate, perFrame, last, frames uint32) []byte {
		b := append(le.AppendUint16([]byte("MAC "), 3990), 0, 0)
		b = append(le.AppendUint32(b, 52), make([]byte, 40)...)
		for _, v := range []uint32{0, perFrame, last, frames, 2<<16 | 16, rate} {
			b = le.AppendUint32(b, v)
		}
		return append(b, make([]byte, 100)...)
	}
	for name, c := range map[string]struct {
		file []byte
		want Header
		ok   bool
	}{
		"3.70":             {old(3700, 44100, 3, 1), Header{SampleRate: 44100, Channels: 2, Samples: 2*9216 + 1}, true},
		"3.90":             {old(3900, 44100, 3, 1), Header{SampleRate: 44100, Channels: 2, Samples: 2*73728 + 1}, true},
		"3.96":             {old(3960, 44100, 1, 7), Header{SampleRate: 44100, Channels: 2, Samples: 7}, true},
		"3.99":             {current(44100, 1000, 5, 3), Header{SampleRate: 44100, Channels: 2, Samples: 2005}, true},
		"impossible rate":  {current(2734688001, 1000, 5, 3), Header{}, false},
		"impossible count": {current(44100, 1000, 5, 1<<31), Header{}, false},
		"impossible end":   {current(44100, 1000, 1001, 3), Header{}, false},
		"short":            {[]byte("MAC \x96\x0f"), Header{}, false},
	} {
		got, ok, err := MonkeysAudio(open(c.file))
		if err != nil || ok != c.ok || ok && got != c.want {
			t.Errorf("%s: got %+v, %v and %v, want %+v, %v", name, got, ok, err, c.want, c.ok)
		}
	}
}

func FuzzHeaders(f *testing.F) {
	f.Add(wavPackBlock(0xffffffff, 0, wavPackInitial, 0x0d, 1, 4, 0x33))
	f.Add([]byte("MPCK\x53\x48\x0f\x00\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		testenv.CheckCost(t, func() {
			w := open(b)
			for _, read := range []func() (Header, error){
				func() (Header, error) { return WavPack(w) },
				func() (Header, error) { return DSF(w) },
				func() (Header, error) { h, _, err := MonkeysAudio(w); return h, err },
				func() (Header, error) { h, _, err := Musepack(w); return h, err },
			} {
				if h, err := read(); err == nil && (h.Samples < 0 || h.SampleRate < 0 || h.Channels < 0) {
					t.Fatalf("impossible header %+v", h)
				}
			}
		})
	})
}
