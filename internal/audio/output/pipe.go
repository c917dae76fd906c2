package output

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"waxwing/internal/audio"
)

// pipeQueue is how much audio is queued for a slow reader; what does not fit is dropped.
const pipeQueue = time.Second

// pipe writes samples to stdout in real time.
type pipe struct {
	w io.Writer

	mu      sync.Mutex
	queue   []byte
	writing bool  // a goroutine is writing the queue
	err     error // set after a failed write
}

func newPipe(stdout *os.File) *pipe { return &pipe{w: withoutSIGPIPE(stdout)} }

// Rate implements audio.FixedRate.
func (*pipe) Rate() int { return fixedRate }

func (p *pipe) Open(_ context.Context, cfg audio.StreamConfig) (audio.Stream, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return nil, p.err
	}
	return newClocked(cfg, p.write), nil
}

func (*pipe) Devices(context.Context) ([]audio.Device, error) {
	return []audio.Device{{ID: "pipe", Name: "Raw samples on stdout"}}, nil
}

// write queues frames and does not block.
func (p *pipe) write(frames []float32) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return p.err
	}
	const most = int(pipeQueue/time.Millisecond) * fixedRate / 1000 * 4
	if len(p.queue)+2*len(frames) <= most {
		p.queue = int16LE(p.queue, frames)
	}
	if !p.writing {
		p.writing = true
		go p.drain()
	}
	return nil
}

// drain writes the queue and returns when it is empty. Only its goroutine waits for a slow reader.
func (p *pipe) drain() {
	var block []byte
	for {
		p.mu.Lock()
		block, p.queue = p.queue, block[:0]
		if len(block) == 0 {
			p.writing = false
			p.mu.Unlock()
			return
		}
		p.mu.Unlock()
		if _, err := p.w.Write(block); err != nil {
			p.mu.Lock()
			p.err, p.writing = fmt.Errorf("write samples to stdout: %w", err), false
			p.mu.Unlock()
			return
		}
	}
}
