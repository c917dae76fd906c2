package decode

import (
	"bytes"
	"encoding/binary"
	"testing"

	"waxwing/internal/media/riff"
)

// wavFormat returns a "fmt " chunk; a mask makes it extensible.
func wavFormat(order binary.AppendByteOrder, tag, channels, align, bits uint16, mask uint32) string {
	const rate = 44100
	b := order.AppendUint16(nil, tag)
	if mask != 0 {
		b = order.AppendUint16(nil, 0xfffe)
	}
	b = order.AppendUint16(b, channels)
	b = order.AppendUint32(b, rate)
	b = order.AppendUint32(b, rate*uint32(align))
	b = order.AppendUint16(b, align)
	b = order.AppendUint16(b, bits)
	if mask != 0 {
		b = order.AppendUint16(b, 22)
		b = order.AppendUint16(b, bits)
		b = order.AppendUint32(b, mask)
		b = order.AppendUint16(b, tag)
		b = append(b, "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"...)
	}
	return string(b)
}

func TestUnusualWAVFilesPlay(t *testing.T) {
	le := binary.LittleEndian
	plain := wavFormat(le, riff.PCM, 1, 2, 16, 0)
	samples := "\x00\x40\x00\x80\xff\x7f\x00\x00"
	want := []float32{0.5, -1, 32767.0 / 32768, 0}

	noPadding := riffFile("WAVE", "LIST", "even", "fmt ", plain)
	noPadding = append(noPadding, "note\x05\x00\x00\x00hello"...)
	noPadding = append(noPadding, riffFile("", "data", samples)[8:]...)

	big := []byte("RIFX\x00\x00\x00\x2cWAVEfmt \x00\x00\x00\x10" + wavFormat(binary.BigEndian, riff.PCM, 1, 2, 16, 0) +
		"data\x00\x00\x00\x08\x40\x00\x80\x00\x7f\xff\x00\x00")

	ds64 := make([]byte, 28)
	ds64[8], ds64[16] = byte(len(samples)), 4
	long := riffFile("WAVE", "ds64", string(ds64), "fmt ", plain, "data", samples, "junk", "junk")
	copy(long[bytes.Index(long, []byte("data"))+4:], "\xff\xff\xff\xff")
	copy(long, "BW64")

	wav := func(format, data string) []byte { return riffFile("WAVE", "fmt ", format, "data", data) }
	cases := map[string]struct {
		file []byte
		want []float32
	}{
		"plain": {wav(plain, samples), want},
		"odd chunks": {
			riffFile("WAVE", "bext", "odd", "fmt ", plain, "PEAK", "x", "data", samples, "id3 ", "tag"),
			want,
		},
		"no padding":          {noPadding, want},
		"audio before format": {riffFile("WAVE", "data", samples, "fmt ", plain), want},
		"big endian":          {big, want},
		"longer than 4 GiB":   {long, want},
		"half a frame at end": {wav(plain, samples+"\x01"), want},
		"20 bits in 3 bytes": {
			wav(wavFormat(le, riff.PCM, 1, 3, 20, 4), "\x00\x00\x40\x00\x00\x80\xf0\xff\x7f"),
			[]float32{0.5, -1, 1 - 1.0/(1<<19)},
		},
		"24 bits in 4 bytes": {
			wav(wavFormat(le, riff.PCM, 1, 4, 24, 4), "\x00\x00\x00\x40\x00\x00\x00\x80"),
			[]float32{0.5, -1},
		},
		"8 bits are unsigned": {
			wav(wavFormat(le, riff.PCM, 1, 1, 8, 0), "\x80\x00\xff\xc0"),
			[]float32{0, -1, 127.0 / 128, 0.5},
		},
		"alignment not filled": {
			wav(wavFormat(le, riff.PCM, 1, 0, 16, 0), samples),
			want,
		},
		"2.1 becomes 5.1": {
			wav(wavFormat(le, riff.PCM, 3, 6, 16, 0xB), samples[:6]),
			[]float32{0.5, -1, 0, 32767.0 / 32768, 0, 0},
		},
		"no audio":     {riffFile("WAVE", "fmt ", plain, "data", "", "LIST", "not audio"), nil},
		"short format": {wav(plain[:16], samples), want},
		"float beyond full scale": {
			wav(wavFormat(le, riff.Float, 1, 4, 32, 0), "\x00\x00\x00\x40\x00\x00\xc0\x7f"),
			[]float32{2, 0},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			checkSame(t, readWhole(t, mustOpen(t, Options{NoExternal: true}.Open, strict(c.file))), c.want)
		})
	}
}
