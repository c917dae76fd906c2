package words

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestSimpleTextIsFoldedAsAnyText(t *testing.T) {
	simple := 0
	check := func(t interface{ Fatalf(string, ...any) }, s string) {
		got, ok := foldSimple(s)
		if !ok {
			return
		}
		simple++
		if want := foldAny(s); got != want {
			t.Fatalf("foldSimple(%+q): got %+q, want %+q", s, got, want)
		}
	}
	for r := rune(0x80); r < 0x30000; r++ {
		check(t, string(r))
		check(t, "e"+string(r)+"x")
	}
	if simple < 80_000 {
		t.Errorf("got %d simple texts, want most letters of Latin, Greek, Cyrillic, kana, Han and Hangul", simple)
	}
	letters := rapid.OneOf(
		rapid.RuneFrom(nil, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hiragana, unicode.Katakana,
			unicode.Hangul, unicode.P), rapid.RuneFrom(nil, unicode.Mn), rapid.Rune())
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(letters).Draw(t, "text")
		check(t, s)
		got, want := Key(s), strings.Join(strings.Fields(foldAny(s)), " ")
		if got != want {
			t.Fatalf("Key(%+q): got %+q, want %+q", s, got, want)
		}
	})
}
