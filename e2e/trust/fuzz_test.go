package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"waxwing/internal/testenv"
)

// parsers lists the fuzz targets of every package that parses untrusted bytes.
var parsers = map[string][]string{
	"internal/tags": {
		"FuzzMP3", "FuzzFLAC", "FuzzOgg", "FuzzMP4", "FuzzWAV",
		"FuzzAIFF", "FuzzRare", "FuzzID3",
	},
	"internal/lyrics":              {"FuzzParse"},
	"internal/stream":              {"FuzzICY", "FuzzPlaylist"},
	"internal/media":               {"FuzzSniff"},
	"internal/media/id3":           {"FuzzTag"},
	"internal/media/mpeg":          {"FuzzStream"},
	"internal/media/text":          {"FuzzClean"},
	"internal/media/mp4":           {"FuzzRead"},
	"internal/media/ogg":           {"FuzzRead"},
	"internal/media/riff":          {"FuzzWAVE", "FuzzAIFF"},
	"internal/media/flacmeta":      {"FuzzRead"},
	"internal/media/vorbiscomment": {"FuzzEach"},
	"internal/audio/decode": {
		"FuzzOpen", "FuzzFLAC", "FuzzOggFLAC", "FuzzWAV", "FuzzAIFF",
		"FuzzVorbis", "FuzzOpus", "FuzzMP4", "FuzzADTS",
	},
	"internal/audio/mp3":          {"FuzzOpen"},
	"internal/audio/flac":         {"FuzzDecode"},
	"internal/audio/vorbis":       {"FuzzSetup"},
	"internal/audio/aac":          {"FuzzDecode", "FuzzConfig"},
	"internal/audio/alac":         {"FuzzDecode"},
	"internal/audio/output/pulse": {"FuzzMessage"},
	"internal/art":                {"FuzzInspect"},
	"internal/scan/playlist":      {"FuzzParse"},
	"internal/access":             {"FuzzCheck"},
	"internal/playerhttp":         {"FuzzToken"},
	"internal/cataloghttp":        {"FuzzRange", "FuzzParseQuery"},
	"internal/httpkit":            {"FuzzDecode"},
	"internal/mpd":                {"FuzzLine", "FuzzFilter"},
	"internal/cli":                {"FuzzConfiguration"},
}

// fuzzFunc is the declaration of a fuzz target.
var fuzzFunc = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(f \*testing\.F\)`)

// TestEveryParserHasAFuzzTarget also requires that the targets limit the cost of one input, and
// counts their corpus, which every run of the tests of a package repeats: inputs that crashed a
// target in the past, and others that long runs found interesting.
func TestEveryParserHasAFuzzTarget(t *testing.T) {
	targets, corpus := 0, 0
	var without []string
	for dir, names := range parsers {
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
		if !strings.Contains(code.String(), "testenv.CheckCost(") {
			t.Errorf("the fuzz targets of %s do not call testenv.CheckCost", dir)
		}
		var found []string
		for _, match := range fuzzFunc.FindAllStringSubmatch(code.String(), -1) {
			found = append(found, match[1])
		}
		for _, name := range names {
			if !slices.Contains(found, name) {
				t.Errorf("%s has no fuzz target %s", dir, name)
			}
		}
		for _, name := range found {
			targets++
			saved, err := filepath.Glob(filepath.Join("../..", dir, "testdata/fuzz", name, "*"))
			if err != nil {
				t.Fatal(err)
			}
			if len(saved) == 0 {
				without = append(without, dir+"."+name)
			}
			corpus += len(saved)
		}
	}
	note := fmt.Sprintf("%s, and %d inputs saved from earlier runs", testenv.TriedOf(targets, 12, "fuzz targets"), corpus)
	if len(without) > 0 {
		slices.Sort(without)
		note += ", none of them for " + strings.Join(without, ", ")
	}
	testenv.Report(t, testenv.Fuzzing, testenv.Tally{Inputs: targets + corpus, Note: note})
}

func TestFuzzRowIsShortUntilEachTargetRanLongEnough(t *testing.T) {
	runs := []fuzzRun{{Target: "a", Seconds: 2, Inputs: 10}, {Target: "b", Seconds: 300, Inputs: 5}}
	for _, c := range []struct {
		recorded []fuzzRun
		short    bool
	}{
		{nil, true},
		{[]fuzzRun{{Target: "a", Seconds: 300, Crashers: 1}}, true},
		{[]fuzzRun{{Target: "a", Seconds: 299}, {Target: "b", Seconds: 300}}, true},
		{[]fuzzRun{{Target: "a", Seconds: 300}}, false},
	} {
		got := sumFuzzRuns(runs, c.recorded)
		if got.short != c.short || got.inputs != 15 || !strings.HasPrefix(got.notes[0], "2 targets for 2 to 300 s each") {
			t.Errorf("with %v recorded: got %+v, want short %v", c.recorded, got, c.short)
		}
	}
}
