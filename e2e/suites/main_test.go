package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"waxwing/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// The suites themselves are compared by make suites. WAXWING_SUITES adds them to this test.
func TestFilesDecodeLikeTheReferences(t *testing.T) {
	references, err := installed()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	limits := map[string]outcome{
		"a.flac": exact, "a.wav": exact, "a.mp3": close, "a.ogg": close, "a.opus": close, "a.m4a": close, "a.wv": external,
		"a.txt.mp3": refused,
	}
	inputs, violations := 0, 0
	for name, want := range limits {
		path := filepath.Join(dir, name)
		if want == refused {
			err = os.WriteFile(path, []byte("no sound at all"), 0o600)
		} else {
			err = exec.Command("ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i",
				"sine=frequency=440:sample_rate=48000:duration=1", "-ac", "2", path).Run()
		}
		if err != nil {
			t.Fatalf("generate %s: %v", name, err)
		}
		inputs++
		got := compare(context.Background(), references, path)
		if got.outcome > want || got.outcome != want && want >= refused {
			violations++
			t.Errorf("%s: got %v (%s), want %v or better", name, got.outcome, got.why, want)
		}
	}
	if different := agreement(sound{codec: "mp3", channels: 1, samples: []float32{0, 0.5}},
		sound{samples: []float32{0, 0.4}}); different.outcome != wrong {
		t.Errorf("different samples: got %v, want wrong", different.outcome)
	}
	note := "files of our own making; make suites compares the public suites"
	if root := os.Getenv("WAXWING_SUITES"); root != "" {
		note = "public suites"
		suites, err := examine(context.Background(), references, root, "")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range suites {
			for _, n := range s.counts {
				inputs += n
			}
		}
	}
	testenv.Report(t, testenv.PublicSuites, testenv.Tally{Inputs: inputs, Violations: violations, Note: note})
}
