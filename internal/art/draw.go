package art

import (
	"crypto/sha256"
	"encoding/binary"
	"image"
	"math/rand/v2"
	"strings"
)

// Draw draws the picture of a seed, px pixels wide and high. The same seed gives the same picture
// at every size.
//
// A seed has two parts, separated by a unit separator: "artist\x1fNAME" and "user\x1fNAME" give
// portraits, "ARTIST\x1fTITLE" gives the cover of an album.
func Draw(seed string, px int) *image.RGBA {
	px = min(max(px, 16), int(Largest))
	first, second, _ := strings.Cut(seed, "\x1f")
	sum := sha256.Sum256([]byte(seed))
	r := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
	p := palettes[r.IntN(len(palettes))]
	if first == "artist" || first == "user" {
		return portrait(second, px, p, r)
	}
	return cover(first, second, px, p, r)
}

// cover draws a painting that fills the square, or a framed one above the title.
func cover(artist, title string, px int, p palette, r *rand.Rand) *image.RGBA {
	paint := styles[r.IntN(len(styles))]
	framed := r.IntN(5) < 2
	noise := r.Uint64() | 1
	if !framed {
		c := newCanvas(px)
		paint(c, p, r)
		c.grain(noise, 0.028)
		return c.image()
	}
	const margin, strip = 0.06, 0.19
	size := 1 - 2*margin
	paper, ink := p.ground, p.ink
	if p.dark() {
		paper, ink = p.ink, p.ground
	}
	// The inner picture uses the memory of the whole, which is painted after it. This halves the
	// memory.
	whole := newCanvas(px)
	side := max(int(size*float64(px)+0.5), 1)
	inner := &canvas{px: side, pix: whole.pix[:side*side]}
	paint(inner, p, r)
	inner.grain(noise, 0.028)
	picture := inner.image()
	clear(whole.pix)
	whole.fill(paper, paper.scale(0.97), 0.25)
	whole.grain(noise, 0.014)
	out := whole.image()
	left, top := int(margin*float64(px)+0.5), int(margin*float64(px)+0.5)
	height := int((1 - strip - margin) * float64(px))
	cropTop := (inner.px - height) / 2
	for y := range min(height, inner.px) {
		row := picture.Pix[(cropTop+y)*picture.Stride:]
		copy(out.Pix[(top+y)*out.Stride+left*4:], row[:inner.px*4])
	}
	drawTitle(out, artist, title, margin, strip, ink, p.a)
	return out
}

// drawTitle writes title and artist below the picture. Of a title in another script it writes the
// initial.
func drawTitle(out *image.RGBA, artist, title string, margin, strip float64, ink, accent rgb) {
	n := float64(out.Bounds().Dx())
	bold, regular := boldFace(n*0.046), regularFace(n*0.034)
	width := (1 - 2*margin) * n
	baseline := (1 - strip + 0.068) * n
	if hasGlyphs(bold, title) {
		write(out, bold, margin*n, baseline, ink, truncate(bold, title, width))
		baseline += 0.052 * n
	} else if text := initials(title); text != "" {
		const size, below = 0.095, 0.075
		if f := initialFace(text, n*size); f != nil {
			write(out, f, margin*n, (1-below)*n, ink, text)
			return
		}
	}
	if hasGlyphs(regular, artist) {
		write(out, regular, margin*n, baseline, mixOKLab(ink, accent, 0.35), truncate(regular, artist, width))
	}
}

// portrait draws initials on a colour gradient, which also looks right when cropped to a circle.
func portrait(name string, px int, p palette, r *rand.Rand) *image.RGBA {
	c := newCanvas(px)
	cols := p.colours()
	k := r.IntN(3)
	c.fill(cols[k].scale(0.9), mixOKLab(cols[k], cols[(k+1)%3], 0.45), r.Float64())
	c.glow(uniform(r, 0.1, 0.9), uniform(r, 0, 0.4), 0.7, cols[(k+1)%3], 0.6)
	c.glow(uniform(r, 0.1, 0.9), uniform(r, 0.8, 1.1), 0.5, cols[(k+2)%3], 0.35)
	cx, cy := uniform(r, 0.25, 0.75), uniform(r, 0.75, 1.05)
	for i := range 3 {
		c.disc(cx, cy, 0.62-0.17*float64(i), p.ink, 0.07)
	}
	c.grain(r.Uint64()|1, 0.02)
	mean := rgb{}
	for _, v := range c.pix {
		mean.r, mean.g, mean.b = mean.r+v.r, mean.g+v.g, mean.b+v.b
	}
	out := c.image()
	light, dark := web(0xfffaf0), web(0x1a1620)
	ink := light
	if mean.scale(1/float64(len(c.pix))).luma() > 0.62 {
		ink = dark
	}
	text := initials(name)
	if f := initialFace(text, float64(px)*0.36); f != nil {
		writeCentred(out, f, ink, text)
	}
	return out
}
