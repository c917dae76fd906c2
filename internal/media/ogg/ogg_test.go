package ogg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"

	"waxwing/internal/media/window"
	"waxwing/internal/testenv"
)

// builder writes the pages of one stream.
type builder struct {
	serial   uint32
	sequence uint32
	out      []byte
}

// page appends a page of whole packets, each shorter than 255 bytes.
func (b *builder) page(flags byte, granule int64, packets ...[]byte) {
	p := append([]byte("OggS\x00"), flags)
	p = binary.LittleEndian.AppendUint64(p, uint64(granule))
	p = binary.LittleEndian.AppendUint32(p, b.serial)
	p = binary.LittleEndian.AppendUint32(p, b.sequence)
	p = append(p, 0, 0, 0, 0, byte(len(packets)))
	for _, packet := range packets {
		p = append(p, byte(len(packet)))
	}
	for _, packet := range packets {
		p = append(p, packet...)
	}
	binary.LittleEndian.PutUint32(p[22:], checksum(p))
	b.out = append(b.out, p...)
	b.sequence++
}

const celt20 = 31 << 3 // first byte of an Opus packet of one frame of 20 ms: 960 samples

// opus returns a stream of one packet of 20 ms per page, whose first page has the given position.
func opus(serial uint32, preSkip byte, first int64, packets int) []byte {
	b := builder{serial: serial}
	b.page(flagFirst, 0, append([]byte("OpusHead\x01\x02"), preSkip, 0, 0x80, 0xbb, 0, 0, 0, 0, 0))
	b.page(0, 0, []byte("OpusTags\x03\x00\x00\x00me!\x01\x00\x00\x00\x03\x00\x00\x00a=b"))
	for i := range packets {
		flags := byte(0)
		if i == packets-1 {
			flags = flagLast
		}
		b.page(flags, first+int64(i)*960, append([]byte{celt20}, bytes.Repeat([]byte{1}, 99)...))
	}
	return b.out
}

func read(file []byte) ([]*Stream, error) {
	return Read(NewReader(window.New(bytes.NewReader(file), int64(len(file)))))
}

func TestReadFindsTheExactLength(t *testing.T) {
	other := builder{serial: 99}
	other.page(flagFirst, 0, []byte("fishead\x00"))
	skeleton := slices.Concat(other.out, opus(1, 100, 960, 5))
	ended := builder{serial: 99}
	ended.page(flagFirst, 0, []byte("fishead\x00"))
	ended.page(0, 0, []byte("fisbone\x00"))
	ended.page(flagLast, 0)
	ends := builder{serial: 1, sequence: 50, out: opus(1, 100, 960, 48)}
	for i := range int64(2) {
		ends.page(flagLast, (49+i)*960, append([]byte{celt20}, bytes.Repeat([]byte{1}, 99)...))
	}
	whole := opus(1, 100, 960, 50)
	for name, c := range map[string]struct {
		file   []byte
		frames []int64 // of each link
	}{
		"one stream":             {whole, []int64{50*960 - 100}},
		"cut in the last page":   {whole[:len(whole)-10], []int64{49*960 - 100}},
		"late start":             {opus(1, 100, 96000, 50), []int64{50*960 - 100}},
		"beginning dropped":      {opus(1, 0, 500, 50), []int64{49*960 + 500}},
		"rubbish at the end":     {append(slices.Clone(whole), make([]byte, 20000)...), []int64{50*960 - 100}},
		"behind another stream":  {skeleton, []int64{5*960 - 100}},
		"behind an ended stream": {slices.Concat(ended.out, opus(1, 100, 960, 5)), []int64{5*960 - 100}},
		"three last pages":       {ends.out, []int64{50*960 - 100}},
		"chained": {slices.Concat(opus(1, 100, 960, 300), opus(2, 100, 960, 2), opus(3, 0, 960, 1500)),
			[]int64{300*960 - 100, 2*960 - 100, 1500 * 960}},
		"chained with another codec": {slices.Concat(whole, other.out), []int64{50*960 - 100}},
	} {
		links, err := read(c.file)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []int64
		for _, s := range links {
			got = append(got, s.Frames)
		}
		if !slices.Equal(got, c.frames) {
			t.Errorf("%s: got %v frames, want %v", name, got, c.frames)
		}
	}
}

func TestReadRejectsFilesWithoutAudio(t *testing.T) {
	other := builder{serial: 99}
	other.page(flagFirst, 0, []byte("fishead\x00"))
	other.page(0, 0, []byte("data"))
	noRate := builder{serial: 1}
	noRate.page(flagFirst, 0, append([]byte("\x01vorbis\x00\x00\x00\x00\x02"), make([]byte, 20)...))
	noRate.page(0, 0, []byte("\x03vorbis"), []byte("\x05vorbis"))
	noChannels := bytes.Replace(opus(1, 0, 960, 5), []byte("OpusHead\x01\x02"), []byte("OpusHead\x01\x00"), 1)
	for name, c := range map[string]struct {
		file []byte
		want error
	}{
		"empty":         {nil, window.ErrDamaged},
		"another codec": {other.out, ErrNoAudio},
		"headers alone": {opus(1, 0, 960, 0), window.ErrDamaged},
		"one header":    {opus(1, 0, 960, 5)[:60], window.ErrDamaged},
		"rate of 0":     {noRate.out, window.ErrDamaged},
		"no channels":   {noChannels, window.ErrDamaged},
	} {
		if links, err := read(c.file); !errors.Is(err, c.want) {
			t.Errorf("%s: got %d links and %v, want %v", name, len(links), err, c.want)
		}
	}
}

func TestOpusPacketLength(t *testing.T) {
	for _, c := range []struct {
		packet []byte
		want   int
	}{
		{nil, 0},
		{[]byte{0 << 3}, 480}, {[]byte{3 << 3}, 2880}, // SILK
		{[]byte{12 << 3}, 480}, {[]byte{15 << 3}, 960}, // hybrid
		{[]byte{16 << 3}, 120}, {[]byte{19 << 3}, 960}, // CELT
		{[]byte{19<<3 | 1}, 1920}, {[]byte{19<<3 | 2}, 1920},
		{[]byte{19<<3 | 3}, 0}, {[]byte{19<<3 | 3, 4}, 3840}, {[]byte{3<<3 | 3, 3}, 0},
	} {
		if got := opusFrames(c.packet); got != c.want {
			t.Errorf("%x: got %d frames, want %d", c.packet, got, c.want)
		}
	}
}

func TestPacketsSkipDamagedPages(t *testing.T) {
	file := opus(1, 0, 960, 10)
	links, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	file[len(file)-500] ^= 1 // within the fourth page from the end
	packets := links[0].Packets(NewReader(window.New(bytes.NewReader(file), int64(len(file)))))
	var got []int64
	for {
		packet, err := packets.Next()
		if err != nil {
			break
		}
		got = append(got, packet.Granule/960)
	}
	if want := []int64{1, 2, 3, 4, 5, 6, 8, 9, 10}; !slices.Equal(got, want) {
		t.Errorf("got the packets that end at %v, want %v", got, want)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(opus(1, 100, 960, 5))
	f.Add(slices.Concat(opus(1, 100, 960, 3), opus(2, 100, 960, 2)))
	f.Fuzz(func(t *testing.T, b []byte) {
		fixed := bytes.Clone(b)
		testenv.FixOggChecksums(fixed)
		for _, file := range [][]byte{b, fixed} {
			testenv.CheckCost(t, func() {
				links, err := read(file)
				if err != nil {
					return
				}
				for _, s := range links {
					if s.Rate <= 0 || s.Channels <= 0 || s.Frames < 0 || s.Start > s.End || s.End > int64(len(file)) {
						t.Fatalf("got an impossible stream %+v", s)
					}
				}
			})
		}
	})
}
