package scan

import (
	"context"
	"iter"

	"waxwing/internal/catalog"
)

// prefetcher reads the known files from the database during the walk, which takes about as long.
type prefetcher struct {
	batches chan fileBatch
	current fileBatch
	cancel  context.CancelFunc
}

// fileBatch is a run of known files, followed by err if it is not nil.
type fileBatch struct {
	files []catalog.KnownFile
	err   error
}

// prefetch starts reading known. The caller must call stop.
func prefetch(ctx context.Context, known iter.Seq2[catalog.KnownFile, error]) *prefetcher {
	ctx, cancel := context.WithCancel(ctx)
	p := &prefetcher{batches: make(chan fileBatch, 4), cancel: cancel}
	go func() {
		defer close(p.batches)
		const batchSize = 256
		send := func(b fileBatch) bool {
			select {
			case p.batches <- b:
				return true
			case <-ctx.Done():
				return false
			}
		}
		files := make([]catalog.KnownFile, 0, batchSize)
		for k, err := range known {
			if err != nil {
				send(fileBatch{files, err})
				return
			}
			if files = append(files, k); len(files) == batchSize {
				if !send(fileBatch{files: files}) {
					return
				}
				files = make([]catalog.KnownFile, 0, batchSize)
			}
		}
		send(fileBatch{files: files})
	}()
	return p
}

// next returns the next known file, or nil after the last.
func (p *prefetcher) next() (*catalog.KnownFile, error) {
	for len(p.current.files) == 0 {
		if p.current.err != nil {
			return nil, p.current.err
		}
		b, ok := <-p.batches
		if !ok {
			return nil, nil
		}
		p.current = b
	}
	k := &p.current.files[0]
	p.current.files = p.current.files[1:]
	return k, nil
}

// stop cancels the reading and waits for its goroutine.
func (p *prefetcher) stop() {
	p.cancel()
	for range p.batches {
	}
}
