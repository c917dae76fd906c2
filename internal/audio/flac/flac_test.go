package flac

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"waxwing/internal/testenv"
)

// music returns a random signal with loud, quiet, constant and coarse parts.
func music(rng *rand.Rand, channels, depth, frames int) [][]int64 {
	out := make([][]int64, channels)
	full := int64(1)<<(depth-1) - 1
	for c := range out {
		s := make([]int64, frames)
		var v, step int64
		kind := 0
		for i := range s {
			if i%700 == 0 {
				kind = rng.IntN(5)
				step = 1 + rng.Int64N(max(full/32, 1))
			}
			switch kind {
			case 0:
				v += rng.Int64N(2*step+1) - step
			case 1:
				v += rng.Int64N(3) - 1
			case 2: // constant
			case 3:
				v = rng.Int64N(2*full+1) - full
			case 4:
				v = (rng.Int64N(2*full+1) - full) &^ 3
			}
			v = min(max(v, -full-1), full)
			s[i] = v
		}
		out[c] = s
	}
	return out
}

func open(t testing.TB, file []byte) *Decoder {
	t.Helper()
	d, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func read(t testing.TB, d *Decoder, frames int) []float32 {
	t.Helper()
	out := make([]float32, frames*d.Channels)
	at := 0
	for at < len(out) {
		n, err := d.Read(out[at:min(len(out), at+1001*d.Channels)])
		if err == io.EOF {
			break
		}
		if err != nil || n == 0 {
			t.Fatalf("Read at frame %d: got %d, error %v; want frames", at/d.Channels, n, err)
		}
		at += n * d.Channels
	}
	return out[:at]
}

// floats interleaves samples like Read.
func floats(samples [][]int64, depth int) []float32 {
	var out []float32
	for i := range samples[0] {
		for c := range samples {
			out = append(out, float32(samples[c][i])/float32(int64(1)<<(depth-1)))
		}
	}
	return out
}

func same(t testing.TB, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d samples, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("sample %d of %d: got %v, want %v", i, len(got), got[i], want[i])
		}
	}
}

func TestDecodesEveryDepthLayoutAndCoding(t *testing.T) {
	for depth := 4; depth <= 32; depth++ {
		channels := 1 + depth%8
		if depth%3 == 0 || depth == 32 {
			channels = 2
		}
		for _, variable := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(uint64(depth), 1))
			samples := music(rng, channels, depth, 5000)
			e := encoder{
				rng: rng, rate: 44100, channels: channels, depth: depth, variable: variable, blockSize: 576,
				hideLength: depth%2 == 0,
			}
			d := open(t, e.encode(samples))
			if d.Rate != 44100 || d.Channels != channels || d.Depth != depth || d.Frames != 5000 {
				t.Fatalf("got %d Hz, %d channels, %d bits, %d frames; want 44100, %d, %d, 5000",
					d.Rate, d.Channels, d.Depth, d.Frames, channels, depth)
			}
			whole := floats(samples, depth)
			same(t, read(t, d, 5001), whole)
			for range testenv.Size(8, 20, 20) {
				target := rng.IntN(5001)
				if err := d.SeekTo(int64(target)); err != nil {
					t.Fatal(err)
				}
				end := min(target+700, 5000)
				same(t, read(t, d, end-target), whole[target*channels:end*channels])
			}
		}
	}
}

// counter counts the reads of a file.
type counter struct {
	*bytes.Reader
	reads int
}

func (c *counter) ReadAt(b []byte, at int64) (int, error) {
	c.reads++
	return c.Reader.ReadAt(b, at)
}

// The file has no seek table, and its bit rate varies a lot.
func TestSeekNeedsFewReads(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const frames = 44100 * 20
	samples := [][]int64{make([]int64, frames), make([]int64, frames)}
	for i := range frames {
		if i > frames/3 && i < frames/2 { // silence needs few bytes
			continue
		}
		samples[0][i], samples[1][i] = rng.Int64N(20001)-10000, rng.Int64N(int64(1+i/200))
	}
	e := encoder{rng: rng, rate: 44100, channels: 2, depth: 16, blockSize: 4096}
	file := &counter{Reader: bytes.NewReader(e.encode(samples))}
	d, err := Open(file, file.Size())
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]float32, 2)
	worst := 0
	for range 100 {
		target := rng.IntN(frames)
		before := file.reads
		if err := d.SeekTo(int64(target)); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Read(buf); err != nil {
			t.Fatal(err)
		}
		worst = max(worst, file.reads-before)
		if want := float32(samples[0][target]) / (1 << 15); buf[0] != want {
			t.Fatalf("frame %d: got %v, want %v", target, buf[0], want)
		}
	}
	t.Logf("%d bytes, at most %d reads a seek", file.Size(), worst)
	if worst > 25 {
		t.Errorf("got %d reads for one seek, want at most 25", worst)
	}
}

func TestDamagedFramesBecomeSilence(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	samples := music(rng, 2, 16, 50*576)
	for i := range samples[0] {
		samples[0][i] |= 1 // never silent
	}
	e := encoder{rng: rng, rate: 44100, channels: 2, depth: 16, blockSize: 576}
	file := e.encode(samples)
	want := floats(samples, 16)
	for _, lost := range []int{7, 8, 20, 33} {
		from, to := e.marks[lost], e.marks[lost+1]
		switch lost {
		case 20:
			copy(file[from:], "\xFF\xF8\x00\x00") // not even a header
		case 33:
			clear(file[from:to])
		default:
			file[(from+to)/2] ^= 0x10
		}
		clear(want[lost*576*2 : (lost+1)*576*2])
	}
	d := open(t, file)
	same(t, read(t, d, 50*576+1), want)
	for _, target := range []int{7 * 576, 8*576 + 100, 20 * 576, 33*576 + 575, 34 * 576} {
		if err := d.SeekTo(int64(target)); err != nil {
			t.Fatal(err)
		}
		same(t, read(t, d, 800), want[target*2:(target+800)*2])
	}
}

func TestMissingAndInsertedBytesKeepTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	samples := music(rng, 2, 16, 50*576)
	e := encoder{rng: rng, rate: 44100, channels: 2, depth: 16, blockSize: 576}
	file := e.encode(samples)
	want := floats(samples, 16)

	junk := bytes.Repeat([]byte{0xFF, 0xF8, 1}, 5000)
	longer := append(bytes.Clone(file[:e.marks[10]]), append(junk, file[e.marks[10]:]...)...)
	same(t, read(t, open(t, longer), 50*576), want)

	shorter := append(bytes.Clone(file[:e.marks[10]]), file[e.marks[12]:]...)
	clear(want[10*576*2 : 12*576*2])
	same(t, read(t, open(t, shorter), 50*576), want)
}

func TestTruncatedFileIsAnError(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 8))
	e := encoder{rng: rng, rate: 44100, channels: 1, depth: 16, blockSize: 576}
	file := e.encode(music(rng, 1, 16, 20*576))
	d := open(t, file[:e.marks[10]+30])
	buf := make([]float32, 576)
	frames := 0
	var err error
	for err == nil {
		var n int
		n, err = d.Read(buf)
		frames += n
	}
	if frames != 10*576 || !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "early") {
		t.Errorf("got %d frames, then %v; want %d, then an early end", frames, err, 10*576)
	}
	if err := d.SeekTo(15 * 576); err == nil {
		t.Error("seek to a missing frame: got no error, want one")
	}
	if err := d.SeekTo(3); err != nil {
		t.Error(err)
	}
}

func TestFirstFrameWithLateNumberIsTheStart(t *testing.T) {
	for _, variable := range []bool{false, true} {
		for _, first := range []int64{100, 1 << 20, 1<<31 - 100} {
			rng := rand.New(rand.NewPCG(9, 8))
			e := encoder{
				rng: rng, rate: 44100, channels: 1, depth: 16, blockSize: 576, variable: variable, first: first,
				hideLength: true,
			}
			samples := music(rng, 1, 16, 20*576)
			d := open(t, e.encode(samples))
			if d.Frames != 20*576 {
				t.Fatalf("got %d frames, want %d", d.Frames, 20*576)
			}
			same(t, read(t, d, 20*576+1), floats(samples, 16))
		}
	}
}

func TestTagAfterLastFrameIsIgnored(t *testing.T) {
	for _, hide := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(1, 8))
		e := encoder{rng: rng, rate: 44100, channels: 2, depth: 16, blockSize: 576, hideLength: hide}
		samples := music(rng, 2, 16, 20*576)
		file := append(e.encode(samples), "TAG"+strings.Repeat("\xFF\xF8x", 42)...)
		same(t, read(t, open(t, file), 20*576+1), floats(samples, 16))
	}
}

func TestFilesWithoutIntactFramesEndSoon(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	e := encoder{rng: rng, rate: 44100, channels: 2, depth: 16, blockSize: 65535, variable: true}
	file := e.encode(music(rng, 2, 16, 70000))
	head := file[:e.marks[0]]
	frame := file[e.marks[0]:e.marks[1]]
	for name, body := range map[string][]byte{
		"nothing":       nil,
		"zeros":         make([]byte, 20<<20),
		"ones":          bytes.Repeat([]byte{0xFF}, 9<<20),
		"headers":       bytes.Repeat(frame[:12], 100000),
		"broken frames": bytes.Repeat(frame[:len(frame)-3], 40),
		"same frame":    bytes.Repeat(frame, 40),
	} {
		for _, known := range []bool{true, false} {
			whole := append(bytes.Clone(head), body...)
			if !known {
				whole[21] &= 0xF0
				clear(whole[22:26])
			}
			d, err := Open(bytes.NewReader(whole), int64(len(whole)))
			buf := make([]float32, 8192)
			total := 0
			for err == nil {
				var n int
				n, err = d.Read(buf)
				total += n
			}
			if total > 16*44100+65535 {
				t.Errorf("%s: got %d frames, want at most %d", name, total, 16*44100+65535)
			}
			if d != nil {
				_ = d.SeekTo(40000) // may fail, but must return
			}
		}
	}
}

func TestCodedNumbers(t *testing.T) {
	for bit := range 36 {
		for _, v := range []int64{1 << bit, 1<<bit - 1, 1<<bit | 1} {
			var e encoder
			e.number(uint64(v))
			n := len(e.bits)
			got, end, ok := codedNumber(append(e.bits, make([]byte, 8)...), 0)
			if got != v || !ok || end != n {
				t.Errorf("coded number: got %d, valid %v; want %d, true", got, ok, v)
			}
		}
	}
}

func Example() {
	e := encoder{rng: rand.New(rand.NewPCG(1, 1)), rate: 8000, channels: 1, depth: 8, blockSize: 16}
	file := e.encode([][]int64{{0, 64, -128, 0}})
	d, err := Open(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		fmt.Println(err)
		return
	}
	frames := make([]float32, 4)
	n, err := d.Read(frames)
	fmt.Println(n, frames, err)
	// Output: 4 [0 0.5 -1 0] <nil>
}
