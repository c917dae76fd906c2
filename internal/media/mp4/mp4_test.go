package mp4

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"waxwing/internal/media/mediatest"
	"waxwing/internal/media/window"
	"waxwing/internal/testenv"
)

var makeBox, u32s = mediatest.Box, mediatest.Uint32s

func fileOf(content []byte) box {
	return wholeFile(window.New(bytes.NewReader(content), int64(len(content))))
}

// readSamples reads the boxes of a sample table.
func readSamples(table []byte) (*Samples, error) {
	boxes := map[string]box{}
	if err := fileOf(table).collect(boxes, 0); err != nil {
		return nil, err
	}
	s := &Samples{}
	if err := s.readSizes(boxes); err != nil || s.Count == 0 {
		return s, err
	}
	return s, s.readChunks(boxes)
}

func TestSampleTablesLocatePackets(t *testing.T) {
	sizes := makeBox("stsz", u32s(0, 0, 5, 10, 20, 30, 40, 50))
	chunks := makeBox("stsc", u32s(0, 2, 1, 2, 1, 3, 1, 1))
	offsets := makeBox("stco", u32s(0, 3, 1000, 2000, 3000))
	for name, c := range map[string]struct {
		table []byte
		want  []int64 // offset and size of each packet
	}{
		"sizes": {slices.Concat(sizes, chunks, offsets), []int64{1000, 10, 1010, 20, 2000, 30, 2030, 40, 3000, 50}},
		"one size": {
			slices.Concat(makeBox("stsz", u32s(0, 7, 4)), chunks, offsets, make([]byte, 64)),
			[]int64{1000, 7, 1007, 7, 2000, 7, 2007, 7},
		},
		"4 bits": {
			slices.Concat(makeBox("stz2", u32s(0, 4, 3), []byte{0x12, 0x30}), chunks, offsets),
			[]int64{1000, 1, 1001, 2, 2000, 3},
		},
		"16 bits": {
			slices.Concat(makeBox("stz2", u32s(0, 16, 2), []byte{1, 2, 3, 4}), chunks, offsets),
			[]int64{1000, 258, 1258, 772},
		},
		"64 bits": {
			slices.Concat(sizes, chunks, makeBox("co64", u32s(0, 2, 1, 0, 2, 0))),
			[]int64{1 << 32, 10, 1<<32 + 10, 20, 2 << 32, 30, 2<<32 + 30, 40},
		},
		"few":       {slices.Concat(sizes, chunks, makeBox("stco", u32s(0, 1, 1000))), []int64{1000, 10, 1010, 20}},
		"forged":    {slices.Concat(makeBox("stsz", u32s(0, 0, math.MaxInt32, 10)), chunks, offsets), []int64{1000, 10}},
		"no packet": {slices.Concat(makeBox("stsz", u32s(0, 0, 0)), chunks, offsets), nil},
	} {
		table, err := readSamples(c.table)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []int64
		for i := range table.Count {
			got = append(got, table.locate(i), table.sizeOf(i))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		for i := table.Count - 1; i >= 0; i-- { // the same in any order
			if table.locate(i) != c.want[2*i] {
				t.Errorf("%s: packet %d at %d, want %d", name, i, table.locate(i), c.want[2*i])
			}
		}
	}
	for name, table := range map[string][]byte{
		"no chunks":           slices.Concat(sizes, offsets),
		"no offsets":          slices.Concat(sizes, chunks),
		"chunks out of order": slices.Concat(sizes, makeBox("stsc", u32s(0, 2, 3, 1, 1, 1, 1, 1)), offsets),
		"empty chunks":        slices.Concat(sizes, makeBox("stsc", u32s(0, 1, 1, 0, 1)), offsets),
		"offset too great":    slices.Concat(sizes, chunks, makeBox("co64", u32s(0, 1, -1, -1))),
	} {
		if got, err := readSamples(table); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestInvalidBoxSizesAreErrors(t *testing.T) {
	for name, file := range map[string][]byte{
		"smaller than its header": u32s(4, 0x6d6f6f76),
		"64 bits too small":       u32s(1, 0x6d6f6f76, 0, 15),
	} {
		if err := fileOf(file).collect(map[string]box{}, 0); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	nested := nestedBoxes(maxDepth + 2)
	if err := fileOf(nested).collect(map[string]box{}, 0); err == nil {
		t.Error("boxes nested too deeply: got no error")
	}
}

func nestedBoxes(depth int) []byte {
	if depth == 0 {
		return nil
	}
	return makeBox("mdia", nestedBoxes(depth-1))
}

func TestBoxLongerThanFileEndsWithIt(t *testing.T) {
	file := slices.Concat(u32s(1<<30), []byte("edts"), makeBox("elst", u32s(1, 2)))
	boxes := map[string]box{}
	if err := fileOf(file).collect(boxes, 0); err != nil {
		t.Fatal(err)
	}
	if f, err := boxes["elst"].content(); err != nil || len(f.data) != 8 {
		t.Errorf("got %d bytes and %v, want 8", len(f.data), err)
	}
}

func TestHeardLeavesOutDelayAndPadding(t *testing.T) {
	const rate, ms = 44100, 1000
	for name, c := range map[string]struct {
		timescale, movieScale, duration int64
		edit                            edit
		gapless                         gapless
		skip, frames                    int64
	}{
		"nothing declared":     {rate, ms, 0, edit{}, gapless{}, 0, 10240},
		"short last packet":    {rate, ms, 10000, edit{}, gapless{}, 0, 10000},
		"edit, coarse clock":   {rate, ms, 10000, edit{1024, 204}, gapless{}, 1024, 8976},
		"edit, fine clock":     {rate, rate, 10240, edit{1024, 9000}, gapless{}, 1024, 9000},
		"edit that cuts":       {rate, ms, 10240, edit{0, 100}, gapless{}, 0, 4410},
		"other timescale":      {2 * rate, ms, 20000, edit{2048, 0}, gapless{}, 1024, 8976},
		"edit behind the end":  {rate, ms, 0, edit{math.MaxInt64, math.MaxInt64}, gapless{}, 10240, 0},
		"no movie timescale":   {rate, 0, 0, edit{0, 100}, gapless{}, 0, 10240},
		"iTunSMPB":             {rate, ms, 0, edit{1024, 0}, gapless{2112, 8000}, 2112, 8000},
		"iTunSMPB beyond file": {rate, ms, 0, edit{}, gapless{2112, 8129}, 0, 10240},
	} {
		track := Track{
			Codec: AAC, Rate: rate, PacketFrames: 1024, packets: 10,
			timescale: c.timescale, movieScale: c.movieScale, edit: c.edit,
		}
		track.times.add(1, c.duration)
		f := &File{Track: track, gapless: c.gapless}
		if skip, frames, err := f.Heard(nil); err != nil || skip != c.skip || frames != c.frames {
			t.Errorf("%s: got %d frames after %d (%v), want %d after %d", name, frames, skip, err, c.frames, c.skip)
		}
	}
}

// Writers that put the first packets into the header describe only those by an edit.
func TestEditOfTheHeaderDoesNotCutOffFragments(t *testing.T) {
	const rate, packets = 44100, 10
	for name, c := range map[string]struct {
		edit         edit
		skip, frames int64
	}{
		"edit of the header": {edit{1024, (packets - 1) * 1024}, 1024, 29 * 1024},
		"edit of both":       {edit{1024, 28 * 1024}, 1024, 28 * 1024},
	} {
		f := &File{Track: Track{Codec: AAC, Rate: rate, PacketFrames: 1024, packets: packets, timescale: rate,
			movieScale: rate, edit: c.edit}}
		f.times.add(packets, 1024)
		samples := &Samples{Count: 3 * packets}
		samples.times.add(3*packets, 1024)
		if skip, frames, err := f.Heard(samples); err != nil || skip != c.skip || frames != c.frames {
			t.Errorf("%s: got %d frames after %d (%v), want %d after %d", name, frames, skip, err, c.frames, c.skip)
		}
	}
}

// entry builds the content of an "stsd" box with one entry.
func entry(kind string, channels, rate int, children ...[]byte) []byte {
	head := slices.Concat(make([]byte, 16), binary.BigEndian.AppendUint16(nil, uint16(channels)), make([]byte, 6),
		u32s(rate<<16))
	return slices.Concat(u32s(0, 1), makeBox(kind, append([][]byte{head}, children...)...))
}

func TestSampleEntryNeverYieldsRateOrChannelsOfZero(t *testing.T) {
	esds := func(config string) []byte {
		return makeBox(
			"esds",
			u32s(0),
			[]byte("\x04\x20\x40\x15\x00\x00\x00\x00\x01\xf4\x00\x00\x01\xf4\x00"),
			[]byte{5, byte(len(config))},
			[]byte(config),
		)
	}
	for name, c := range map[string]struct {
		stsd           []byte
		rate, channels int // 0: an error
	}{
		"AAC":                      {entry("mp4a", 2, 44100, esds("\x12\x10")), 44100, 2},
		"AAC of 96 kHz":            {entry("mp4a", 2, 96000, esds("\x10\x10")), 96000, 2},
		"AAC with a written rate":  {entry("mp4a", 1, 0, esds("\x17\x80\x5d\xc0\x08")), 48000, 1},
		"HE-AAC":                   {entry("mp4a", 2, 22050, esds("\x2b\x92\x08\x00")), 44100, 2},
		"no rate":                  {entry("mp4a", 2, 0), 0, 0},
		"no channels":              {entry("mp4a", 0, 44100), 0, 0},
		"reserved rate, none else": {entry("mp4a", 2, 0, esds("\x16\x90")), 0, 0},
		"ALAC without a rate":      {entry("alac", 2, 44100, makeBox("alac", u32s(0), make([]byte, 24))), 0, 0},
		"FLAC with a bad header":   {entry("fLaC", 2, 0, makeBox("dfLa", make([]byte, 42))), 0, 0},
		"Opus":                     {entry("Opus", 2, 0), 48000, 2},
		"cut off":                  {entry("mp4a", 2, 44100)[:30], 0, 0},
	} {
		var track Track
		err := track.readEntry(fields{data: c.stsd})
		if c.rate == 0 && err != nil {
			continue
		}
		if c.rate == 0 || err != nil || track.Rate != c.rate || track.Channels != c.channels {
			t.Errorf("%s: got %d Hz, %d channels, %v; want %d Hz, %d channels",
				name, track.Rate, track.Channels, err, c.rate, c.channels)
		}
	}
}

func TestALACPacketDeclaresItsFrames(t *testing.T) {
	for name, c := range map[string]struct {
		head []byte
		want int64
	}{
		"full":      {[]byte{0x20, 0, 0x02, 0, 0, 0, 0}, 4096},
		"short":     {[]byte{0x20, 0, 0x12, 0, 0, 0x07, 0xd0}, 1000},
		"too many":  {[]byte{0x20, 0, 0x12, 0xff, 0, 0x07, 0xd0}, 4096},
		"not audio": {[]byte{0x80, 0, 0x12, 0, 0, 0x07, 0xd0}, 4096},
		"cut off":   {[]byte{0x20}, 4096},
	} {
		if got := ALACFrames(c.head, 4096); got != c.want {
			t.Errorf("%s: got %d frames, want %d", name, got, c.want)
		}
	}
}

// aacFile builds a file of one packet of AAC behind its description.
func aacFile(rate int) []byte {
	esds := makeBox("esds", u32s(0),
		[]byte("\x04\x20\x40\x15\x00\x00\x00\x00\x01\xf4\x00\x00\x01\xf4\x00\x05\x02\x12\x10"))
	stbl := makeBox(
		"stbl",
		makeBox("stsd", entry("mp4a", 2, rate, esds)),
		makeBox("stts", u32s(0, 1, 1, 1024)),
		makeBox(
			"stsz",
			u32s(0, 0, 1, 4),
		),
		makeBox("stsc", u32s(0, 1, 1, 1, 1)),
		makeBox("stco", u32s(0, 1, 8)),
	)
	mdia := makeBox(
		"mdia",
		makeBox("mdhd", u32s(0, 0, 0, 44100, 1024)),
		makeBox("hdlr", u32s(0, 0), []byte("soun")),
		makeBox("minf", stbl),
	)
	item := makeBox("----", makeBox("name", u32s(0), []byte("iTunSMPB")),
		makeBox("data", u32s(1, 0), []byte(" 0 10 10 300")))
	return slices.Concat(
		makeBox("mdat", []byte("data")),
		makeBox(
			"moov",
			makeBox("mvhd", u32s(0, 0, 0, 1000, 24)),
			makeBox("trak", makeBox("tkhd", u32s(0, 0, 0, 1)), mdia),
			makeBox(
				"udta",
				makeBox(
					"meta",
					u32s(0),
					makeBox("hdlr", u32s(0)),
					makeBox("ilst", item),
				),
			),
		),
	)
}

func TestReadDescribesTheTrack(t *testing.T) {
	file := aacFile(44100)
	var items []string
	f, err := Read(window.New(bytes.NewReader(file), int64(len(file))), func(i Item) {
		items = append(items, i.Name+"="+string(i.Value))
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"iTunSMPB= 0 10 10 300"}; !slices.Equal(items, want) {
		t.Errorf("got the items %q, want %q", items, want)
	}
	skip, frames, err := f.Heard(nil)
	if f.Codec != AAC || f.Rate != 44100 || f.Channels != 2 || skip != 0x10 || frames != 0x300 || err != nil {
		t.Errorf("got %+v with %d frames after %d, %v", f.Track, frames, skip, err)
	}
	samples, err := f.Samples()
	if err != nil || samples.Count != 1 {
		t.Fatalf("got %+v and %v, want one packet", samples, err)
	}
	if b, err := samples.Read(bytes.NewReader(file), 0, nil); err != nil || string(b) != "data" {
		t.Errorf("got the packet %q and %v", b, err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(aacFile(44100))
	fragment := makeBox(
		"moof",
		makeBox(
			"traf",
			makeBox("tfhd", u32s(0, 1)),
			makeBox("trun", u32s(0x201, 1, 8, 4)),
		),
	)
	f.Add(slices.Concat(bytes.Replace(aacFile(0), []byte("udta"), []byte("mvex"), 1), fragment))
	f.Fuzz(func(t *testing.T, b []byte) {
		testenv.CheckCost(t, func() {
			w := window.New(bytes.NewReader(b), int64(len(b)))
			file, err := Read(w, func(i Item) {
				if i.Off < 0 || i.Size < 0 || i.Off+i.Size > int64(len(b)) {
					t.Fatalf("got an item outside of the file: %d bytes at %d of %d", i.Size, i.Off, len(b))
				}
			})
			if err != nil {
				return
			}
			if file.Rate <= 0 || file.Channels <= 0 {
				t.Fatalf("got an impossible track %+v", file.Track)
			}
			if skip, frames, err := file.Heard(nil); err == nil && (skip < 0 || frames < 0) {
				t.Fatalf("got %d frames after %d", frames, skip)
			}
			samples, err := file.Samples()
			if err != nil {
				return
			}
			for i := range min(samples.Count, 100) {
				_, _ = samples.Read(bytes.NewReader(b), i, nil)
			}
		})
	})
}
