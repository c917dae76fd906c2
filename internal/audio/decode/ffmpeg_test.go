package decode

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/internal/audio"
	"waxwing/internal/testenv"
)

// ownTemp gives the test its own folder for temporary files, and checks that it is empty at the
// end.
func ownTemp(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() {
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("got temporary files %v and %v, want none", left, err)
		}
	})
}

// readAll reads a source that does not know its length.
func readAll(t *testing.T, src audio.Source) []float32 {
	t.Helper()
	var out []float32
	buf := make([]float32, 1234*src.Info().Channels)
	for {
		n, err := src.Read(buf)
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, buf[:n*src.Info().Channels]...)
	}
}

func TestFFmpegDecodesOtherFormats(t *testing.T) {
	testenv.SkipIfShort(t)
	cases := []struct {
		extension, codec string
		rate, channels   int
		args             []string
	}{
		{"wma", "wmav2", 44100, 2, []string{"-c:a", "wmav2"}},
		{"wv", "wavpack", 48000, 1, []string{"-c:a", "wavpack"}},
		{"tta", "tta", 96000, 2, nil},
		{"ac3", "ac3", 48000, 6, nil},
		{"mp2", "mp2", 48000, 2, nil},
		{"mka", "ac3", 48000, 2, []string{"-c:a", "ac3"}},
		{"caf", "pcm_s16be", 44100, 2, []string{"-c:a", "pcm_s16be"}},
		{"wav", "adpcm_ms", 44100, 2, []string{"-c:a", "adpcm_ms"}},
	}
	for i, c := range cases {
		t.Run(c.extension, func(t *testing.T) {
			path := encode(t, melody(c.rate, c.channels, c.rate), c.rate, c.channels, c.extension, c.args...)
			want := byFFmpeg(t, path)
			ownTemp(t)
			src := mustOpen(t, Open, load(t, path))
			info := src.Info()
			if !strings.HasPrefix(info.Codec, c.codec) || info.Rate != c.rate ||
				info.Channels != c.channels || info.Frames != -1 {
				t.Errorf("got %+v, want %s, %d Hz, %d channels", info, c.codec, c.rate, c.channels)
			}
			checkSame(t, readAll(t, src), want)
			frames := len(want) / c.channels
			buf := make([]float32, 100*c.channels)
			targets := []int{frames / 2, 17, rand.IntN(frames), frames - 1, frames, 0}
			if i > 1 && !*thorough {
				targets = targets[:1] // seeks do not depend on the format, and each starts ffmpeg again
			}
			for _, target := range targets {
				if err := src.SeekTo(int64(target)); err != nil {
					t.Fatalf("SeekTo(%d): %v", target, err)
				}
				n, err := src.Read(buf)
				if err != nil && (target < frames || err != io.EOF) {
					t.Fatalf("Read at %d: %v", target, err)
				}
				checkSame(t, buf[:n*c.channels], want[target*c.channels:(target+n)*c.channels])
			}
		})
	}
}

func TestFFmpegSeekPastEndKeepsPosition(t *testing.T) {
	path := encode(t, melody(44100, 2, 30000), 44100, 2, "wv", "-c:a", "wavpack")
	want := byFFmpeg(t, path)
	ownTemp(t)
	src := mustOpen(t, Open, load(t, path))
	buf := make([]float32, 200)
	if err := src.SeekTo(12345); err != nil {
		t.Fatal(err)
	}
	if err := src.SeekTo(30001); err == nil {
		t.Fatal("seek past the end: got no error, want one")
	}
	n, err := src.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	checkSame(t, buf[:2*n], want[2*12345:2*(12345+n)])
}

// By itself ffmpeg would open the files that a playlist names.
func TestFFmpegRejectsPlaylists(t *testing.T) {
	ownTemp(t)
	secret := encode(t, melody(44100, 2, 3000), 44100, 2, "wav")
	beside := filepath.Join(os.TempDir(), "secret.wav")
	if err := os.Rename(secret, beside); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(beside)
	for _, list := range []string{
		"ffconcat version 1.0\nfile 'secret.wav'\n",
		"#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile://" + beside + "\n#EXT-X-ENDLIST\n",
	} {
		if src, err := Open(strings.NewReader(list)); src != nil || !errors.Is(err, audio.ErrUnsupported) {
			t.Errorf("%.20q: got %v, want %v", list, err, audio.ErrUnsupported)
		}
	}
	plays := filepath.Join(os.TempDir(), "list")
	if err := os.WriteFile(plays, []byte("ffconcat version 1.0\nfile 'secret.wav'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(plays)
	if got := byFFmpeg(t, plays); len(got) != 6000 {
		t.Errorf("ffmpeg without restrictions reads %d samples of the playlist, want 6000", len(got))
	}
}

func TestMissingFFmpegIsNamedInError(t *testing.T) {
	in := load(t, encode(t, melody(44100, 2, 3000), 44100, 2, "wv", "-c:a", "wavpack"))
	ownTemp(t)
	_, err := Options{NoExternal: true}.Open(in)
	if !errors.Is(err, audio.ErrUnsupported) || strings.Contains(err.Error(), "ffmpeg") {
		t.Errorf("disabled: got %v, want ErrUnsupported without the word ffmpeg", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := Open(in); !errors.Is(err, audio.ErrUnsupported) || !strings.Contains(err.Error(), "ffmpeg") {
		t.Errorf("not installed: got %v, want ErrUnsupported with the word ffmpeg", err)
	}
}

// No output plays these rates: DSD128 has 705,600 Hz after ffmpeg, and old recordings 4,000 Hz.
func TestOddSampleRatesAreConverted(t *testing.T) {
	ownTemp(t)
	for _, c := range []struct {
		extension  string
		rate, want int
	}{{"wav", 4000, 8000}, {"wav", 1000, 8000}, {"wav", 705600, 352800}, {"wv", 705600, 352800}, {"wv", 4000, 8000}} {
		in := load(t, encode(t, melody(c.rate, 2, 20000), c.rate, 2, c.extension))
		source, err := Open(in)
		if err != nil {
			t.Errorf("%s at %d Hz: %v", c.extension, c.rate, err)
			continue
		}
		if got := source.Info().Rate; got != c.want {
			t.Errorf("%s at %d Hz: got %d Hz, want %d", c.extension, c.rate, got, c.want)
		}
		got := readAll(t, source)
		if want := 2 * 20000 * c.want / c.rate; len(got) != want {
			t.Errorf("%s at %d Hz: got %d samples, want %d", c.extension, c.rate, len(got), want)
		}
		if err := source.SeekTo(5000); err != nil {
			t.Fatal(err)
		}
		checkSame(t, readFrames(t, source, 1000), got[2*5000:2*6000])
		if err := source.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCloseStopsFFmpegBeforeTheEnd(t *testing.T) {
	in := load(t, encode(t, melody(44100, 2, 441000), 44100, 2, "tta"))
	ownTemp(t)
	src, err := Open(in)
	if err != nil {
		t.Fatal(err)
	}
	run := src.(*guard).src.(*external).run
	if _, err := src.Read(make([]float32, 64)); err != nil {
		t.Fatal(err)
	}
	if err := src.Close(); err != nil {
		t.Fatal(err)
	}
	if run.cmd.ProcessState == nil {
		t.Error("ffmpeg after Close: got a running process, want it ended")
	}
}

// TestKilledProcessLeavesNoCopyForFFmpeg: while ffmpeg reads the copy, no folder has a name for it.
func TestKilledProcessLeavesNoCopyForFFmpeg(t *testing.T) {
	if !inherits {
		t.Skip("open files cannot be removed here; the player empties the folder when it starts")
	}
	in := load(t, encode(t, melody(44100, 2, 441000), 44100, 2, "tta"))
	ownTemp(t)
	dir := t.TempDir()
	src, err := Options{TempDir: dir}.Open(in)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	for range 2 { // the second run of ffmpeg begins at the start of the copy again
		if _, err := src.Read(make([]float32, 64)); err != nil {
			t.Fatal(err)
		}
		if err := src.SeekTo(0); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{dir, os.TempDir()} {
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("got the files %v and %v, want none", left, err)
		}
	}
}

func TestLargeFileIsNotCopiedForFFmpeg(t *testing.T) {
	in := load(t, encode(t, melody(44100, 2, 30000), 44100, 2, "tta"))
	ownTemp(t)
	if src, err := (Options{TempLimit: 1000}).Open(in); src != nil || !errors.Is(err, audio.ErrUnsupported) {
		t.Errorf("got %v, want %v", err, audio.ErrUnsupported)
	}
}

// replaceFFmpeg makes a shell script the ffmpeg in PATH.
func replaceFFmpeg(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ffmpeg"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// goleak and ownTemp check that no goroutine and no file remains.
func TestMisbehavingFFmpegIsKilledAndReported(t *testing.T) {
	file := encode(t, melody(44100, 2, 3000), 44100, 2, "wav", "-c:a", "pcm_f32le", "-bitexact")
	cases := map[string]struct{ script, want string }{
		"hangs at once":    {"exec sleep 600", "no audio within"},
		"hangs in a child": {"sleep 3; true", "no audio within"},
		"hangs later":      {"head -c 3000 " + file + "; exec sleep 600", "no audio within"},
		"dies":             {"echo out of luck >&2; exit 3", "out of luck"},
		"dies later":       {"head -c 3000 " + file + "; echo out of luck >&2; exit 3", "out of luck"},
		"other samples":    {"exec cat " + encode(t, melody(44100, 2, 3000), 44100, 2, "wav"), "format 0x0001"},
		"writes nothing":   {"exit 0", "unsupported"},
		"logs without end": {"while :; do echo blah blah blah >&2; done", "no audio within"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			replaceFFmpeg(t, c.script)
			ownTemp(t)
			src, err := Options{}.openExternal(strings.NewReader("sound"), 300*time.Millisecond)
			if err == nil {
				buf := make([]float32, 128)
				for err == nil {
					_, err = src.Read(buf)
				}
				if closed := src.Close(); closed != nil {
					t.Errorf("Close: got %v, want no error", closed)
				}
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got the error %v, want %q", err, c.want)
			}
		})
	}
}

func TestWithoutFFmpegTheErrorSaysWhatToInstall(t *testing.T) {
	files := map[string][]byte{
		"Windows Media Audio": fileOf(t, 2, 5000, "wma", "-c:a", "wmav2"),
		"WavPack":             fileOf(t, 2, 5000, "wv"),
		"Layer 2":             fileOf(t, 2, 5000, "mp2", "-c:a", "mp2"),
		"ac-3":                fileOf(t, 2, 5000, "mp4", "-c:a", "ac3"),
		"A_AC3":               fileOf(t, 2, 5000, "mka", "-c:a", "ac3"),
	}
	t.Setenv("PATH", "")
	for format, file := range files {
		src, err := Open(bytes.NewReader(file))
		if src != nil || !errors.Is(err, audio.ErrUnsupported) || !errors.Is(err, ErrNoFFmpeg) {
			t.Errorf("%s: got %v and %v, want ErrUnsupported and ErrNoFFmpeg", format, src, err)
		} else if text := err.Error(); !strings.Contains(text, format) || !strings.Contains(text, "install ffmpeg") {
			t.Errorf("got %q, want the format %q and what to install", text, format)
		}
	}
}
