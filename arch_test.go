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
// ARCHITECTURE.md shows them as a diagram.
var arrows = map[string]string{
	"":                             "internal/cli",
	"api":                          "",
	"api/gen":                      "",
	"api/timestamp":                "",
	"api/playerapi":                "api/timestamp",
	"api/catalogapi":               "api/timestamp",
	"client":                       "api api/playerapi api/catalogapi api/timestamp",
	"web":                          "internal/fault internal/httpkit",
	"internal/fault":               "",
	"internal/statefile":           "",
	"internal/statefile/faultdisk": "internal/statefile",
	"internal/spool":               "",
	"internal/testenv":             "",
	"internal/testenv/apitest":     "internal/httpkit",
	"internal/testenv/catalogtest": "internal/art internal/catalog internal/fault",
	"internal/testenv/postgres":    "internal/testenv",
	"internal/access":              "internal/fault internal/statefile",
	"internal/audit":               "",
	"internal/apidocs":             "api internal/httpkit internal/fault",
	"internal/httpkit":             "internal/fault internal/access internal/audit",
	"internal/media":               "internal/media/id3 internal/media/mpeg internal/media/window",
	"internal/media/asf":           "internal/media/text internal/media/window",
	"internal/media/id3":           "internal/media/text internal/media/window",
	"internal/media/rare":          "internal/media/window",
	"internal/media/flacmeta":      "internal/media/window",
	"internal/media/mediatest":     "",
	"internal/media/joined":        "",
	"internal/media/matroska": "internal/media/flacmeta internal/media/joined internal/media/mp4 internal/media/ogg " +
		"internal/media/window",
	"internal/media/mp4": "internal/media/flacmeta internal/media/joined internal/media/ogg " +
		"internal/media/window",
	"internal/media/ogg":           "internal/media/flacmeta internal/media/joined internal/media/window",
	"internal/media/riff":          "internal/media/window",
	"internal/media/vorbiscomment": "internal/media/window",
	"internal/media/ape":           "internal/media/window",
	"internal/media/mpeg": "internal/media/ape internal/media/id3 internal/media/trailer " +
		"internal/media/window",
	"internal/media/trailer":   "internal/media/ape internal/media/id3 internal/media/window",
	"internal/media/text":      "",
	"internal/media/window":    "",
	"internal/audio":           "",
	"internal/audio/audiotest": "internal/audio",
	"internal/audio/aac":       "internal/audio",
	"internal/audio/alac":      "internal/audio",
	"internal/audio/flac":      "internal/media/flacmeta internal/media/window",
	"internal/audio/mp3":       "internal/audio internal/media/mpeg internal/media/window",
	"internal/audio/vorbis":    "internal/audio",
	"internal/audio/decode": "internal/audio internal/audio/aac internal/audio/alac internal/audio/flac " +
		"internal/audio/mp3 internal/audio/vorbis internal/media internal/media/flacmeta " +
		"internal/media/matroska internal/media/mp4 " +
		"internal/media/mpeg internal/media/ogg internal/media/riff internal/media/vorbiscomment internal/media/window",
	"internal/audio/output":            "internal/audio internal/audio/output/pulse internal/fault",
	"internal/audio/output/pulse":      "internal/audio internal/fault",
	"internal/audio/output/streamtest": "internal/audio",
	"internal/stream": "internal/audio internal/audio/decode internal/fault internal/media/text " +
		"internal/spool",
	"internal/player": "internal/audio internal/audio/decode internal/spool internal/statefile " +
		"internal/fault internal/lyrics internal/stream client api/catalogapi",
	"internal/playerhttp": "internal/player internal/lyrics internal/access internal/audit internal/httpkit " +
		"internal/qrcode internal/apidocs internal/fault api api/catalogapi api/playerapi api/timestamp web",
	"internal/mpris": "internal/player internal/lyrics internal/fault",
	"internal/mpd": "internal/access internal/audit internal/fault internal/httpkit internal/player internal/statefile " +
		"client api/catalogapi",
	"internal/lyrics":        "internal/media/text",
	"internal/lyrics/lrclib": "internal/lyrics",
	"internal/tags": "internal/audio/flac internal/lyrics internal/media internal/media/ape internal/media/asf " +
		"internal/media/flacmeta internal/media/id3 internal/media/matroska internal/media/mp4 " +
		"internal/media/mpeg internal/media/ogg " +
		"internal/media/rare internal/media/riff internal/media/text internal/media/trailer " +
		"internal/media/vorbiscomment internal/media/window",
	"internal/art":              "internal/fault internal/flight internal/statefile",
	"internal/flight":           "",
	"internal/transcode":        "internal/audio internal/audio/decode internal/audio/flac internal/fault internal/flight",
	"internal/words":            "",
	"internal/rules":            "internal/fault internal/words",
	"internal/catalog":          "internal/fault internal/lyrics internal/rules internal/statefile internal/words",
	"internal/catalog/move":     "internal/catalog internal/fault",
	"internal/library/s3":       "internal/fault internal/library",
	"internal/testenv/s3server": "internal/testenv",
	"internal/library":          "internal/fault",
	"internal/scan": "internal/catalog internal/art internal/library internal/lyrics internal/media/text internal/tags " +
		"internal/words internal/rules internal/scan/playlist internal/fault",
	"internal/scan/playlist": "internal/tags",
	"internal/replycache":    "",
	"internal/qrcode":        "",
	"internal/cataloghttp": "internal/catalog internal/access internal/audit internal/art internal/lyrics " +
		"internal/lyrics/lrclib internal/httpkit internal/replycache internal/qrcode internal/apidocs internal/fault " +
		"internal/rules internal/transcode api api/catalogapi api/timestamp web",
	"internal/subsonic": "internal/catalog internal/access internal/audit internal/art internal/lyrics " +
		"internal/httpkit internal/replycache internal/fault internal/transcode api/playerapi client",
	"internal/backup":      "internal/catalog internal/fault internal/statefile",
	"internal/demo":        "",
	"internal/sdnotify":    "",
	"internal/ownersocket": "",
	"internal/app": "internal/access internal/art internal/audio/decode internal/audio/output internal/audit " +
		"internal/backup " +
		"internal/catalog " +
		"internal/cataloghttp internal/demo internal/fault internal/httpkit internal/library " +
		"internal/library/s3 internal/lyrics/lrclib " +
		"internal/mpd internal/mpris internal/player internal/ownersocket internal/playerhttp " +
		"internal/scan internal/sdnotify internal/spool internal/statefile internal/stream internal/subsonic " +
		"internal/transcode client " +
		"api/catalogapi api/playerapi api/timestamp",
	"internal/cli": anything,
}

// anything is the entry of the command line, whose commands use every package. The programs in
// bench, e2e and packaging are not part of the product and may import anything.
const anything = "*"

func outsideProduct(pkg string) bool {
	for _, dir := range []string{"bench", "e2e", "packaging"} {
		if pkg == dir || strings.HasPrefix(pkg, dir+"/") {
			return true
		}
	}
	return false
}

// forTests reports whether a package exists for tests. Only tests and such packages may import it.
func forTests(pkg string) bool {
	switch pkg {
	case "internal/audio/audiotest", "internal/media/mediatest", "internal/audio/output/streamtest",
		"internal/statefile/faultdisk":
		return true
	}
	return pkg == "e2e/trust" || pkg == "internal/testenv" || strings.HasPrefix(pkg, "internal/testenv/")
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

func TestPackagesImportOnlyAllowedPackages(t *testing.T) {
	for _, line := range goList(t, `{{.ImportPath}} {{join .Imports " "}}`) {
		f := strings.Fields(line)
		pkg, _ := inModule(f[0])
		allowed, listed := arrows[pkg]
		if !listed && !outsideProduct(pkg) {
			t.Errorf("%q is not listed: add it to arrows and to ARCHITECTURE.md", pkg)
			continue
		}
		for _, imp := range f[1:] {
			dep, ours := inModule(imp)
			switch {
			case !ours:
			case dep == "internal/cli" && pkg != "":
				t.Errorf("%s must not import %s: only main does", pkg, dep)
			case dep == "internal/app" && pkg != "internal/cli" && !outsideProduct(pkg):
				t.Errorf("%s must not import %s: only cli does", pkg, dep)
			case forTests(dep) && !forTests(pkg):
				t.Errorf("%s must not import %s outside of tests", pkg, dep)
			case outsideProduct(pkg) || allowed == anything || slices.Contains(strings.Fields(allowed), dep):
			default:
				t.Errorf("%s must not import %s", pkg, dep)
			}
		}
	}
}

func TestEveryPackageHasAComment(t *testing.T) {
	for _, line := range goList(t, `{{.ImportPath}}	{{.Doc}}	{{len .GoFiles}}`) {
		f := strings.Split(line, "\t")
		if f[1] == "" && f[2] != "0" {
			t.Errorf("%s has no package comment", f[0])
		}
	}
}

// TestFilesStayUnder400Lines: a file that is longer usually holds more than one idea.
func TestFilesStayUnder400Lines(t *testing.T) {
	for _, line := range goList(t, `{{.Dir}}	{{join .GoFiles " "}}`) {
		dir, files, _ := strings.Cut(line, "\t")
		for _, file := range strings.Fields(files) {
			text, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			generated := strings.HasPrefix(string(text), "// Code generated")
			if n := strings.Count(string(text), "\n"); n > 400 && !generated {
				t.Errorf("%s has %d lines, want at most 400", filepath.Join(dir, file), n)
			}
		}
	}
}
