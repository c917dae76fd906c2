package art

import (
	"image"
	"math"
	"strings"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// face returns a font face of the given height in pixels. The fonts are embedded, so that parsing
// cannot fail.
func face(ttf []byte, px float64) font.Face {
	f, err := opentype.Parse(ttf)
	if err != nil {
		panic("art: an embedded font is damaged: " + err.Error())
	}
	out, err := opentype.NewFace(f, &opentype.FaceOptions{Size: px, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		panic("art: an embedded font is damaged: " + err.Error())
	}
	return out
}

func boldFace(px float64) font.Face    { return face(gobold.TTF, px) }
func regularFace(px float64) font.Face { return face(goregular.TTF, px) }

// hasGlyphs reports whether s is not empty and the font has a glyph for every character.
func hasGlyphs(f font.Face, s string) bool {
	for _, r := range s {
		if _, ok := f.GlyphAdvance(r); !ok {
			return false
		}
	}
	return s != ""
}

func write(dst *image.RGBA, f font.Face, x, baseline float64, col rgb, s string) {
	d := font.Drawer{
		Dst: dst, Src: image.NewUniform(col.color()), Face: f,
		Dot: fixed.Point26_6{X: fixed.Int26_6(x * 64), Y: fixed.Int26_6(baseline * 64)},
	}
	d.DrawString(s)
}

func widthOf(f font.Face, s string) float64 { return float64(font.MeasureString(f, s)) / 64 }

// truncate shortens s until it is no wider than width.
func truncate(f font.Face, s string, width float64) string {
	if widthOf(f, s) <= width {
		return s
	}
	runes := []rune(s)
	runes = runes[:min(len(runes), 200)]
	for len(runes) > 1 && widthOf(f, string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimSpace(string(runes)) + "…"
}

// initials returns the capital first letters of the first and the last word of a name, or only the
// first letter in scripts without capitals.
func initials(name string) string {
	words := strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '\''
	})
	if len(words) > 1 && strings.EqualFold(words[0], "the") {
		words = words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	first, last := firstLetter(words[0]), firstLetter(words[len(words)-1])
	for _, r := range first {
		if len(words) == 1 || hasOneInitial(r) {
			return first
		}
	}
	return first + last
}

// writeCentred writes s in the middle of the picture, centred by its visible pixels.
func writeCentred(dst *image.RGBA, f font.Face, col rgb, s string) {
	bounds, _ := font.BoundString(f, s)
	w, h := float64(bounds.Max.X-bounds.Min.X)/64, float64(bounds.Max.Y-bounds.Min.Y)/64
	px := float64(dst.Bounds().Dx())
	x, y := math.Round((px-w)/2-float64(bounds.Min.X)/64), math.Round((px-h)/2-float64(bounds.Min.Y)/64)
	write(dst, f, x, y, col, s)
}
