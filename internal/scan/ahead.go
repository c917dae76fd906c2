package scan

import (
	"context"
	"iter"

	"waxwing/internal/catalog"
)

// ahead reads the known files while the folders are looked through: database and disk take about the same time.
type ahead struct {
	pieces chan piece
	now    piece
	cancel context.CancelFunc
}

// piece is some known files in their order, and what ended them.
type piece struct {
	files []catalog.KnownFile
	err   error
}

// readAhead starts reading. The caller ends it with stop.
func readAhead(ctx context.Context, known iter.Seq2[catalog.KnownFile, error]) *ahead {
	ctx, cancel := context.WithCancel(ctx)
	a := &ahead{pieces: make(chan piece, 4), cancel: cancel}
	go func() {
		defer close(a.pieces)
		const enough = 256
		send := func(p piece) bool {
			select {
			case a.pieces <- p:
				return true
			case <-ctx.Done():
				return false
			}
		}
		files := make([]catalog.KnownFile, 0, enough)
		for k, err := range known {
			if err != nil {
				send(piece{files, err})
				return
			}
			if files = append(files, k); len(files) == enough {
				if !send(piece{files: files}) {
					return
				}
				files = make([]catalog.KnownFile, 0, enough)
			}
		}
		send(piece{files: files})
	}()
	return a
}

// next returns the next known file, or nil after the last.
func (a *ahead) next() (*catalog.KnownFile, error) {
	for len(a.now.files) == 0 {
		if a.now.err != nil {
			return nil, a.now.err
		}
		p, ok := <-a.pieces
		if !ok {
			return nil, nil
		}
		a.now = p
	}
	k := &a.now.files[0]
	a.now.files = a.now.files[1:]
	return k, nil
}

// stop ends the reading and waits for it.
func (a *ahead) stop() {
	a.cancel()
	for range a.pieces {
	}
}
