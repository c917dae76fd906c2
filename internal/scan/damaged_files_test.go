package scan_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"waxwing/bench/genlib/library"
	"waxwing/internal/scan"
	"waxwing/internal/testenv"
)

func TestScanOfDamagedFilesCompletes(t *testing.T) {
	testenv.NeedsTool(t, "ffmpeg")
	files := testenv.Size(100, 5000, 5000)
	dir := t.TempDir()
	_, err := library.Generate(t.Context(), library.Config{
		Dir: dir, Files: 80, Seed: 3, Length: time.Second, Sounds: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	var originals []string
	err = filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() && filepath.Ext(path) != ".jpg" {
			originals = append(originals, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	rnd, fresh := rand.New(rand.NewPCG(5, 5)), rand.New(rand.NewPCG(testenv.Seed(t), 0))
	h := newFixture(t)
	for i := range files {
		if i == files/2 {
			rnd = fresh // inputs that differ in every run
		}
		whole, err := os.ReadFile(originals[i%len(originals)])
		if err != nil {
			t.Fatal(err)
		}
		b := bytes.Clone(whole)
		for range 1 + rnd.IntN(20) {
			b[rnd.IntN(min(len(b), 2000))] = byte(rnd.Uint32())
		}
		if rnd.IntN(4) == 0 {
			b = b[:rnd.IntN(len(b))]
		}
		testenv.FixChecksums(b, whole)
		h.write(fmt.Sprintf("%d/%d%s", i/40, i, filepath.Ext(originals[i%len(originals)])), b)
	}
	report := h.run(scan.Options{})
	problems, err := h.store.Problems(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if report.Added+report.Problems != files || report.Problems == 0 || report.Added == 0 {
		t.Errorf("got %+v, want %d songs and problems together, some of both", report, files)
	}
	if len(problems) != report.Problems {
		t.Errorf("the catalog has %d problems, want %d", len(problems), report.Problems)
	}
	// Row D2 of the trust table: damaged audio files.
	testenv.Report(
		t,
		testenv.DamagedFiles,
		testenv.Tally{Inputs: files, Note: fmt.Sprintf("scanned: %s; %d songs, %d problems",
			testenv.TriedOf(files, 5000, "files"), report.Added, report.Problems)},
	)
}
