package decode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"testing"

	"waxwing/internal/audio"
	"waxwing/internal/audio/aac"
)

// box builds an MP4 box from what is in it.
func box(kind string, parts ...[]byte) []byte {
	content := slices.Concat(parts...)
	return slices.Concat(u32s(len(content)+8), []byte(kind), content)
}

func u32s(values ...int) []byte {
	var out []byte
	for _, v := range values {
		out = binary.BigEndian.AppendUint32(out, uint32(v))
	}
	return out
}

func asBox(content []byte) mp4Box { return mp4File(bytes.NewReader(content)) }

func TestPacketTables(t *testing.T) {
	sizes := box("stsz", u32s(0, 0, 5, 10, 20, 30, 40, 50))
	chunks := box("stsc", u32s(0, 2, 1, 2, 1, 3, 1, 1))
	offsets := box("stco", u32s(0, 3, 1000, 2000, 3000))
	for name, c := range map[string]struct {
		table []byte
		want  []int64 // offset and size of each packet
	}{
		"sizes":     {slices.Concat(sizes, chunks, offsets), []int64{1000, 10, 1010, 20, 2000, 30, 2030, 40, 3000, 50}},
		"one size":  {slices.Concat(box("stsz", u32s(0, 7, 4)), chunks, offsets, make([]byte, 64)), []int64{1000, 7, 1007, 7, 2000, 7, 2007, 7}},
		"4 bits":    {slices.Concat(box("stz2", u32s(0, 4, 3), []byte{0x12, 0x30}), chunks, offsets), []int64{1000, 1, 1001, 2, 2000, 3}},
		"16 bits":   {slices.Concat(box("stz2", u32s(0, 16, 2), []byte{1, 2, 3, 4}), chunks, offsets), []int64{1000, 258, 1258, 772}},
		"64 bits":   {slices.Concat(sizes, chunks, box("co64", u32s(0, 2, 1, 0, 2, 0))), []int64{1 << 32, 10, 1<<32 + 10, 20, 2 << 32, 30, 2<<32 + 30, 40}},
		"few":       {slices.Concat(sizes, chunks, box("stco", u32s(0, 1, 1000))), []int64{1000, 10, 1010, 20}},
		"forged":    {slices.Concat(box("stsz", u32s(0, 0, math.MaxInt32, 10)), chunks, offsets), []int64{1000, 10}},
		"no packet": {slices.Concat(box("stsz", u32s(0, 0, 0)), chunks, offsets), nil},
	} {
		table, err := readPacketTable(asBox(c.table))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []int64
		for i := range table.count {
			got = append(got, table.locate(i), table.sizeOf(i))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		for i := table.count - 1; i >= 0; i-- { // the same in any order
			if table.locate(i) != c.want[2*i] {
				t.Errorf("%s: packet %d at %d, want %d", name, i, table.locate(i), c.want[2*i])
			}
		}
	}
	for name, table := range map[string][]byte{
		"no chunks":           slices.Concat(sizes, offsets),
		"no offsets":          slices.Concat(sizes, chunks),
		"chunks out of order": slices.Concat(sizes, box("stsc", u32s(0, 2, 3, 1, 1, 1, 1, 1)), offsets),
		"empty chunks":        slices.Concat(sizes, box("stsc", u32s(0, 1, 1, 0, 1)), offsets),
		"offset too great":    slices.Concat(sizes, chunks, box("co64", u32s(0, 1, -1, -1))),
	} {
		if got, err := readPacketTable(asBox(table)); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestBoxesThatLie(t *testing.T) {
	for name, file := range map[string][]byte{
		"smaller than its header": u32s(4, 0x6d6f6f76),
		"64 bits too small":       u32s(1, 0x6d6f6f76, 0, 15),
	} {
		if _, _, err := asBox(file).find("trak"); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// A box that claims too much ends with the file.
	moov, found, err := asBox(slices.Concat(box("ftyp"), u32s(1<<30), []byte("moov"), box("mvhd", u32s(1, 2)))).find("moov")
	if err != nil || !found {
		t.Fatal(found, err)
	}
	if data, err := moov.contentOf("mvhd"); err != nil || len(data) != 8 {
		t.Errorf("%v, %v", data, err)
	}
}

func TestWhatOfATrackIsHeard(t *testing.T) {
	for name, c := range map[string]struct {
		track      mp4Track
		start, end int64
	}{
		"nothing said":        {mp4Track{timescale: 44100, movie: 1000}, 0, 10240},
		"short last packet":   {mp4Track{timescale: 44100, movie: 1000, duration: 10000}, 0, 10000},
		"edit in coarse time": {mp4Track{timescale: 44100, movie: 1000, duration: 10000, edit: mp4Edit{1024, 204}}, 1024, 10000},
		"edit in fine time":   {mp4Track{timescale: 44100, movie: 44100, duration: 10240, edit: mp4Edit{1024, 9000}}, 1024, 10024},
		"edit that cuts":      {mp4Track{timescale: 44100, movie: 1000, duration: 10240, edit: mp4Edit{0, 100}}, 0, 4410},
		"other timescale":     {mp4Track{timescale: 88200, movie: 1000, duration: 20000, edit: mp4Edit{2048, 0}}, 1024, 10000},
		"edit behind the end": {mp4Track{timescale: 44100, movie: 1000, edit: mp4Edit{math.MaxInt64, math.MaxInt64}}, 10240, 10240},
	} {
		if start, end := c.track.heard(44100, 10240); start != c.start || end != c.end {
			t.Errorf("%s: %d to %d, want %d to %d", name, start, end, c.start, c.end)
		}
	}
}

// tagged adds named tags to a file whose header comes last.
func tagged(t *testing.T, file []byte, tags map[string]string) []byte {
	t.Helper()
	file = bytes.Clone(file)
	root := mp4File(bytes.NewReader(file))
	moov, _, _ := root.find("moov")
	udta, _, _ := moov.find("udta")
	meta, _, _ := udta.find("meta")
	var list mp4Box
	if err := meta.each(4, func(b mp4Box) bool {
		list = b
		return b.kind != "ilst"
	}); err != nil || list.kind != "ilst" {
		t.Fatalf("no list of tags: %v", err)
	}
	var items []byte
	for name, value := range tags {
		items = append(items, box("----", box("mean", u32s(0), []byte("com.apple.iTunes")),
			box("name", u32s(0), []byte(name)), box("data", u32s(1, 0), []byte(value)))...)
	}
	for _, b := range []mp4Box{moov, udta, meta, list} {
		size := binary.BigEndian.Uint32(file[b.at:])
		binary.BigEndian.PutUint32(file[b.at:], size+uint32(len(items)))
	}
	return slices.Insert(file, int(list.end), items...)
}

func TestMP4Tags(t *testing.T) {
	plain := mp4FileOf(t, 44100, 2, 20000, "aac")
	file := tagged(t, plain, map[string]string{
		"iTunSMPB":              " 00000000 00000840 000001CA 0000000000003F31 00000000",
		"replaygain_track_gain": "-3.50 dB",
		"replaygain_track_peak": "0.5",
		"REPLAYGAIN_ALBUM_GAIN": "2 dB",
	})
	source := mustOpen(t, openMP4, bytes.NewReader(file))
	info := source.Info()
	if info.Frames != 0x3f31 {
		t.Errorf("%d frames, want %d", info.Frames, 0x3f31)
	}
	if l := info.Loudness; *l.TrackGain != -3.5 || *l.TrackPeak != 0.5 || *l.AlbumGain != 2 || l.AlbumPeak != nil {
		t.Errorf("%+v", l)
	}
	untagged := readWhole(t, mustOpen(t, openMP4, bytes.NewReader(plain)))
	got := readWhole(t, source)
	moved := 2 * (0x840 - 1024)
	checkClose(t, got, untagged[moved:moved+len(got)], -1000)

	for _, tag := range []string{"", "0 1 2", "0 xyz 0 10", "0 -1 0 10", "0 0 0 FFFFFFFFFFFFFFFF", " 00000000 00000840 000001CA 7FFFFFFFFFFFFFFF"} {
		file := tagged(t, plain, map[string]string{"iTunSMPB": tag})
		if frames := mustOpen(t, openMP4, bytes.NewReader(file)).Info().Frames; frames != 20000 {
			t.Errorf("a tag of %q makes %d frames", tag, frames)
		}
	}
}

func TestHEAACIsLeftToOthers(t *testing.T) {
	if _, err := newAACCodec(aac.ParseConfig([]byte("\x2b\x92\x08\x00"))); !errors.Is(err, audio.ErrUnsupported) {
		t.Errorf("a configuration with SBR: %v", err)
	}
	// A packet may hold what the configuration keeps silent about: here a fill element with SBR alone.
	codec, err := newAACCodec(aac.ParseConfig([]byte("\x12\x10")))
	if err != nil {
		t.Fatal(err)
	}
	packet := []byte{0b110_0001_1, 0b101_0000_1, 0b11_000000}
	table := &packetTable{count: 1, size: 3, chunks: []packetChunk{{0, 0}}}
	if err := codec.probe(bytes.NewReader(packet), table); !errors.Is(err, audio.ErrUnsupported) {
		t.Errorf("a packet with SBR: %v", err)
	}
}

func TestOtherSoundInMP4IsUnsupported(t *testing.T) {
	for _, codec := range []string{"ac3", "libmp3lame", "flac"} {
		path := encode(t, melody(44100, 2, 5000), 44100, 2, "mp4", "-c:a", codec, "-strict", "-2")
		if _, err := openMP4(load(t, path)); !errors.Is(err, audio.ErrUnsupported) {
			t.Errorf("%s: %v", codec, err)
		}
	}
}
