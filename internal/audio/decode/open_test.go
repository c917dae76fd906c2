package decode

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"waxwing/internal/audio"
)

// id3 returns an ID3v2.4 tag with n zero bytes.
func id3(n int) []byte {
	size := []byte{byte(n >> 21), byte(n >> 14 & 127), byte(n >> 7 & 127), byte(n & 127)}
	return slices.Concat([]byte("ID3\x04\x00\x00"), size, make([]byte, n))
}

func TestOpenIdentifiesFormatsByContent(t *testing.T) {
	signal := melody(44100, 2, 44100)
	make44 := func(extension string, args ...string) []byte {
		in := load(t, encode(t, signal, 44100, 2, extension, args...))
		b := make([]byte, in.Size())
		if _, err := in.ReadAt(b, 0); err != nil {
			t.Fatal(err)
		}
		return b
	}
	flac, mp3 := make44("flac"), make44("mp3", "-b:a", "128k")
	adts := make44("aac", "-c:a", "aac")
	cases := []struct {
		name, codec string
		file        []byte
	}{
		{"flac", "flac", flac},
		{"flac after ID3", "flac", append(id3(5000), flac...)},
		{"flac after two ID3", "flac", append(append(id3(10), id3(300)...), flac...)},
		{"wav", "pcm", make44("wav")},
		{"aiff", "pcm", make44("aiff")},
		{"aifc", "pcm", make44("aiff", "-c:a", "pcm_f32be")},
		{"mp3 with ID3", "mp3", append(id3(2000), mp3...)},
		{"mp3 bare", "mp3", make44("mp3", "-b:a", "128k", "-id3v2_version", "0", "-write_xing", "0")},
		{"mp3 after junk", "mp3", append(make([]byte, 3000), make44("mp3", "-b:a", "128k", "-id3v2_version", "0")...)},
		{"mp3 in wav", "mp3", make44("wav", "-c:a", "libmp3lame")},
		{"vorbis", "vorbis", make44("ogg", "-c:a", "libvorbis")},
		{"opus", "opus", make44("opus")},
		{"flac in ogg", "flac", make44("ogg", "-c:a", "flac")},
		{"m4a", "aac", make44("m4a", "-c:a", "aac")},
		{"alac", "alac", make44("m4a", "-c:a", "alac")},
		{"adts", "aac", adts},
		{"adts after ID3", "aac", append(id3(100), adts...)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			src := mustOpen(t, Options{NoExternal: true}.Open, bytes.NewReader(c.file))
			if info := src.Info(); info.Codec != c.codec || info.Channels != 2 || info.Rate < 44100 {
				t.Errorf("got %+v, want %s", info, c.codec)
			}
			if got := readFrames(t, src, 20000); len(got) != 40000 {
				t.Errorf("got %d frames, want 20000", len(got)/2)
			}
		})
	}
}

func TestOpenRejectsOtherFiles(t *testing.T) {
	wavOf := func(format string) []byte { return riffFile("WAVE", "fmt ", format, "data", "1234") }
	cases := map[string][]byte{
		"the file is empty":     nil,
		"text/plain":            []byte("Dear diary,\n"),
		"text/html":             []byte("<!DOCTYPE html><html><body>404</body></html>"),
		"image/png":             []byte("\x89PNG\x0D\x0A\x1A\x0A" + strings.Repeat("x", 600)),
		"nothing in it":         bytes.Repeat([]byte{1, 2, 3, 254, 255}, 999),
		"application/zip":       []byte("PK\x03\x04" + strings.Repeat("z", 100)),
		"not a FLAC stream":     append([]byte("fLaC\x84\x00\x00\x04"), 0, 0, 0, 0),
		"WAV of format 0x0271":  wavOf("\x71\x02\x02\x00\x44\xac\x00\x00\x00\x00\x00\x00\x04\x00\x10\x00"),
		"12 channels":           wavOf("\x01\x00\x0c\x00\x44\xac\x00\x00\x00\x00\x00\x00\x18\x00\x10\x00"),
		"a sample rate of 4 Hz": wavOf("\x01\x00\x01\x00\x04\x00\x00\x00\x00\x00\x00\x00\x02\x00\x10\x00"),
	}
	for want, file := range cases {
		for _, o := range []Options{{}, {NoExternal: true}} {
			src, err := o.Open(bytes.NewReader(file))
			if src != nil || !errors.Is(err, audio.ErrUnsupported) {
				t.Errorf("Open(%.20q): got %v and %v, want ErrUnsupported", file, src, err)
			} else if text := err.Error(); !strings.Contains(text, want) || strings.Contains(text, "\n") {
				t.Errorf("Open(%.20q): got the error %q, want one line with %q", file, text, want)
			}
		}
	}
}

// riffFile builds a little-endian RIFF file from the identifiers and contents of its chunks.
func riffFile(kind string, chunks ...string) []byte {
	body := []byte(kind)
	for i := 0; i < len(chunks); i += 2 {
		n := len(chunks[i+1])
		body = append(body, chunks[i]...)
		body = append(body, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
		body = append(body, chunks[i+1]...)
		if n&1 != 0 {
			body = append(body, 0)
		}
	}
	n := len(body)
	return append([]byte{'R', 'I', 'F', 'F', byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}, body...)
}

func TestOpenOfCutFileIsNotUnsupported(t *testing.T) {
	for _, file := range [][]byte{
		[]byte("fLaC\x00\x00\x00\x22"),
		riffFile("WAVE", "fmt ", "\x01\x00\x02\x00\x44\xac\x00\x00\x00\x00\x00\x00\x04\x00\x10\x00"),
		[]byte("FORM\x00\x00\x00\x10AIFF"),
	} {
		if src, err := Open(bytes.NewReader(file)); src != nil || err == nil || errors.Is(err, audio.ErrUnsupported) {
			t.Errorf("Open(%.20q): got %v and %v, want an error other than ErrUnsupported", file, src, err)
		}
	}
}

// failing is a file that cannot be read past an offset.
type failing struct {
	*bytes.Reader
	from int64
}

var errDisk = errors.New("failing disk")

func (f failing) ReadAt(b []byte, at int64) (int, error) {
	if at+int64(len(b)) > f.from {
		return 0, errDisk
	}
	return f.Reader.ReadAt(b, at)
}

// A failing disk is neither silence nor the end nor a bad file.
func TestReadErrorsAreReturned(t *testing.T) {
	for _, extension := range []string{"flac", "wav", "aiff"} {
		in := load(t, encode(t, melody(44100, 2, 88200), 44100, 2, extension))
		for _, from := range []int64{0, 20, in.Size() / 2, in.Size() - 10} {
			t.Run(fmt.Sprintf("%s-%d", extension, from), func(t *testing.T) {
				src, err := Open(failing{in, from})
				if err == nil {
					defer src.Close()
					buf := make([]float32, 4096)
					for err == nil {
						_, err = src.Read(buf)
					}
				}
				if !errors.Is(err, errDisk) || errors.Is(err, audio.ErrUnsupported) {
					t.Errorf("got %v, want %v", err, errDisk)
				}
			})
		}
	}
}
