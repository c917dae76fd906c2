package transcode

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"waxwing/internal/fault"
)

// Format is the format of a result.
type Format string

const (
	FLAC Format = "flac"
	WAV  Format = "wav"
	Opus Format = "opus" // in Ogg
	MP3  Format = "mp3"
)

// formats describes all formats.
var formats = map[Format]struct {
	contentType string
	extension   string
	lossy       bool
	bitRate     int // where none is requested
}{
	FLAC: {"audio/flac", ".flac", false, 0},
	WAV:  {"audio/wav", ".wav", false, 0},
	Opus: {"audio/ogg", ".opus", true, 128},
	MP3:  {"audio/mpeg", ".mp3", true, 192},
}

// ContentType returns the content type of the format.
func (f Format) ContentType() string { return formats[f].contentType }

// Extension returns how names of files in the format end, with a dot.
func (f Format) Extension() string { return formats[f].extension }

func (f Format) lossy() bool { return formats[f].lossy }

// bitRates are those that lossy formats have, in kbit/s. The list bounds the number of variants.
var bitRates = []int{32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}

// BitRates returns the bit rates that lossy formats can have, in kbit/s, in ascending order.
func BitRates() []int { return slices.Clone(bitRates) }

// The range of bit rates, in kbit/s.
const (
	MinBitRate = 32
	MaxBitRate = 320
)

// Variant is what is made of a file.
type Variant struct {
	Format Format
	// BitRate is the greatest number of kbit/s; 0: the default. FLAC and WAV ignore it.
	BitRate int
	// Offset is how much of the beginning is left out.
	Offset time.Duration
	// Limit restricts the samples of FLAC and WAV; the lossy formats are always within 48 kHz stereo.
	Limit Limit
}

// Limit is what a client can play. The zero value has no limits.
type Limit struct {
	Rate   int  // frames a second, one of Rates; 0: any
	Stereo bool // two channels at most
	Bits16 bool // 16 bits at most
}

// Rates are the values of Limit.Rate. The list bounds the number of variants.
var Rates = []int{32000, 44100, 48000, 88200, 96000, 176400, 192000}

// normal returns the one form of equal variants.
func (v Variant) normal() (Variant, error) {
	format, ok := formats[v.Format]
	switch {
	case !ok:
		return v, fault.New(fault.Invalid, "format must be flac, wav, opus or mp3")
	case v.BitRate < 0:
		return v, fault.New(fault.Invalid, "the bit rate must be 0 or more, in kbit/s")
	case v.Offset < 0:
		return v, fault.New(fault.Invalid, "the time offset must be 0 or more")
	case v.Limit.Rate != 0 && !slices.Contains(Rates, v.Limit.Rate):
		return v, fault.New(fault.Invalid, "the sample rate must be one of %v", Rates)
	}
	v.Offset = v.Offset.Round(time.Microsecond)
	if !format.lossy {
		v.BitRate = 0
		return v, nil
	}
	v.Limit = Limit{}
	i, found := slices.BinarySearch(bitRates, cmp.Or(v.BitRate, format.bitRate))
	if !found {
		i = max(i-1, 0)
	}
	v.BitRate = bitRates[i]
	return v, nil
}

// version is part of every name in the cache. Raise it when results change.
const version = 1

// cacheName returns the name of the result in the cache. It depends on the version of the file.
func (v Variant) cacheName(src Source) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\n%q\n%d\n%d\n%+v", version, src.Name, src.Size, src.ModTime.UnixNano(), v))
	return hex.EncodeToString(sum[:nameLength/2])
}
