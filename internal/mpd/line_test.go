package mpd

import (
	"slices"
	"strings"
	"testing"

	"waxwing/internal/testenv"
)

func TestLinesAreSplitAsInMPD(t *testing.T) {
	for line, want := range map[string][]string{
		`play`:                    {"play"},
		`play 1`:                  {"play", "1"},
		"find  artist\t\"a b\"  ": {"find", "artist", "a b"},
		`find "(a == \"b\\c\")"`:  {"find", `(a == "b\c")`},
		`add ""`:                  {"add", ""},
		`add ä/ö.flac`:            {"add", "ä/ö.flac"},
		`add "a\"b"`:              {"add", `a"b`},
	} {
		command, args, err := parseLine(line)
		if err != nil || !slices.Equal(append([]string{command}, args...), want) {
			t.Errorf("%s: got %q %q, %v; want %q", line, command, args, err, want)
		}
	}
	for _, line := range []string{`a"`, `a "x`, `a "x"y`, `a b'c`, `a "\`, "a b\x01", `a!`, "a " +
		strings.Repeat("x ", 600)} {
		if command, args, err := parseLine(line); err == nil {
			t.Errorf("%s: got %q %q, want an error", line, command, args)
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, seed := range []string{`find "(artist == 'x')" window 0:1`, `add "a\"b"`, `play`, `a "`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var command string
		var args []string
		testenv.CheckCost(t, func() { command, args, _ = parseLine(line) }) // an error has neither
		size := len(command)
		for _, arg := range args {
			size += len(arg)
		}
		if size > len(line) {
			t.Errorf("%q: got %d bytes of arguments, want at most %d", line, size, len(line))
		}
	})
}
