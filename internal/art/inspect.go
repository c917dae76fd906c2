package art

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // a format of covers
	_ "image/jpeg" // a format of covers
	_ "image/png"  // a format of covers

	_ "golang.org/x/image/webp" // a format of covers
)

const (
	// MaxBytes bounds the size of a picture file.
	MaxBytes = 24 << 20
	// maxMemory bounds the memory for decoding one picture, and for all concurrent decoding together.
	maxMemory = 60 << 20
	maxSide   = 16 << 10
)

// ErrNotPicture is wrapped by the errors for files that cannot be a cover.
var ErrNotPicture = errors.New("not a supported picture")

// Info describes a picture by its header.
type Info struct {
	Type          string // image/jpeg, image/png, image/gif or image/webp
	Width, Height int
	memory        int64 // upper bound for decoding
}

// Inspect reads the header of a picture, without decoding it. It refuses other formats (SVG and
// other documents included) and pictures that would take too much memory.
func Inspect(b []byte) (Info, error) {
	if len(b) > MaxBytes {
		return Info{}, fmt.Errorf("%w: %d bytes", ErrNotPicture, len(b))
	}
	cfg, kind, err := decodeConfig(b)
	if err != nil {
		return Info{}, fmt.Errorf("%w: %w", ErrNotPicture, err)
	}
	if cfg.Width < 1 || cfg.Height < 1 || cfg.Width > maxSide || cfg.Height > maxSide {
		return Info{}, fmt.Errorf("%w: %d × %d pixels", ErrNotPicture, cfg.Width, cfg.Height)
	}
	info := Info{Type: "image/" + kind, Width: cfg.Width, Height: cfg.Height}
	pixels := int64(cfg.Width) * int64(cfg.Height)
	switch kind {
	case "jpeg":
		info.memory = pixels * jpegBytesPerPixel(b)
	case "png":
		info.memory = pixels * 4
		if depth := b[24]; depth == 16 {
			info.memory *= 2
		}
		if interlaced := b[28]; interlaced == 1 {
			info.memory += info.memory / 2 // the last pass holds half of the pixels again
		}
	case "gif":
		info.memory = pixels * 2
	default:
		info.memory = pixels * 8
	}
	if info.memory > maxMemory {
		return Info{}, fmt.Errorf("%w: decoding %d × %d pixels needs %d MiB",
			ErrNotPicture, cfg.Width, cfg.Height, info.memory>>20)
	}
	return info, nil
}

// decodeConfig is image.DecodeConfig, with panics as errors.
func decodeConfig(b []byte) (cfg image.Config, kind string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("decoder panic: %v", r)
		}
	}()
	return image.DecodeConfig(bytes.NewReader(b))
}

// jpegBytesPerPixel estimates the memory from the frame header: a progressive picture holds all
// its coefficients, four bytes each, until its end. Without a frame header it returns the worst
// case.
func jpegBytesPerPixel(b []byte) int64 {
	const worst = 20
	for at := 2; at+4 <= len(b); {
		if b[at] != 0xff {
			return worst
		}
		marker := b[at+1]
		if marker == 0xff {
			at++
			continue
		}
		size := int(binary.BigEndian.Uint16(b[at+2:]))
		if marker >= 0xc0 && marker <= 0xc2 {
			return jpegFrameBytesPerPixel(b[at+4:min(at+2+max(size, 2), len(b))], marker == 0xc2)
		}
		at += 2 + max(size, 2)
	}
	return worst
}

// jpegFrameBytesPerPixel considers chroma subsampling: with colour at half the resolution, a pixel
// has one and a half samples.
func jpegFrameBytesPerPixel(frame []byte, progressive bool) int64 {
	components := 4
	if len(frame) >= 6 {
		components = min(int(frame[5]), 4)
	}
	samples, most := 0, 1
	for i := range components {
		if at := 6 + 3*i + 1; at < len(frame) {
			hv := int(frame[at]>>4) * int(frame[at]&15)
			samples += hv
			most = max(most, hv)
		}
	}
	halves := int64(2*max(samples, 1)+most-1) / int64(most) // samples per pixel, in halves, rounded up
	perSample := int64(1)
	if progressive {
		perSample = 5
	}
	return max((halves*perSample+1)/2, 1)
}
