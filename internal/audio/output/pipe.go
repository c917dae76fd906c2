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

// pipeQueue is how much sound waits for a slow reader; what does not fit is lost to it,
// as it would be to somebody who left the room.
const pipeQueue = time.Second

// pipe writes samples to whatever reads our stdout, in real time.
type pipe struct {
	w io.Writer

	mu      sync.Mutex
	queue   []byte
	writing bool  // a goroutine is emptying the queue
	err     error // why writing is over
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

// write queues frames and never waits for the reader.
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

// drain writes the queue and ends when it is empty. A reader that has stopped
// keeps it waiting, and nobody else.
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
