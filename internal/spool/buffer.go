package spool

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
)

const (
	// block is how much memory is taken at once where the disk refuses.
	block = 64 << 10
	// maxMemory bounds what one track may take of it.
	maxMemory = 256 << 20
)

// buffer keeps the bytes that have arrived in a temporary file and, where the disk takes no more of
// them, in memory: a full disk is no reason for silence.
type buffer struct {
	log  *slog.Logger
	file *os.File // nil: the disk refused from the start

	mu     sync.RWMutex
	blocks map[int64][]byte // by number; they hide what the file has there
}

func newBuffer(dir string, log *slog.Logger) *buffer {
	b := &buffer{log: log, blocks: map[int64][]byte{}}
	file, err := os.CreateTemp(dir, "spool-*")
	if err != nil {
		b.complain(err)
		return b
	}
	b.file = file
	_ = os.Remove(file.Name()) // where the system allows it, the file is gone even after a crash; close removes it elsewhere
	return b
}

// complain says once a track that memory has to do.
func (b *buffer) complain(err error) {
	b.log.Warn("the disk takes no more of a track; it is buffered in memory", "err", err)
}

// WriteAt implements io.WriterAt. One goroutine writes at a time.
func (b *buffer) WriteAt(p []byte, off int64) (n int, err error) {
	if b.file != nil && len(b.blocks) == 0 {
		if n, err = b.file.WriteAt(p, off); err == nil {
			return n, nil
		}
		b.complain(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for n < len(p) {
		number, within := (off+int64(n))/block, (off+int64(n))%block
		room, err := b.block(number)
		if err != nil {
			return n, err
		}
		n += copy(room[within:], p[n:])
	}
	return n, nil
}

// block returns a block of memory, with what the file has of it. The caller holds mu.
func (b *buffer) block(number int64) ([]byte, error) {
	if kept := b.blocks[number]; kept != nil {
		return kept, nil
	}
	if len(b.blocks) >= maxMemory/block {
		return nil, fmt.Errorf("the disk is full and the track is larger than %d MB", maxMemory>>20)
	}
	fresh := make([]byte, block)
	if b.file != nil {
		if _, err := b.file.ReadAt(fresh, number*block); err != nil && err != io.EOF {
			return nil, err
		}
	}
	b.blocks[number] = fresh
	return fresh, nil
}

// ReadAt implements io.ReaderAt for bytes that were written.
func (b *buffer) ReadAt(p []byte, off int64) (n int, err error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if len(b.blocks) == 0 {
		return b.file.ReadAt(p, off)
	}
	for n < len(p) {
		number, within := (off+int64(n))/block, (off+int64(n))%block
		part := p[n:min(int64(len(p)), int64(n)+block-within)]
		if kept := b.blocks[number]; kept != nil {
			n += copy(part, kept[within:])
			continue
		}
		k, err := b.file.ReadAt(part, off+int64(n))
		if n += k; err != nil {
			return n, err
		}
	}
	return n, nil
}

func (b *buffer) close() error {
	if b.file == nil {
		return nil
	}
	err := b.file.Close()
	if rerr := os.Remove(b.file.Name()); !errors.Is(rerr, os.ErrNotExist) {
		err = errors.Join(err, rerr)
	}
	return err
}
