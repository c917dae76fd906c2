package decode

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"waxwing/internal/media/ogg"
	"waxwing/internal/testenv"
)

// oggPages splits a file into pages.
func oggPages(t testing.TB, file []byte) [][]byte {
	t.Helper()
	var pages [][]byte
	for len(file) > 0 {
		if !bytes.HasPrefix(file, []byte("OggS")) {
			t.Fatal("file: got bytes outside of pages, want none")
		}
		size := ogg.HeaderSize + int(file[26])
		for _, n := range file[ogg.HeaderSize:size] {
			size += int(n)
		}
		pages = append(pages, file[:size:size])
		file = file[size:]
	}
	return pages
}

func input(t testing.TB, path string) []byte {
	t.Helper()
	data, err := io.ReadAll(load(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func vorbisFile(t testing.TB, rate, channels, frames int) []byte {
	t.Helper()
	return input(t, encode(t, melody(rate, channels, frames), rate, channels, "ogg", "-c:a", "libvorbis", "-q:a", "3"))
}

func opusFile(t testing.TB, frames int, args ...string) []byte {
	t.Helper()
	return input(t, encode(t, melody(48000, 2, frames), 48000, 2, "opus", append([]string{"-c:a", "libopus"}, args...)...))
}

// renumber gives all pages of a file another serial number.
func renumber(t testing.TB, file []byte, serial uint32) []byte {
	t.Helper()
	for _, page := range oggPages(t, file) {
		binary.LittleEndian.PutUint32(page[14:], serial)
	}
	testenv.FixOggChecksums(file)
	return file
}

func TestChainedOggPlaysAsOne(t *testing.T) {
	var file []byte
	var want []float32
	for i, frames := range []int{20000, 777, 30001} {
		link := renumber(t, vorbisFile(t, 44100, 2, frames), uint32(i+1))
		want = append(want, readWhole(t, mustOpen(t, openOgg, bytes.NewReader(link)))...)
		file = append(file, link...)
	}
	source := mustOpen(t, openOgg, bytes.NewReader(file))
	got := readWhole(t, source)
	checkClose(t, got, want, -1000)
	checkSeeks(t, source, got, -1000)
}

func TestFirstOfMultiplexedOggStreamsIsPlayed(t *testing.T) {
	for name, encoders := range map[string][]string{"vorbis": {"libvorbis", "libopus"}, "opus": {"libopus", "libvorbis"}} {
		path := encode(t, melody(48000, 2, 60000), 48000, 2, "ogg",
			"-map", "0:a", "-map", "0:a", "-c:a:0", encoders[0], "-c:a:1", encoders[1])
		source := mustOpen(t, openOgg, load(t, path))
		if info := source.Info(); info.Codec != name || info.Frames != 60000 {
			t.Errorf("got %+v, want %s of 60000 frames", info, name)
		}
		whole := readWhole(t, source)
		checkSeeks(t, source, whole, -100)
	}
}

func TestMissingOggPageBecomesSilence(t *testing.T) {
	for name, c := range map[string]struct {
		open opener
		file []byte
	}{
		"vorbis": {openOgg, vorbisFile(t, 16000, 1, 300000)},
		"opus":   {openOgg, opusFile(t, 400000)},
	} {
		t.Run(name, func(t *testing.T) {
			whole := readWhole(t, mustOpen(t, c.open, bytes.NewReader(c.file)))
			pages := oggPages(t, c.file)
			lost := len(pages) / 2

			// One page is replaced by junk.
			holed := slices.Concat(slices.Concat(pages[:lost]...), []byte("OggS junk OggS\x00"),
				slices.Concat(pages[lost+1:]...))
			source := mustOpen(t, c.open, bytes.NewReader(holed))
			got := readWhole(t, source)
			if len(got) != len(whole) {
				t.Fatalf("got %d samples, want %d", len(got), len(whole))
			}
			tail := len(whole) * 15 / 16
			if level := decibels(t, got[tail:], whole[tail:]); level > -60 {
				t.Errorf("after the hole: got a difference of %.1f dBFS, want at most -60", level)
			}
			head := len(whole) / 4
			if level := decibels(t, got[:head], whole[:head]); level > -1000 {
				t.Errorf("before the hole: got a difference of %.1f dBFS, want none", level)
			}

			// A file that is truncated within a page ends with the page before.
			cut := mustOpen(t, c.open, bytes.NewReader(c.file[:len(c.file)*2/3]))
			got = readWhole(t, cut)
			if len(got) < len(whole)/2 || len(got) > len(whole)*3/4 {
				t.Errorf("truncated at 2/3: got %d of %d samples, want about two thirds", len(got), len(whole))
			}
			checkClose(t, got, whole[:len(got)], -1000)
		})
	}
}

func TestVorbisWithLateStartPlaysFromItsFirstSample(t *testing.T) {
	file := vorbisFile(t, 16000, 1, 200000)
	whole := readWhole(t, mustOpen(t, openOgg, bytes.NewReader(file)))
	pages := oggPages(t, file)
	start := len(pages) / 2
	late := slices.Concat(slices.Concat(pages[:2]...), slices.Concat(pages[start:]...))
	source := mustOpen(t, openOgg, bytes.NewReader(late))
	got := readWhole(t, source)
	checkClose(t, got, whole[len(whole)-len(got):], -1000)
	checkSeeks(t, source, got, -1000)
}

func TestOggWithoutAudioIsRejected(t *testing.T) {
	file := vorbisFile(t, 44100, 2, 10000)
	pages := oggPages(t, file)
	other := bytes.Replace(file, []byte("\x01vorbis"), []byte("\x01violin"), 1)
	testenv.FixOggChecksums(other)
	for name, data := range map[string][]byte{
		"nothing":        {},
		"rubbish":        bytes.Repeat([]byte("OggS\x00 no page at all "), 1000),
		"one header":     pages[0],
		"headers alone":  slices.Concat(pages[:2]...),
		"another codec":  other,
		"broken headers": file[:200],
	} {
		if source, err := openOgg(bytes.NewReader(data)); err == nil {
			n, err := source.Read(make([]float32, 64))
			if source.Info().Frames != 0 || n != 0 || !errors.Is(err, io.EOF) {
				t.Errorf("%s: got %+v, want an error", name, source.Info())
			}
		}
	}
}

// Each false start of a page claims the longest page, whose checksum would be computed.
func TestFalseOggPageStartsAreBounded(t *testing.T) {
	start := append([]byte("OggS\x00"), make([]byte, ogg.HeaderSize-5)...)
	start[26] = 255
	file := vorbisFile(t, 44100, 2, 20000)
	for range 4000 {
		file = append(file, start...)
	}
	for range 300 {
		file = append(file, 255)
	}
	file = append(file, make([]byte, ogg.MaxPageSize)...)
	begin := time.Now()
	if source, err := openOgg(bytes.NewReader(file)); err == nil {
		readFrames(t, source, 20000)
	}
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("took %v, want at most 30s", took)
	}
}
