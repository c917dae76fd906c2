package decode

import (
	"bytes"
	"encoding/binary"
	"testing"

	"waxwing/internal/media/riff"
)

// wavFormat is a "fmt " chunk; a mask makes it extensible.
func wavFormat(order binary.AppendByteOrder, tag, channels uint16, rate uint32, align, bits uint16, mask uint32) string {
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

// TestWAVOddities opens files as strange programs write them.
func TestWAVOddities(t *testing.T) {
	le := binary.LittleEndian
	plain := wavFormat(le, riff.PCM, 1, 44100, 2, 16, 0)
	samples := "\x00\x40\x00\x80\xff\x7f\x00\x00"
	want := []float32{0.5, -1, 32767.0 / 32768, 0}

	forgotPadding := riffFile("WAVE", "LIST", "even", "fmt ", plain)
	forgotPadding = append(forgotPadding, "note\x05\x00\x00\x00hello"...)
	forgotPadding = append(forgotPadding, riffFile("", "data", samples)[8:]...)

	big := []byte("RIFX\x00\x00\x00\x2cWAVEfmt \x00\x00\x00\x10" + wavFormat(binary.BigEndian, riff.PCM, 1, 44100, 2, 16, 0) + "data\x00\x00\x00\x08\x40\x00\x80\x00\x7f\xff\x00\x00")

	long := bytes.Replace(riffFile("WAVE", "ds64", "\x00\x00\x00\x00\x00\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "fmt ", plain, "data", samples, "junk", "junk"), []byte("data\x08\x00\x00\x00"), []byte("data\xff\xff\xff\xff"), 1)
	copy(long, "BW64")

	cases := map[string]struct {
		file []byte
		want []float32
	}{
		"plain":                   {riffFile("WAVE", "fmt ", plain, "data", samples), want},
		"odd chunks":              {riffFile("WAVE", "bext", "odd", "fmt ", plain, "PEAK", "x", "data", samples, "id3 ", "tag"), want},
		"padding forgotten":       {forgotPadding, want},
		"sound before format":     {riffFile("WAVE", "data", samples, "fmt ", plain), want},
		"big endian":              {big, want},
		"longer than 4 GiB":       {long, want},
		"half a frame at end":     {riffFile("WAVE", "fmt ", plain, "data", samples+"\x01"), want},
		"20 bits in 3 bytes":      {riffFile("WAVE", "fmt ", wavFormat(le, riff.PCM, 1, 44100, 3, 20, 4), "data", "\x00\x00\x40\x00\x00\x80\xf0\xff\x7f"), []float32{0.5, -1, 1 - 1.0/(1<<19)}},
		"24 bits in 4 bytes":      {riffFile("WAVE", "fmt ", wavFormat(le, riff.PCM, 1, 44100, 4, 24, 4), "data", "\x00\x00\x00\x40\x00\x00\x00\x80"), []float32{0.5, -1}},
		"8 bits are unsigned":     {riffFile("WAVE", "fmt ", wavFormat(le, riff.PCM, 1, 44100, 1, 8, 0), "data", "\x80\x00\xff\xc0"), []float32{0, -1, 127.0 / 128, 0.5}},
		"alignment not filled":    {riffFile("WAVE", "fmt ", wavFormat(le, riff.PCM, 1, 44100, 0, 16, 0), "data", samples), want},
		"2.1 becomes 5.1":         {riffFile("WAVE", "fmt ", wavFormat(le, riff.PCM, 3, 44100, 6, 16, 0xB), "data", samples[:6]), []float32{0.5, -1, 0, 32767.0 / 32768, 0, 0}},
		"no sound":                {riffFile("WAVE", "fmt ", plain, "data", "", "LIST", "not sound"), nil},
		"short format":            {riffFile("WAVE", "fmt ", plain[:16], "data", samples), want},
		"float beyond full scale": {riffFile("WAVE", "fmt ", wavFormat(le, riff.Float, 1, 44100, 4, 32, 0), "data", "\x00\x00\x00\x40\x00\x00\xc0\x7f"), []float32{2, 0}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			checkSame(t, readWhole(t, mustOpen(t, Options{NoExternal: true}.Open, strict(c.file))), c.want)
		})
	}
}
