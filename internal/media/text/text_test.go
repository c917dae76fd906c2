package text_test

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"waxwing/internal/media/text"
	"waxwing/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"  spaced\tout\n":                       "spaced out",
		"a\x00b\x1b[31mc\x07":                   "ab[31mc",
		"e\u0301":                               "é",
		"Bj\xf6rk":                              "Björk",
		"Mot\xf6rhead \x96 Ace":                 "Motörhead – Ace",
		"\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0": "Привет мир",
		"\x83\x65\x83\x58\x83\x67\x82\xcc\x89\xb9\x8a\x79": "テストの音楽",
		"\xbe\xc6\xc0\xcc\xc0\xaf":                         "아이유",
		"\xd6\xdc\xbd\xdc\xc2\xd7\xb5\xc4\xb8\xe8":         "周杰伦的歌",
		"\u202eevil\u2066":                                 "evil",
		"\ufeffbom":                                        "bom",
	} {
		if got := text.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{
		"plain", "a\x1b[31mred", "\xcf\xf0\xe8\xe2\xe5\xf2", "\x83\x65\x83\x58\x83\x67", "e\u0301", "\u202eevil",
		string(bytes.Repeat([]byte("x\u0301"), 9000)),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var once string
		testenv.CheckCost(t, func() { once = text.Clean(s) })
		if !utf8.ValidString(once) {
			t.Fatalf("%q is not UTF-8", once)
		}
		if again := text.Clean(once); again != once {
			t.Fatalf("Clean(%q) = %q, want it unchanged", once, again)
		}
	})
}
