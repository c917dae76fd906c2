package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLicenceFilesMatchBuild(t *testing.T) {
	const repo = "../.."
	table, texts, err := pages(repo)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"docs/licences.md": table, "internal/cli/licences.txt": texts} {
		got, err := os.ReadFile(filepath.Join(repo, file))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s does not match the build: run make licences", file)
		}
	}
	if rows := strings.Count(table, "\n| "); rows < 30 {
		t.Errorf("only %d modules", rows)
	}
}

func TestUnknownLicenceIsError(t *testing.T) {
	for _, text := range []string{"All rights reserved.", "", "GNU GENERAL PUBLIC LICENSE Version 3"} {
		if names, err := recognise(text); err == nil {
			t.Errorf("%q is recognised as %v", text, names)
		}
	}
}
