package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"waxwing/internal/testenv"
)

// readers are what reads bytes of strangers, and the packages whose fuzz targets try it.
var readers = map[string][]string{
	"internal/tags":                {"FuzzMP3", "FuzzFLAC", "FuzzOgg", "FuzzMP4", "FuzzWAV", "FuzzAIFF", "FuzzRare", "FuzzID3", "FuzzClean"},
	"internal/media/mp4":           {"FuzzRead"},
	"internal/media/ogg":           {"FuzzRead"},
	"internal/media/riff":          {"FuzzWAVE", "FuzzAIFF"},
	"internal/media/flacmeta":      {"FuzzRead"},
	"internal/media/vorbiscomment": {"FuzzEach"},
	"internal/audio/decode":        {"FuzzOpen", "FuzzFLAC", "FuzzOggFLAC", "FuzzWAV", "FuzzAIFF", "FuzzVorbis", "FuzzOpus", "FuzzMP4", "FuzzADTS"},
	"internal/audio/mp3":           {"FuzzOpen"},
	"internal/audio/flac":          {"FuzzDecode"},
	"internal/audio/vorbis":        {"FuzzSetup"},
	"internal/audio/aac":           {"FuzzDecode", "FuzzConfig"},
	"internal/audio/alac":          {"FuzzDecode"},
	"internal/audio/output/pulse":  {"FuzzMessage"},
	"internal/art":                 {"FuzzInspect"},
	"internal/scan/playlist":       {"FuzzParse"},
	"internal/access":              {"FuzzCheck"},
	"internal/playerhttp":          {"FuzzToken"},
	"internal/cataloghttp":         {"FuzzRange"},
	"internal/httpkit":             {"FuzzDecode"},
	"internal/cli":                 {"FuzzConfiguration"},
}

// TestEveryReaderHasAFuzzTarget, and every target bounds what one input may cost. The crashers of the past
// are run by the tests of each package.
func TestEveryReaderHasAFuzzTarget(t *testing.T) {
	targets, corpus := 0, 0
	for dir, names := range readers {
		files, err := filepath.Glob(filepath.Join("../..", dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var code strings.Builder
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			code.Write(text)
		}
		for _, name := range names {
			targets++
			if !regexp.MustCompile(`(?m)^func ` + name + `\(f \*testing\.F\)`).MatchString(code.String()) {
				t.Errorf("%s has no %s", dir, name)
			}
		}
		if !strings.Contains(code.String(), "testenv.Bounded(") {
			t.Errorf("the targets of %s bound neither time nor memory", dir)
		}
		kept, err := filepath.Glob(filepath.Join("../..", dir, "testdata/fuzz/*/*"))
		if err != nil {
			t.Fatal(err)
		}
		corpus += len(kept)
	}
	testenv.Report(t, "D1", testenv.Tally{Inputs: targets + corpus, Note: fmt.Sprintf("%s, and %d inputs kept of earlier runs", testenv.Of(targets, 12, "fuzz targets"), corpus)})
}
