package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	maxColumns        = 120
	maxCommentColumns = 100
)

var (
	comment = regexp.MustCompile(`^\s*(//|/\*|\*\s)`)
	// Struct tags and tables of numbers are not broken.
	unbreakable = regexp.MustCompile("`.*help:\".*`$|^[\\s\\dxa-fA-F,.{}+-]+$")
	// Words of the code base's former private language; CONTRIBUTING.md has the glossary.
	word = regexp.MustCompile(`(?i)(?:^|[^A-Za-z])(proofs?|prove[sdn]?|proving|faces?|steer(?:s|ed|ing)?|away|` +
		`house[sd]?|whence|outdo(?:es|ne)?|farewell)(?:[^a-z]|$)`)
	wordInName = regexp.MustCompile(`[a-z](?:Proof|Face|Steer|Away|House|Whence|Outdo|Farewell)(?:[^a-z]|$)`)
)

// literal lists uses of these words that are meant literally: text on a line, by the file's prefix.
var literal = map[string][]string{
	"":                {"font-face", "FontFace", "typeface", "House"}, // House is a genre
	"CONTRIBUTING.md": {"|"},                                          // the glossary
	"internal/art/":   {"Face", "font face", "face("},                 // of a font
	"composer/":       {""},                                           // a module of its own about instruments and covers
}

// TestStyle limits the columns of code and comments, and keeps words of the glossary out.
func TestStyle(t *testing.T) {
	out, err := exec.Command("git", "ls-files", "*.go", "*.js", "*.mjs", "*.css", "*.html", "*.md", "*.yaml",
		"Makefile", "scripts", ".ci").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		if path == "CHANGELOG.md" || path == "style_test.go" || strings.Contains(path, "testdata/") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(string(text), "// Code generated") {
			continue
		}
		number := 0
		for line := range strings.Lines(string(text)) {
			number++
			if problem := checkLine(path, strings.TrimRight(line, "\n")); problem != "" {
				t.Errorf("%s:%d: %s", path, number, problem)
			}
		}
	}
}

// mayContainWord is a fast check before the regular expressions.
func mayContainWord(line string) bool {
	line = strings.ToLower(line)
	for _, stem := range []string{"proof", "prov", "face", "steer", "away", "house", "whence", "outdo", "farewell"} {
		if strings.Contains(line, stem) {
			return true
		}
	}
	return false
}

// checkLine returns what is wrong with a line, or "".
func checkLine(path, line string) string {
	switch filepath.Ext(path) {
	case ".go", ".js", ".mjs", ".css":
		columns := utf8.RuneCountInString(line)
		if columns > maxColumns && !unbreakable.MatchString(line) {
			return fmt.Sprintf("%d columns, want at most %d", columns, maxColumns)
		}
		if columns > maxCommentColumns && comment.MatchString(line) && !strings.Contains(line, "://") {
			return fmt.Sprintf("a comment of %d columns, want at most %d", columns, maxCommentColumns)
		}
	}
	if !mayContainWord(line) || !word.MatchString(line) && !wordInName.MatchString(line) {
		return ""
	}
	for prefix, texts := range literal {
		for _, text := range texts {
			if strings.HasPrefix(path, prefix) && strings.Contains(line, text) {
				return ""
			}
		}
	}
	return "a word that CONTRIBUTING.md replaces: " + strings.TrimSpace(line)
}

func TestStyleFindsLongLinesAndOldWords(t *testing.T) {
	for line, found := range map[string]bool{
		"// " + strings.Repeat("x", 97):            false,
		"// " + strings.Repeat("x", 98):            true,
		"// https://" + strings.Repeat("x", 100):   false,
		"\tcall(" + strings.Repeat("x", 115) + ")": true,
		"// the catalog is away":                   true,
		"func isAway() bool":                       true,
		"runs in the main thread, always":          false,
		"case \"House\":":                          false,
	} {
		if got := checkLine("x.go", line); (got != "") != found {
			t.Errorf("%q: got %q, want a finding: %v", line, got, found)
		}
	}
}
