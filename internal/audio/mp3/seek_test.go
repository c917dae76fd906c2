package mp3

import (
	"io"
	"math/rand/v2"
	"slices"
	"testing"
)

// checkSeeks seeks at random and demands bit for bit what reading from the start gave.
func checkSeeks(t *testing.T, data []byte, seeks int) {
	t.Helper()
	d := open(t, data)
	channels := int64(d.info.Channels)
	whole := readAll(t, d)
	rng := rand.New(rand.NewPCG(7, 7))
	buf := make([]float32, 700*channels)
	for i := range seeks {
		if i%10 == 0 {
			d = open(t, data) // with nothing known of the file
		}
		to := rng.Int64N(d.info.Frames)
		if err := d.SeekTo(to); err != nil {
			t.Fatal(err)
		}
		// Past the end of the first frame read, so that its successor is right too.
		for at := to; at < min(to+1500, d.info.Frames); {
			n, err := d.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			if want := whole[at*channels : (at+int64(n))*channels]; !slices.Equal(buf[:int64(n)*channels], want) {
				t.Fatalf("seek to %d: other samples at %d", to, at)
			}
			at += int64(n)
		}
	}
}

func TestSeekIsExact(t *testing.T) {
	for _, c := range []struct {
		name           string
		seconds        float64 // past the first 256 frames where seeking can jump
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
		clear(data[hole : hole+2000]) // takes several headers with it
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
			t.Errorf("seek to %d of %d succeeded", to, d.info.Frames)
		}
	}
	if _, err := d.Read(next); err != nil || d.pos != 200 {
		t.Fatalf("refused seeks moved the place to %d: %v", d.pos, err)
	}
	if err := d.SeekTo(d.info.Frames); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if n, err := d.Read(buf); n != 0 || err != io.EOF {
			t.Fatalf("at the end: %d, %v", n, err)
		}
	}
	if err := d.SeekTo(100); err != nil {
		t.Fatal(err)
	}
	if n, err := d.Read(buf); err != nil || n != 100 || !slices.Equal(buf, next) {
		t.Fatalf("back from the end: %d, %v", n, err)
	}
}

// TestReadsNoMoreThanNeeded holds Open and SeekTo to what a file that is still on its way can give.
func TestReadsNoMoreThanNeeded(t *testing.T) {
	for _, args := range [][]string{{"-b", "128"}, {"-V", "3"}} {
		in := &memory{data: lame(t, 12, 2, 44100, append(args, "-q", "9")...)}
		d, err := Open(in)
		if err != nil {
			t.Fatal(err)
		}
		if in.far > 2*pageSize {
			t.Errorf("%v: Open read up to byte %d of %d", args, in.far, len(in.data))
		}
		if d.info.Frames != 12*44100 {
			t.Errorf("%v: %d frames", args, d.info.Frames)
		}
		if err := d.SeekTo(4 * 44100); err != nil {
			t.Fatal(err)
		}
		if in.far > int64(len(in.data))/2 {
			t.Errorf("%v: a seek to a third read up to byte %d of %d", args, in.far, len(in.data))
		}
	}
	// Constant bit rate: a seek to the end does not read what lies before.
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
		t.Errorf("a seek to the end took %d reads of up to %d bytes in a file of %d", in.reads, pageSize, len(in.data))
	}
	// Without a header the whole file is walked, but in pages.
	in = &memory{data: lame(t, 20, 2, 44100, "-q", "9", "-t", "-b", "128")}
	if _, err := Open(in); err != nil {
		t.Fatal(err)
	}
	if pages := len(in.data)/pageSize + 1; in.reads > pages+10 {
		t.Errorf("%d reads for %d pages", in.reads, pages)
	}
}
