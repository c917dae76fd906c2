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

// tracks returns the paths of the embedded audio files.
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

func TestLibraryHasManyTracksAndIsSmall(t *testing.T) {
	albums, formats := map[string]bool{}, map[string]bool{}
	all := tracks(t)
	for _, name := range all {
		albums[path.Dir(name)], formats[path.Ext(name)] = true, true
	}
	total := int64(0)
	walk(t, func(_ string, info fs.FileInfo) { total += info.Size() })
	if len(all) < 12 || len(albums) < 3 || len(formats) < 4 || total > sizeLimit {
		t.Errorf("got %d tracks, %d albums, %d formats, %d bytes; want at least 12, 3, 4 and at most %d bytes",
			len(all), len(albums), len(formats), total, sizeLimit)
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
			t.Errorf("cover of %s: got %dx%d, error %v; want 800x800", path.Dir(name), size.Width, size.Height, err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestPlaylistContainsEveryTrackOnce(t *testing.T) {
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
			t.Errorf("entries of %s in the playlist: got %d, want 1", name, count[name])
		}
	}
}

// TestTracksHaveTagsAndUniformLoudness decodes and measures each file with ffmpeg.
func TestTracksHaveTagsAndUniformLoudness(t *testing.T) {
	testenv.SkipIfShort(t)
	testenv.NeedsTool(t, "ffmpeg", "ffprobe")
	artists := map[string]bool{}
	for _, name := range tracks(t) {
		file := extract(t, name)
		tags := probe(t, file)
		artists[tags["artist"]] = true
		for _, tag := range []string{"title", "album", "album_artist", "genre", "track", "disc"} {
			if tags[tag] == "" {
				t.Errorf("%s: got tags %v, want %s", name, tags, tag)
			}
		}
		if tags["date"] != "2026" {
			t.Errorf("%s: got date %q, want 2026", name, tags["date"])
		}
		if tags["replaygain_track_gain"] == "" && tags["r128_track_gain"] == "" {
			t.Errorf("%s: got tags %v, want a track gain", name, tags)
		}
		seconds, lufs, peak := measure(t, file)
		if seconds < 20 || seconds > 60 || math.Abs(lufs-wantLUFS) > tolerance || peak >= 0 {
			t.Errorf("%s: got %.1f s, %.1f LUFS, peak %.2f dBFS; want 20 to 60 s, %.1f±%.1f LUFS, peak below 0",
				name, seconds, lufs, peak, wantLUFS, tolerance)
		}
	}
	if len(artists) < 4 {
		t.Errorf("artists: got %d, want at least 4", len(artists))
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

// measure decodes a whole file and returns its length, its loudness by EBU R 128 and its highest
// sample in dBFS.
func measure(t *testing.T, file string) (seconds, lufs, peak float64) {
	t.Helper()
	const rate, bytesPerFrame = 48000, 4
	cmd := exec.CommandContext(t.Context(), "ffmpeg", "-nostdin", "-hide_banner", "-i", file,
		"-af", "ebur128=peak=sample:framelog=verbose", "-ar", strconv.Itoa(rate), "-ac", "2", "-f", "s16le", "-")
	var log bytes.Buffer
	counted := &counter{}
	cmd.Stdout, cmd.Stderr = counted, &log
	if err := cmd.Run(); err != nil {
		t.Fatalf("ffmpeg: %v: %s", err, log.String())
	}
	number := func(pattern *regexp.Regexp) float64 {
		matches := pattern.FindAllStringSubmatch(log.String(), -1)
		if len(matches) == 0 {
			t.Fatalf("output of ffmpeg: got %s, want a match of %s", log.String(), pattern)
		}
		value, err := strconv.ParseFloat(matches[len(matches)-1][1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	return float64(counted.n) / (rate * bytesPerFrame), number(integrated), number(samplePeak)
}

// counter counts the bytes written to it.
type counter struct{ n int }

func (c *counter) Write(p []byte) (int, error) {
	c.n += len(p)
	return len(p), nil
}
