package output

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"

	"waxwing/internal/audio"
	"waxwing/internal/fault"
)

// file writes what is played to a WAV file. All streams of a process go to the same file.
type file struct {
	path string

	mu   sync.Mutex
	f    *os.File
	size int64 // bytes of samples
	raw  []byte
}

// newFile truncates the file. It does not overwrite a file that is not a WAV file, such as the song
// that was to be played.
func newFile(path string) (*file, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "cannot write audio to %s", path)
	}
	var magic [4]byte
	if _, err := io.ReadFull(f, magic[:]); !errors.Is(err, io.EOF) && string(magic[:]) != "RIFF" &&
		string(magic[:]) != "RF64" {
		_ = f.Close()
		return nil, fault.New(fault.Invalid, "%s exists and is not a WAV file: choose another name, or remove it", path)
	}
	out := &file{path: path, f: f}
	if err := errors.Join(f.Truncate(0), out.header()); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("create %s: %w", path, err)
	}
	return out, nil
}

// Rate implements audio.FixedRate.
func (*file) Rate() int { return fixedRate }

func (f *file) Open(_ context.Context, cfg audio.StreamConfig) (audio.Stream, error) {
	if cfg.Rate != fixedRate {
		return nil, fmt.Errorf("open %s at %d Hz: it has %d", f.path, cfg.Rate, fixedRate)
	}
	return newClocked(cfg, f.write), nil
}

func (f *file) Devices(context.Context) ([]audio.Device, error) {
	return []audio.Device{{ID: "file", Name: f.path}}, nil
}

// Close closes the file. The file is complete after every write, so a missing Close loses nothing.
func (f *file) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.f.Close()
}

// write appends samples and then updates the header, so that the file is valid even if the process
// is killed.
func (f *file) write(frames []float32) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.raw = f.raw[:0]
	for _, v := range frames {
		f.raw = binary.LittleEndian.AppendUint32(f.raw, math.Float32bits(v))
	}
	if _, err := f.f.WriteAt(f.raw, wavHeaderSize+f.size); err != nil {
		return fmt.Errorf("write audio to %s: %w", f.path, err)
	}
	f.size += int64(len(f.raw))
	return f.header()
}

func (f *file) header() error {
	if _, err := f.f.WriteAt(wavHeader(f.size), 0); err != nil {
		return fmt.Errorf("write the header of %s: %w", f.path, err)
	}
	return nil
}

// wavHeaderSize includes room for the 64-bit sizes of a file over 4 GiB (three hours).
const wavHeaderSize = 12 + 8 + 28 + 8 + 18 + 8 + 4 + 8

// wavHeader describes size bytes of stereo float samples. It is plain WAV, with a filler chunk,
// while the sizes fit into 32 bits, and RF64 above.
func wavHeader(size int64) []byte {
	le := binary.LittleEndian
	riff, filler, short := "RIFF", "JUNK", uint32(size)
	whole := uint32(size + wavHeaderSize - 8)
	if size+wavHeaderSize-8 > math.MaxUint32 {
		riff, filler, short, whole = "RF64", "ds64", math.MaxUint32, math.MaxUint32
	}
	h := make([]byte, 0, wavHeaderSize)
	h = append(le.AppendUint32(append(h, riff...), whole), "WAVE"...)

	h = le.AppendUint32(append(h, filler...), 28)
	h = le.AppendUint64(h, uint64(size+wavHeaderSize-8))
	h = le.AppendUint64(h, uint64(size))
	h = le.AppendUint64(h, uint64(size/8))
	h = le.AppendUint32(h, 0)

	const float, channels, frame = 3, 2, 8
	h = le.AppendUint32(append(h, "fmt "...), 18)
	h = le.AppendUint16(h, float)
	h = le.AppendUint16(h, channels)
	h = le.AppendUint32(h, fixedRate)
	h = le.AppendUint32(h, fixedRate*frame)
	h = le.AppendUint16(h, frame)
	h = le.AppendUint16(h, 32)
	h = le.AppendUint16(h, 0)

	h = le.AppendUint32(append(h, "fact"...), 4)
	h = le.AppendUint32(h, uint32(min(size/8, math.MaxUint32)))
	return le.AppendUint32(append(h, "data"...), short)
}
