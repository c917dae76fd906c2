package mp3

import (
	"io"
	"math/rand/v2"
	"slices"
	"testing"
)

// checkSeeks seeks to random positions and compares the samples with those read from the start.
func checkSeeks(t *testing.T, data []byte, seeks int) {
	t.Helper()
	d := open(t, data)
	channels := int64(d.info.Channels)
	whole := readAll(t, d)
	rng := rand.New(rand.NewPCG(7, 7))
	buf := make([]float32, 700*channels)
	for i := range seeks {
		if i%10 == 0 {
			d = open(t, data) // without an index of the file
		}
		to := rng.Int64N(d.info.Frames)
		if err := d.SeekTo(to); err != nil {
			t.Fatal(err)
		}
		// Read past the end of the first frame to check the next one too.
		for at := to; at < min(to+1500, d.info.Frames); {
			n, err := d.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			if want := whole[at*channels : (at+int64(n))*channels]; !slices.Equal(buf[:int64(n)*channels], want) {
				t.Fatalf("samples at %d after a seek to %d differ from those read from the start", at, to)
			}
			at += int64(n)
		}
	}
}

func TestSeekIsExact(t *testing.T) {
	for _, c := range []struct {
		name           string
		seconds        float64 // more than 256 frames where a seek need not read from the start
		rate, channels int
		args           []string
	}{
		{"constant with info", 8, 44100, 2, []string{"-b", "128"}},
		{"constant without info", 3, 44100, 2, []string{"-t", "-b", "128"}},
		{"variable with info", 3, 44100, 2, []string{"-V", "2"}},
		{"variable without info", 3, 48000, 2, []string{"-t", "-V", "4"}},
		{"average, mono", 3, 44100, 1, []string{"--abr", "90"}},
		{"longest reservoir", 3, 48000, 2, []string{"-b", "32"}},
		{"shortest frames", 3, 24000, 1, []string{"-b", "8"}},
		{"8 kHz", 3, 8000, 2, []string{"-V", "5"}},
		{"free format", 3, 44100, 2, []string{"--freeformat", "-b", "330"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkSeeks(t, lame(t, c.seconds, c.channels, c.rate, c.args...), 30)
		})
	}
}

func TestSeekIsExactInDamagedFile(t *testing.T) {
	for _, args := range [][]string{{"-b", "128"}, {"-t", "-V", "3"}} {
		data := lame(t, 8, 2, 44100, args...)
		rng := rand.New(rand.NewPCG(3, 3))
		for range 40 {
			data[1000+rng.IntN(len(data)-1000)] ^= byte(1 << rng.IntN(8))
		}
		hole := len(data) / 2
		clear(data[hole : hole+2000]) // removes several headers
		checkSeeks(t, data, 30)
	}
}

func TestSeekBounds(t *testing.T) {
	d := open(t, lame(t, 0.5, 1, 44100, "-b", "64"))
	buf := make([]float32, 100)
	if _, err := d.Read(buf); err != nil {
		t.Fatal(err)
	}
	next := make([]float32, 100)
	for _, to := range []int64{-1, d.info.Frames + 1} {
		if err := d.SeekTo(to); err == nil {
			t.Errorf("seek to %d of %d: got no error, want one", to, d.info.Frames)
		}
	}
	if _, err := d.Read(next); err != nil || d.pos != 200 {
		t.Fatalf("position after rejected seeks: got %d, error %v; want 200", d.pos, err)
	}
	if err := d.SeekTo(d.info.Frames); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n, err := d.Read(buf); n != 0 || err != io.EOF {
			t.Fatalf("read at the end: got %d, error %v; want EOF", n, err)
		}
	}
	if err := d.SeekTo(100); err != nil {
		t.Fatal(err)
	}
	if n, err := d.Read(buf); err != nil || n != 100 || !slices.Equal(buf, next) {
		t.Fatalf("read after a seek back from the end: got %d, error %v; want the same 100 samples", n, err)
	}
}

// TestReadsNoMoreThanNeeded limits how far Open and SeekTo read, because a file may still be
// downloading.
func TestReadsNoMoreThanNeeded(t *testing.T) {
	for _, args := range [][]string{{"-b", "128"}, {"-V", "3"}} {
		in := &memory{data: lame(t, 12, 2, 44100, append(args, "-q", "9")...)}
		d, err := Open(in)
		if err != nil {
			t.Fatal(err)
		}
		if in.far > 2*pageSize {
			t.Errorf("%v: Open read up to byte %d of %d, want at most %d", args, in.far, len(in.data), 2*pageSize)
		}
		if d.info.Frames != 12*44100 {
			t.Errorf("%v: got %d frames, want %d", args, d.info.Frames, 12*44100)
		}
		if err := d.SeekTo(4 * 44100); err != nil {
			t.Fatal(err)
		}
		if in.far > int64(len(in.data))/2 {
			t.Errorf("%v: a seek to a third read up to byte %d of %d, want at most half", args, in.far, len(in.data))
		}
	}
	// Constant bit rate: a seek to the end does not read the data before it.
	in := &memory{data: lame(t, 20, 2, 44100, "-q", "9", "-b", "128")}
	d, err := Open(in)
	if err != nil {
		t.Fatal(err)
	}
	in.reads = 0
	if err := d.SeekTo(d.info.Frames - 1); err != nil {
		t.Fatal(err)
	}
	if in.reads > 4 {
		t.Errorf("reads of a seek to the end: got %d of up to %d bytes, want at most 4", in.reads, pageSize)
	}
	// Without a header the whole file is read, in pages.
	in = &memory{data: lame(t, 20, 2, 44100, "-q", "9", "-t", "-b", "128")}
	if _, err := Open(in); err != nil {
		t.Fatal(err)
	}
	if pages := len(in.data)/pageSize + 1; in.reads > pages+10 {
		t.Errorf("reads of %d pages: got %d, want at most %d", pages, in.reads, pages+10)
	}
}
