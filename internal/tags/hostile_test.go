package tags_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"waxwing/internal/tags"
	"waxwing/internal/testenv"
)

// survive reads b and checks the invariants that hold for any input.
func survive(t testing.TB, b []byte) {
	t.Helper()
	var got tags.Tags
	var err error
	testenv.CheckCost(t, func() { got, err = tags.Read(bytes.NewReader(b), int64(len(b))) })
	if err != nil {
		if !errors.Is(err, tags.ErrDamaged) && !errors.Is(err, tags.ErrUnknownFormat) {
			t.Fatalf("error %v, want ErrDamaged or ErrUnknownFormat", err)
		}
		return
	}
	if got.Duration < 0 || got.Bitrate < 0 || got.Channels <= 0 || got.SampleRate <= 0 || got.Format == "" {
		t.Fatalf("invalid audio properties: %+v", got)
	}
	if a := got.Audio; a.Off < 0 || a.Len < 0 || a.Off+a.Len > int64(len(b)) {
		t.Fatalf("audio %+v outside of %d bytes", a, len(b))
	}
	checkText(t, reflect.ValueOf(got))
	if !got.Picture.IsZero() {
		if pic, err := got.Picture.Read(bytes.NewReader(b), int64(len(b))); err == nil && len(pic) > len(b) {
			t.Fatalf("a picture of %d bytes in a file of %d", len(pic), len(b))
		}
	}
}

func checkText(t testing.TB, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		s := v.String()
		if !utf8.ValidString(s) || !norm.NFC.IsNormalString(s) || utf8.RuneCountInString(s) > 500 ||
			strings.ContainsFunc(s, unicode.IsControl) {
			t.Fatalf("unclean text %q", s)
		}
	case reflect.Slice:
		for i := range v.Len() {
			checkText(t, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			checkText(t, v.Field(i))
		}
	}
}

func TestMutatedFilesAreReadOrRejected(t *testing.T) {
	rounds := testenv.Size(120, 350, 3500)
	if testing.Short() {
		rounds = 60
	}
	files := sound(t)
	cover := bytes.Repeat([]byte{0xff, 0, 0xd8}, 5000)
	var before, after runtime.MemStats
	tried := 0
	for _, k := range kinds {
		b := files[k.name]
		if k.name != "adts" {
			b = tagged(t, b, k.ext, full(), cover)
		}
		rnd := rand.New(rand.NewPCG(1, uint64(len(b))))
		runtime.ReadMemStats(&before)
		for range rounds {
			survive(t, mutate(rnd, b))
			tried++
		}
		runtime.ReadMemStats(&after)
		// Most of this is the copies and the cover; forged sizes would cause gigabytes.
		if each := (after.TotalAlloc - before.TotalAlloc) / uint64(rounds); each > uint64(len(b))*4+8<<20 {
			t.Errorf("%s: %d bytes allocated per reading of %d bytes", k.name, each, len(b))
		}
	}
	t.Logf("%d mutated files of %d kinds", tried, len(kinds))
}

// mutate damages a copy of b, mostly in its headers.
func mutate(rnd *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	head := min(len(b), 4096)
	for range 1 + rnd.IntN(6) {
		at := rnd.IntN(head)
		if rnd.IntN(4) == 0 {
			at = rnd.IntN(len(b))
		}
		switch rnd.IntN(7) {
		case 0:
			b[at] = byte(rnd.Uint32())
		case 1:
			b[at] ^= 1 << rnd.IntN(8)
		case 2: // a forged size
			copy(b[at:], [][]byte{{0xff, 0xff, 0xff, 0xff}, {0x7f, 0xff, 0xff, 0xff}, {0, 0, 0, 0},
				{0x7f, 0x7f, 0x7f, 0x7f}, {0, 0, 0, 1}}[rnd.IntN(5)])
		case 3:
			b = b[:max(at, 1)]
		case 4: // a piece twice
			n := min(rnd.IntN(256), len(b)-at)
			b = append(b[:at:at], append(bytes.Clone(b[at:at+n]), b[at:]...)...)
		case 5: // a piece missing
			n := min(rnd.IntN(256), len(b)-at)
			b = append(b[:at:at], b[at+n:]...)
		case 6:
			for i := range min(16, len(b)-at) {
				b[at+i] = byte(rnd.Uint32())
			}
		}
		if len(b) == 0 {
			return []byte{0}
		}
		head = min(len(b), 4096)
	}
	return b
}

// counting counts the reads and bytes of a file.
type counting struct {
	r     io.ReaderAt
	bytes int
	calls int
}

func (c *counting) ReadAt(b []byte, off int64) (int, error) {
	n, err := c.r.ReadAt(b, off)
	c.bytes += n
	c.calls++
	return n, err
}

func TestReadFetchesOnlyHeaders(t *testing.T) {
	files := sound(t)
	cover := bytes.Repeat([]byte("picture"), 100_000)
	for _, k := range kinds {
		if k.name == "adts" || k.name == "mp3-cbr-no-header" {
			continue // no header states their length
		}
		b := tagged(t, files[k.name], k.ext, full(), cover)
		c := &counting{r: bytes.NewReader(b)}
		if _, err := tags.Read(c, int64(len(b))); err != nil {
			t.Fatal(err)
		}
		most := 64 << 10
		if k.format == tags.Vorbis || k.format == tags.Opus || k.ext == "oga" {
			most += len(b) // a picture there is spread over many small pages that are read one by one
		}
		if c.bytes > most {
			t.Errorf("%s: %d bytes in %d reads of a file of %d bytes", k.name, c.bytes, c.calls, len(b))
		}
	}
}

func TestFilesWithoutAudioAreRejected(t *testing.T) {
	for name, b := range map[string][]byte{
		"empty":      {},
		"text":       []byte(strings.Repeat("this is no music at all\n", 1000)),
		"zeros":      make([]byte, 100_000),
		"ones":       bytes.Repeat([]byte{0xff}, 100_000),
		"jpeg":       append([]byte("\xff\xd8\xff\xe0\x00\x10JFIF"), make([]byte, 5000)...),
		"html":       []byte("<script>alert(1)</script>"),
		"id3 only":   append([]byte("ID3\x04\x00\x00\x00\x00\x00\x0a"), make([]byte, 10)...),
		"riff forge": []byte("RIFF\xff\xff\xff\xffWAVEdata\xff\xff\xff\xff"),
		"flac forge": []byte("fLaC\x84\xff\xff\xff"),
		"mp4 forge":  []byte("\x00\x00\x00\x10ftypM4A \x00\x00\x00\x00\xff\xff\xff\xffmoov"),
		"one byte":   {0xff},
		"half a tag": []byte("ID3\x03\x00\x80\x7f\x7f\x7f\x7f"),
	} {
		if got, err := tags.Read(bytes.NewReader(b), int64(len(b))); err == nil {
			t.Errorf("%s was read as %+v", name, got)
		}
		// The same with a size that is too large.
		if _, err := tags.Read(bytes.NewReader(b), 1<<40); err == nil {
			t.Errorf("%s with a forged size was read", name)
		}
	}
}
