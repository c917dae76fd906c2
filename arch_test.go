package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// arrows lists, for each package, the only packages of this module it may import.
// ARCHITECTURE.md draws them; this test keeps the drawing true.
var arrows = map[string]string{
	"":                                 "internal/cli",
	"api":                              "",
	"api/gen":                          "",
	"api/timestamp":                    "",
	"api/playerapi":                    "api/timestamp",
	"api/catalogapi":                   "api/timestamp",
	"client":                           "api api/playerapi api/catalogapi api/timestamp",
	"web":                              "",
	"internal/fault":                   "",
	"internal/statefile":               "",
	"internal/statefile/faultdisk":     "internal/statefile",
	"internal/spool":                   "",
	"internal/testenv":                 "",
	"internal/access":                  "internal/fault internal/statefile",
	"internal/audit":                   "",
	"internal/apidocs":                 "api internal/httpkit internal/fault",
	"internal/httpkit":                 "internal/fault internal/access internal/audit",
	"internal/media":                   "internal/media/id3 internal/media/mpeg internal/media/window",
	"internal/media/id3":               "",
	"internal/media/mpeg":              "",
	"internal/media/text":              "",
	"internal/media/window":            "",
	"internal/audio":                   "",
	"internal/audio/audiotest":         "internal/audio",
	"internal/audio/aac":               "internal/audio",
	"internal/audio/alac":              "internal/audio",
	"internal/audio/flac":              "internal/audio",
	"internal/audio/mp3":               "internal/audio",
	"internal/audio/vorbis":            "internal/audio",
	"internal/audio/decode":            "internal/audio internal/audio/aac internal/audio/alac internal/audio/flac internal/audio/mp3 internal/audio/vorbis internal/media internal/media/mpeg internal/media/window",
	"internal/audio/output":            "internal/audio internal/audio/output/pulse internal/fault",
	"internal/audio/output/pulse":      "internal/audio internal/fault",
	"internal/audio/output/streamtest": "internal/audio",
	"internal/player":                  "internal/audio internal/audio/decode internal/spool internal/statefile internal/fault client api/catalogapi",
	"internal/playerhttp":              "internal/player internal/access internal/audit internal/httpkit internal/apidocs internal/fault api api/playerapi api/timestamp web",
	"internal/mpris":                   "internal/player internal/fault",
	"internal/tags":                    "internal/media internal/media/id3 internal/media/mpeg internal/media/text internal/media/window",
	"internal/art":                     "internal/fault internal/statefile",
	"internal/catalog":                 "internal/fault internal/statefile",
	"internal/catalog/move":            "internal/catalog internal/fault",
	"internal/scan":                    "internal/catalog internal/art internal/tags internal/scan/playlist internal/fault",
	"internal/scan/playlist":           "internal/tags",
	"internal/cataloghttp":             "internal/catalog internal/access internal/audit internal/art internal/httpkit internal/apidocs internal/fault api api/catalogapi api/timestamp",
	"internal/backup":                  "internal/catalog internal/fault",
	"internal/demo":                    "",
	"internal/sdnotify":                "",
	"internal/cli":                     anything,
}

// anything is the arrow of the package that composes all others. Programs in bench and packaging
// may import what they need.
const anything = "*"

func outside(pkg string) bool {
	return pkg == "bench" || strings.HasPrefix(pkg, "bench/") || strings.HasPrefix(pkg, "e2e") || strings.HasPrefix(pkg, "packaging")
}

// forTests tells the packages that only tests may import.
func forTests(pkg string) bool {
	return pkg == "internal/testenv" || pkg == "internal/audio/audiotest" || pkg == "internal/statefile/faultdisk" || pkg == "internal/audio/output/streamtest"
}

func goList(t *testing.T, format string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", format, "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func inModule(path string) (string, bool) {
	if path == "waxwing" {
		return "", true
	}
	return strings.CutPrefix(path, "waxwing/")
}

func TestPackagesImportOnlyWhatTheArrowsAllow(t *testing.T) {
	for _, line := range goList(t, `{{.ImportPath}} {{join .Imports " "}}`) {
		f := strings.Fields(line)
		pkg, _ := inModule(f[0])
		may, drawn := arrows[pkg]
		if !drawn && !outside(pkg) {
			t.Errorf("%q is not in the drawing: add it to arrows and to ARCHITECTURE.md", pkg)
			continue
		}
		for _, imp := range f[1:] {
			dep, ours := inModule(imp)
			switch {
			case !ours:
			case dep == "internal/cli" && pkg != "":
				t.Errorf("%s must not import %s: nothing does but main", pkg, dep)
			case forTests(dep) && !forTests(pkg):
				t.Errorf("%s must not import %s outside of tests", pkg, dep)
			case outside(pkg) || may == anything || slices.Contains(strings.Fields(may), dep):
			default:
				t.Errorf("%s must not import %s", pkg, dep)
			}
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for _, line := range goList(t, `{{.ImportPath}}	{{.Doc}}	{{len .GoFiles}}`) {
		f := strings.Split(line, "\t")
		if f[1] == "" && f[2] != "0" {
			t.Errorf("%s has no package comment", f[0])
		}
	}
}

// TestFilesHoldOneIdea bounds their length: a file that outgrows a few screens has taken in a second idea.
func TestFilesHoldOneIdea(t *testing.T) {
	for _, line := range goList(t, `{{.Dir}}	{{join .GoFiles " "}}`) {
		dir, files, _ := strings.Cut(line, "\t")
		for _, file := range strings.Fields(files) {
			text, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			generated := strings.HasPrefix(string(text), "// Code generated")
			if n := strings.Count(string(text), "\n"); n > 400 && !generated {
				t.Errorf("%s has %d lines", filepath.Join(dir, file), n)
			}
		}
	}
}
