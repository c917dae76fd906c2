//go:build darwin || windows

package output

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/ebitengine/oto/v3"

	"waxwing/internal/audio"
)

// system plays through the operating system's own sound API. It can be opened once in a process and
// has one rate, so all streams share it.
type system struct {
	mu  sync.Mutex
	ctx *oto.Context
}

func newCard() (audio.Output, error) { return &system{}, nil }

func cardPresent() bool { return true }

// Rate implements audio.FixedRate.
func (*system) Rate() int { return fixedRate }

func (*system) Devices(context.Context) ([]audio.Device, error) {
	return []audio.Device{{ID: "system", Name: "System sound"}}, nil
}

func (s *system) Open(ctx context.Context, cfg audio.StreamConfig) (audio.Stream, error) {
	if cfg.Rate != fixedRate {
		return nil, fmt.Errorf("open the system's sound at %d Hz: it has %d", cfg.Rate, fixedRate)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx == nil {
		c, ready, err := oto.NewContext(&oto.NewContextOptions{
			SampleRate: fixedRate, ChannelCount: 2, Format: oto.FormatFloat32LE,
			BufferSize: cardBuffer / 4, ApplicationName: "Waxwing",
		})
		if err != nil {
			return nil, fmt.Errorf("open the system's sound: %w", err)
		}
		s.ctx = c
		select {
		case <-ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if err := s.ctx.Err(); err != nil {
		return nil, fmt.Errorf("open the system's sound: %w", err)
	}
	d := &otoDevice{ctx: s.ctx}
	d.player = s.ctx.NewPlayer(d)
	d.player.SetBufferSize(otoBuffer * otoFrame)
	return newCardStream(cfg, d), nil
}

const (
	otoFrame  = 8
	otoBuffer = int(cardBuffer / 4 * fixedRate / 1e9) // frames that the library buffers
	otoQueue  = int(cardBuffer * fixedRate / 1e9)     // maximum number of frames in queue
)

// otoDevice is a player of the library, which reads samples from it on its own goroutine.
type otoDevice struct {
	ctx    *oto.Context
	player *oto.Player

	mu    sync.Mutex
	queue []byte
}

// Read implements io.Reader for the library.
func (d *otoDevice) Read(dst []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := copy(dst, d.queue[:len(d.queue)/otoFrame*otoFrame])
	d.queue = append(d.queue[:0], d.queue[n:]...)
	return n, nil
}

func (d *otoDevice) write(frames []float32) (int, error) {
	d.mu.Lock()
	n := min(len(frames)/2, otoQueue-len(d.queue)/otoFrame)
	for _, v := range frames[:2*n] {
		d.queue = binary.LittleEndian.AppendUint32(d.queue, math.Float32bits(v))
	}
	d.mu.Unlock()
	if n > 0 && !d.player.IsPlaying() {
		d.player.Play()
	}
	return n, d.err()
}

func (d *otoDevice) delay() (int, error) {
	d.mu.Lock()
	waiting := len(d.queue)
	d.mu.Unlock()
	return (waiting + d.player.BufferedSize()) / otoFrame, d.err()
}

func (d *otoDevice) drop() error {
	d.player.Reset() // waits for a Read under way, so d.mu must be free
	d.mu.Lock()
	d.queue = d.queue[:0]
	d.mu.Unlock()
	return d.err()
}

func (d *otoDevice) err() error {
	if err := d.ctx.Err(); err != nil {
		return fmt.Errorf("the system's sound: %w", err)
	}
	return d.player.Err()
}

func (d *otoDevice) close() { d.player.Reset() }
