package demo_test

import (
	"bytes"
	"encoding/json"
	"image/jpeg"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"waxwing/internal/demo"
	"waxwing/internal/testenv"
)

const (
	wantLUFS  = -16.0
	tolerance = 1.5
	sizeLimit = 6 << 20
)

// tracks are the paths of the embedded audio files.
func tracks(t *testing.T) []string {
	t.Helper()
	var found []string
	walk(t, func(name string, _ fs.FileInfo) {
		switch path.Ext(name) {
		case ".flac", ".mp3", ".ogg", ".opus", ".m4a":
			found = append(found, name)
		}
	})
	return found
}

func walk(t *testing.T, visit func(name string, info fs.FileInfo)) {
	t.Helper()
	err := fs.WalkDir(demo.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			visit(name, info)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestLibraryIsRichAndSmall(t *testing.T) {
	albums, formats := map[string]bool{}, map[string]bool{}
	all := tracks(t)
	for _, name := range all {
		albums[path.Dir(name)], formats[path.Ext(name)] = true, true
	}
	total := int64(0)
	walk(t, func(_ string, info fs.FileInfo) { total += info.Size() })
	if len(all) < 12 || len(albums) < 3 || len(formats) < 4 || total > sizeLimit {
		t.Errorf("%d tracks, %d albums, %d formats, %d bytes", len(all), len(albums), len(formats), total)
	}
}

func TestEveryAlbumHasACover(t *testing.T) {
	for _, name := range tracks(t) {
		file, err := demo.FS().Open(path.Dir(name) + "/cover.jpg")
		if err != nil {
			t.Fatal(err)
		}
		size, err := jpeg.DecodeConfig(file)
		if err != nil || size.Width != 800 || size.Height != 800 {
			t.Errorf("cover of %s: %v, %v", path.Dir(name), size, err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestPlaylistNamesEveryTrackOnce(t *testing.T) {
	list, err := fs.ReadFile(demo.FS(), "Waxwing sampler.m3u8")
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for line := range strings.Lines(string(list)) {
		count[strings.TrimSuffix(line, "\n")]++
	}
	for _, name := range tracks(t) {
		if count[name] != 1 {
			t.Errorf("%s is %d times on the playlist", name, count[name])
		}
	}
}

// TestEveryTrackSoundsAsItShould lets ffmpeg decode each file and measure it.
func TestEveryTrackSoundsAsItShould(t *testing.T) {
	testenv.SkipIfShort(t)
	testenv.NeedsTool(t, "ffmpeg", "ffprobe")
	artists := map[string]bool{}
	for _, name := range tracks(t) {
		file := extract(t, name)
		tags := probe(t, file)
		artists[tags["artist"]] = true
		for _, tag := range []string{"title", "album", "album_artist", "genre", "track", "disc"} {
			if tags[tag] == "" {
				t.Errorf("%s: no %s among %v", name, tag, tags)
			}
		}
		if tags["date"] != "2026" {
			t.Errorf("%s: date %q", name, tags["date"])
		}
		if tags["replaygain_track_gain"] == "" && tags["r128_track_gain"] == "" {
			t.Errorf("%s: no gain among %v", name, tags)
		}
		seconds, lufs, peak := measure(t, file)
		if seconds < 20 || seconds > 60 || math.Abs(lufs-wantLUFS) > tolerance || peak >= 0 {
			t.Errorf("%s: %.1f s, %.1f LUFS, peak %.2f dBFS", name, seconds, lufs, peak)
		}
	}
	if len(artists) < 4 {
		t.Errorf("only %d artists", len(artists))
	}
}

// extract copies an embedded file to a plain one that programs can read.
func extract(t *testing.T, name string) string {
	t.Helper()
	data, err := fs.ReadFile(demo.FS(), name)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "track"+path.Ext(name))
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// probe reads a file's tags with lower-case names; Ogg keeps them on the stream.
func probe(t *testing.T, file string) map[string]string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error", "-of", "json",
		"-show_entries", "format_tags:stream_tags", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Format  struct{ Tags map[string]string }
		Streams []struct{ Tags map[string]string }
	}
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatal(err)
	}
	tags := map[string]string{}
	for _, s := range append(found.Streams, struct{ Tags map[string]string }{found.Format.Tags}) {
		for name, value := range s.Tags {
			tags[strings.ToLower(name)] = value
		}
	}
	return tags
}

var (
	integrated = regexp.MustCompile(`I:\s+(-?[\d.]+) LUFS`)
	samplePeak = regexp.MustCompile(`Peak:\s+(-?[\d.]+) dBFS`)
)

// measure decodes a whole file and gives its length, its loudness by EBU R 128 and its
// highest sample in dBFS.
func measure(t *testing.T, file string) (seconds, lufs, peak float64) {
	t.Helper()
	const rate, bytesPerFrame = 48000, 4
	cmd := exec.CommandContext(t.Context(), "ffmpeg", "-nostdin", "-hide_banner", "-i", file,
		"-af", "ebur128=peak=sample:framelog=verbose", "-ar", strconv.Itoa(rate), "-ac", "2", "-f", "s16le", "-")
	var log bytes.Buffer
	counted := &counter{}
	cmd.Stdout, cmd.Stderr = counted, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
	number := func(pattern *regexp.Regexp) float64 {
		matches := pattern.FindAllStringSubmatch(log.String(), -1)
		if len(matches) == 0 {
			t.Fatalf("ffmpeg measured nothing: %s", log.String())
		}
		value, err := strconv.ParseFloat(matches[len(matches)-1][1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	return float64(counted.n) / (rate * bytesPerFrame), number(integrated), number(samplePeak)
}

// counter counts what is written to it.
type counter struct{ n int }

func (c *counter) Write(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}
