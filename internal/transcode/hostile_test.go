package transcode_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/internal/audio/decode"
	"waxwing/internal/audio/flac"
	"waxwing/internal/fault"
	"waxwing/internal/transcode"
)

func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestHostileFilesFailWithinTheLimits(t *testing.T) {
	dir := t.TempDir()
	s := open(t, transcode.Config{Dir: dir, Quota: 8 << 20})
	whole, err := os.ReadFile(music(t, "a.flac", "2", "44100", "2"))
	if err != nil {
		t.Fatal(err)
	}
	// Silence takes a few bytes per block: two minutes of it in a small file.
	var bomb bytes.Buffer
	e, err := flac.NewEncoder(&bomb, 44100, 2, 16)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 * 60 {
		if err := e.Write(make([]int32, 2*44100)); err != nil {
			t.Fatal(err)
		}
	}
	header, err := e.Finish()
	if err != nil {
		t.Fatal(err)
	}
	long := append(header, bomb.Bytes()[len(header):]...)
	for name, c := range map[string]struct {
		file []byte
		want fault.Kind
	}{
		"empty":      {nil, fault.NotFound},
		"text":       {[]byte("#EXTM3U\nfile:///etc/passwd\n"), fault.NotFound},
		"only tags":  {whole[:60], fault.NotFound},
		"long":       {long, fault.Unavailable}, // 21 MB as WAV
		"changed id": {append([]byte("OggS"), whole...), fault.NotFound},
	} {
		_, err := s.Get(t.Context(), transcode.Request{
			Source: source(t, write(t, "x", c.file)), Variant: transcode.Variant{Format: transcode.WAV},
		})
		if kind, text := fault.Of(err); kind != c.want || strings.Contains(text, "passwd") {
			t.Errorf("%s: got %v, want a fault of kind %d", name, err, c.want)
		}
	}
	if left := files(t, dir); len(left) != 0 {
		t.Errorf("got the files %v, want none", left)
	}
	// What can be decoded of a damaged file is converted, as the player plays it.
	cut, _ := get(t, s, source(t, write(t, "cut.flac", whole[:len(whole)/2])), transcode.Variant{Format: transcode.FLAC})
	if got, _ := samples(t, cut, 0, nil); len(got) < 44100 || len(got) > 3*44100 {
		t.Errorf("half of a file: got %d samples, want about half", len(got))
	}
}

// replaceFFmpeg puts a script in the place of ffmpeg. It lists the encoders or behaves as told.
func replaceFFmpeg(t *testing.T, behaviour string) {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\ncase \"$*\" in *-encoders*) " +
		"echo ' A....D libopus x'; echo ' A....D libmp3lame x'; exit;; esac\n" + behaviour
	if err := os.WriteFile(filepath.Join(dir, "ffmpeg"), []byte(script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

func TestHangingFFmpegEndsWithItsRequestItsTimeAndItsStore(t *testing.T) {
	path := music(t, "a.flac", "5", "44100", "2")
	replaceFFmpeg(t, "echo $$ >"+filepath.Join(t.TempDir(), "pid")+"; exec sleep 600")
	opus := transcode.Variant{Format: transcode.Opus}
	for name, f := range map[string]func(t *testing.T, dir string){
		"request": func(t *testing.T, dir string) {
			s := open(t, transcode.Config{Dir: dir, Linger: -1})
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			_, err := s.Get(ctx, transcode.Request{Source: source(t, path), Variant: opus})
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want the error of the context", err)
			}
			s.Close()
		},
		"time": func(t *testing.T, dir string) {
			s := open(t, transcode.Config{Dir: dir, Timeout: 300 * time.Millisecond})
			_, err := s.Get(t.Context(), transcode.Request{Source: source(t, path), Variant: opus})
			if kind, text := fault.Of(err); kind != fault.Unavailable || !strings.Contains(text, "longer than") {
				t.Errorf("got %v, want an Unavailable fault about the time", err)
			}
		},
		"store": func(t *testing.T, dir string) {
			s := open(t, transcode.Config{Dir: dir})
			time.AfterFunc(300*time.Millisecond, s.Close)
			if _, err := s.Get(t.Context(), transcode.Request{Source: source(t, path), Variant: opus}); err == nil {
				t.Error("got a file, want an error")
			}
			s.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, began := t.TempDir(), time.Now()
			f(t, dir)
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("it took %v, want less than a second or two", took)
			}
			if left := files(t, dir); len(left) != 0 {
				t.Errorf("got the files %v, want none", left)
			}
		})
	}
}

func TestFailingFFmpegIsReportedAndNotCached(t *testing.T) {
	path := music(t, "a.flac", "5", "44100", "2")
	for name, script := range map[string]string{
		"at once": "echo out of luck >&2; exit 3",
		"at end":  "cat >/dev/null; echo out of luck >&2; exit 3",
	} {
		t.Run(name, func(t *testing.T) {
			replaceFFmpeg(t, script)
			s := open(t, transcode.Config{})
			_, err := s.Get(t.Context(), transcode.Request{Source: source(t, path),
				Variant: transcode.Variant{Format: transcode.MP3}})
			if err == nil || !strings.Contains(err.Error(), "out of luck") {
				t.Errorf("got %v, want the last line of ffmpeg", err)
			}
		})
	}
}

func TestWithoutFFmpegOnlyLosslessFormatsAreOffered(t *testing.T) {
	src := source(t, music(t, "a.m4a", "1", "44100", "2", "-c:a", "alac"))
	s := open(t, transcode.Config{Decode: decode.Options{NoExternal: true}})
	if got := s.Formats(); len(got) != 2 {
		t.Errorf("got %v, want flac and wav", got)
	}
	_, err := s.Get(t.Context(), transcode.Request{Source: src, Variant: transcode.Variant{Format: transcode.Opus}})
	if kind, text := fault.Of(err); kind != fault.Invalid || !strings.Contains(text, "install ffmpeg") {
		t.Errorf("got %v, want what to install", err)
	}
	get(t, s, src, transcode.Variant{Format: transcode.FLAC})
	if got := open(t, transcode.Config{}).Formats(); len(got) != 4 {
		t.Errorf("with ffmpeg: got %v, want four formats", got)
	}
}
