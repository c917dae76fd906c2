package media_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"waxwing/internal/testenv"
)

const agreeNoise = "-v error -f lavfi -i anoisesrc=r=44100:a=0.3:d=2.345:seed=7 -ac 2" +
	" -map_metadata -1 -fflags +bitexact"

type maker = func(t *testing.T) []byte

func run(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	testenv.NeedsTool(t, name)
	cmd := exec.Command(name, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s", cmd.Args, err, &stderr)
	}
	return out
}

// ffmpeg encodes two seconds of noise, once for all cases that use the result.
func ffmpeg(ext, args string) maker {
	var once sync.Once
	var file []byte
	return func(t *testing.T) []byte {
		once.Do(func() {
			path := filepath.Join(t.TempDir(), "a."+ext)
			run(t, "ffmpeg", append(strings.Fields(agreeNoise+" "+args), path)...)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			file = b
		})
		return bytes.Clone(file)
	}
}

// piped encodes to a pipe, where the encoder cannot go back to fill in lengths.
func piped(format string) maker {
	return func(t *testing.T) []byte {
		return run(t, "ffmpeg", strings.Fields(agreeNoise+" -f "+format+" pipe:1")...)
	}
}

func lame(args ...string) maker {
	return func(t *testing.T) []byte {
		dir := t.TempDir()
		wav, out := filepath.Join(dir, "a.wav"), filepath.Join(dir, "a.mp3")
		run(t, "ffmpeg", append(strings.Fields(agreeNoise), wav)...)
		run(t, "lame", append(args, "--quiet", wav, out)...)
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
}

// mkvmerge puts a file into Matroska as the reference program does.
func mkvmerge(file maker) maker {
	return func(t *testing.T) []byte {
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out.mka")
		if err := os.WriteFile(in, file(t), 0o600); err != nil {
			t.Fatal(err)
		}
		run(t, "mkvmerge", "--quiet", "--output", out, in)
		b, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
}

func prefixed(prefix string, file maker) maker {
	return func(t *testing.T) []byte { return append([]byte(prefix), file(t)...) }
}

func suffixed(file maker, suffix string) maker {
	return func(t *testing.T) []byte { return append(file(t), suffix...) }
}

func behindID3(file maker) maker { return prefixed(string(id3Tag(3000)), file) }

// behindJunk puts a file behind data of no meaning.
func behindJunk(file maker) maker { return prefixed(strings.Repeat("junk", 50_000), file) }

// both is one file followed by another.
func both(first, second maker) maker {
	return func(t *testing.T) []byte { return append(first(t), second(t)...) }
}

// padded puts zeros between the pages of an Ogg file.
func padded(file maker) maker {
	return func(t *testing.T) []byte {
		b := file(t)
		zeros := "\x00\x00\x00\x00\x00\x00\x00"
		return append(b[:4:4], bytes.ReplaceAll(b[4:], []byte("OggS\x00"), []byte(zeros+"OggS\x00"))...)
	}
}

// damagedBox adds an impossible box at the end of the header, which is the end of the file.
func damagedBox(file maker) maker {
	return func(t *testing.T) []byte {
		b := file(t)
		size := b[bytes.LastIndex(b, []byte("moov"))-4:]
		binary.BigEndian.PutUint32(size, binary.BigEndian.Uint32(size)+8)
		return append(b, "\x00\x00\x00\x04junk"...)
	}
}

func half(file maker) maker {
	return func(t *testing.T) []byte {
		b := file(t)
		return b[:len(b)/2]
	}
}

// twice is a file followed by a copy of itself.
func twice(file maker) maker {
	return func(t *testing.T) []byte {
		b := file(t)
		return append(bytes.Clone(b), b...)
	}
}

func replaced(old, with string, file maker) maker {
	return func(t *testing.T) []byte { return bytes.Replace(file(t), []byte(old), []byte(with), 1) }
}

// firstBox gives the first box of an MP4 file another type; readers ignore the content of ftyp.
func firstBox(kind string, file maker) maker { return replaced("ftyp", kind, file) }

func rifx(t *testing.T) []byte {
	pcm := run(t, "ffmpeg", append(strings.Fields(agreeNoise), "-f", "s16be", "pipe:1")...)
	be := binary.BigEndian
	b := append([]byte("RIFX"), be.AppendUint32(nil, uint32(36+len(pcm)))...)
	b = append(b, "WAVEfmt "...)
	b = be.AppendUint32(b, 16)
	for _, v := range []uint16{1, 2} {
		b = be.AppendUint16(b, v)
	}
	for _, v := range []uint32{44100, 4 * 44100, 4<<16 | 16} {
		b = be.AppendUint32(b, v)
	}
	b = be.AppendUint32(append(b, "data"...), uint32(len(pcm)))
	return append(b, pcm...)
}

// apeTag returns an APEv2 tag with a header and one item.
func apeTag() string {
	item := "\x04\x00\x00\x00\x00\x00\x00\x00Title\x00Test"
	frame := func(flags byte) string {
		return "APETAGEX\xd0\x07\x00\x00" + string(rune(len(item)+32)) + "\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00" +
			string([]byte{flags}) + strings.Repeat("\x00", 8)
	}
	return frame(0xa0) + item + frame(0x80)
}
