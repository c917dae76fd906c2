package decode

import (
	"bytes"
	"slices"
	"testing"

	"waxwing/internal/audio"
	"waxwing/internal/testenv"
)

// flacFrames returns a FLAC file and the offset of its first frame.
func flacFrames(t testing.TB, rate, channels, frames int) (file []byte, first int) {
	t.Helper()
	file = input(t, encode(t, melody(rate, channels, frames), rate, channels, "flac", "-sample_fmt", "s16"))
	first = 4
	for last := false; !last; {
		last = file[first]&0x80 != 0
		first += 4 + int(file[first+1])<<16 + int(file[first+2])<<8 + int(file[first+3])
	}
	return file, first
}

// converted returns a file in the format of a chain.
func converted(t testing.TB, open opener, file []byte, rate, channels int) []float32 {
	t.Helper()
	source := mustOpen(t, open, bytes.NewReader(file))
	if source.Info().Channels != channels {
		source = audio.Downmix(source)
	}
	return readWhole(t, audio.Resample(source, rate))
}

func TestFLACWhoseFormatChangesPlaysToTheEnd(t *testing.T) {
	var file []byte
	var want []float32
	for i, format := range []struct{ rate, channels int }{{32000, 2}, {48000, 2}, {48000, 1}, {44100, 6}} {
		link, first := flacFrames(t, format.rate, format.channels, 30000)
		want = append(want, converted(t, openFLAC, link, 48000, 2)...)
		if i > 0 {
			link = link[first:]
		}
		file = append(file, link...)
	}
	source := mustOpen(t, openFLAC, bytes.NewReader(file))
	if info := source.Info(); info.Rate != 48000 || info.Channels != 2 || info.Frames != int64(len(want)/2) {
		t.Errorf("got %+v, want %d frames of stereo at 48000 Hz", info, len(want)/2)
	}
	got := readWhole(t, source)
	checkClose(t, got, want, -1000)
	checkSeeks(t, source, got, -1000)
}

func TestChainedOggWhoseFormatChangesPlaysToTheEnd(t *testing.T) {
	flac := input(t, encode(t, melody(44100, 2, 20000), 44100, 2, "ogg", "-c:a", "flac"))
	var file []byte
	var want []float32
	links := [][]byte{vorbisFile(t, 44100, 2, 20000), flac, vorbisFile(t, 22050, 1, 5000), opusFile(t, 10000)}
	for i, link := range links {
		link = renumber(t, link, uint32(i+1))
		want = append(want, converted(t, openOgg, link, 48000, 2)...)
		file = append(file, link...)
	}
	source := mustOpen(t, openOgg, bytes.NewReader(file))
	got := readWhole(t, source)
	checkClose(t, got, want, -1000)
	checkSeeks(t, source, got, -1000)
}

func TestOggWithSeveralLastPagesPlaysToTheEnd(t *testing.T) {
	for name, file := range map[string][]byte{
		"vorbis": vorbisFile(t, 16000, 1, 200000), "opus": opusFile(t, 300000),
	} {
		want := readWhole(t, mustOpen(t, openOgg, bytes.NewReader(file)))
		marked := slices.Clone(file)
		pages := oggPages(t, marked)
		for _, page := range pages[len(pages)-4:] {
			page[5] |= 4
		}
		testenv.FixOggChecksums(marked)
		source := mustOpen(t, openOgg, bytes.NewReader(marked))
		got := readWhole(t, source)
		if len(got) != len(want) {
			t.Fatalf("%s: got %d samples, want %d", name, len(got), len(want))
		}
		checkClose(t, got, want, -1000)
		checkSeeks(t, source, got, -1000)
	}
}

// Lavf 58 does not mark the last metadata block of FLAC in Ogg.
func TestOggFLACWithoutLastBlockFlagPlays(t *testing.T) {
	file := input(t, encode(t, melody(44100, 2, 30000), 44100, 2, "ogg", "-c:a", "flac"))
	want := readWhole(t, mustOpen(t, openOgg, bytes.NewReader(file)))
	pages := oggPages(t, file)
	for _, page := range pages[:2] {
		body := page[27+int(page[26]):]
		if bytes.HasPrefix(body, []byte("\x7fFLAC")) {
			body = body[13:]
		}
		body[0] &^= 0x80
	}
	testenv.FixOggChecksums(file)
	checkClose(t, readWhole(t, mustOpen(t, openOgg, bytes.NewReader(file))), want, -1000)
}
