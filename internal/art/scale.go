package art

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
)

const jpegQuality = 88

// decode decodes a picture that Inspect has accepted, with panics as errors.
func decode(b []byte) (img image.Image, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: decoder panic: %v", ErrNotPicture, r)
		}
	}()
	if img, _, err = image.Decode(bytes.NewReader(b)); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotPicture, err)
	}
	return img, nil
}

// scaleDown fits img into a square of side pixels, by area averaging; it never enlarges. It
// converts one row of the original at a time, so that a large picture needs no second copy.
// Transparent pixels become white.
func scaleDown(img image.Image, side int) *image.RGBA {
	b := img.Bounds()
	w, h := fitInto(b.Dx(), b.Dy(), side)
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	columns := newSpans(b.Dx(), w)
	row := image.NewRGBA(image.Rect(0, 0, b.Dx(), 1))
	sums, line := make([]uint64, w*3), make([]uint32, w*3)
	rows := newSpans(b.Dy(), h)
	loaded := -1
	for y := range h {
		clear(sums)
		for _, s := range rows.of(y) {
			if s.at != loaded { // neighbouring rows of out may share it
				draw.Draw(row, row.Bounds(), image.White, image.Point{}, draw.Src)
				draw.Draw(row, row.Bounds(), img, image.Pt(b.Min.X, b.Min.Y+s.at), draw.Over)
				averageRow(row.Pix, columns, line)
				loaded = s.at
			}
			for i, v := range line {
				sums[i] += uint64(v) * uint64(s.weight)
			}
		}
		to := out.Pix[y*out.Stride:]
		for x := range w {
			for c := range 3 {
				to[x*4+c] = uint8((sums[x*3+c] + 1<<31) >> 32)
			}
			to[x*4+3] = 255
		}
	}
	return out
}

// averageRow scales one row of pixels into line, in 16.16 fixed point.
func averageRow(pix []uint8, columns spans, line []uint32) {
	for x := range len(line) / 3 {
		var r, g, b uint32
		for _, s := range columns.of(x) {
			p := pix[s.at*4 : s.at*4+3]
			r += uint32(p[0]) * s.weight
			g += uint32(p[1]) * s.weight
			b += uint32(p[2]) * s.weight
		}
		line[x*3], line[x*3+1], line[x*3+2] = r, g, b
	}
}

func fitInto(w, h, side int) (int, int) {
	if w <= side && h <= side {
		return w, h
	}
	if w >= h {
		return side, max(h*side/w, 1)
	}
	return max(w*side/h, 1), side
}

// span is the share of a source row or column in a target one, as a fraction of 65536.
type span struct {
	at     int
	weight uint32
}

// spans lists the source rows or columns of each target one. Their weights add up to 65536.
type spans struct {
	all   []span
	start []int
}

func newSpans(from, to int) spans {
	s := spans{start: make([]int, 0, to+1)}
	ratio := float64(from) / float64(to)
	for i := range to {
		s.start = append(s.start, len(s.all))
		lo, hi := float64(i)*ratio, float64(i+1)*ratio
		left := uint32(1 << 16)
		for at := int(lo); at < from && float64(at) < hi && left > 0; at++ {
			part := uint32((min(float64(at+1), hi)-max(float64(at), lo))/ratio*(1<<16) + 0.5)
			part = min(part, left)
			left -= part
			s.all = append(s.all, span{at, part})
		}
		s.all[len(s.all)-1].weight += left
	}
	s.start = append(s.start, len(s.all))
	return s
}

func (s spans) of(i int) []span { return s.all[s.start[i]:s.start[i+1]] }

func encodeJPEG(img image.Image) ([]byte, error) {
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: jpegQuality}); err != nil {
		return nil, fmt.Errorf("encode picture: %w", err)
	}
	return out.Bytes(), nil
}
