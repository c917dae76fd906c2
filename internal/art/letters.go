package art

import (
	"embed"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font"
)

// The letters of scripts that the Go fonts lack: parts of Noto Sans, one file for each script, one
// for Chinese, Japanese and Korean. They draw initials: whole words of many of these scripts need
// shaping.
//
//go:embed letters
var letterFiles embed.FS

// letterFile returns the file with the letters of the script of r; "" if there is none.
func letterFile(r rune) string {
	for name, table := range unicode.Scripts {
		if !unicode.Is(table, r) {
			continue
		}
		switch name {
		case "Han", "Hiragana", "Katakana", "Hangul", "Bopomofo":
			return "letters/CJK.otf"
		}
		return "letters/" + name + ".ttf"
	}
	return ""
}

// initialFace returns a face with all letters of s, which are of one script; nil if none has them.
func initialFace(s string, px float64) font.Face {
	if f := boldFace(px); hasGlyphs(f, s) {
		return f
	}
	first, _ := utf8.DecodeRuneInString(s)
	ttf, err := letterFiles.ReadFile(letterFile(first))
	if err != nil {
		return nil
	}
	if f := face(ttf, px); hasGlyphs(f, s) {
		return f
	}
	return nil
}

// hasOneInitial reports whether a name that begins with r has one initial: two letters beside each
// other would be joined, or read as a word.
func hasOneInitial(r rune) bool {
	return !unicode.IsUpper(unicode.ToUpper(r)) && unicode.IsLetter(r)
}

// firstLetter returns the first letter of a word. A vowel that Thai and Lao write before its
// consonant is not one.
func firstLetter(word string) string {
	for _, r := range word {
		if r >= 0x0E40 && r <= 0x0E44 || r >= 0x0EC0 && r <= 0x0EC4 {
			continue
		}
		return strings.ToUpper(string(r))
	}
	return ""
}
