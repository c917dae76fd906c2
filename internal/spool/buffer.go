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
	// block is the unit in which memory is allocated when the disk fails.
	block = 64 << 10
	// maxMemory limits the memory of one track.
	maxMemory = 256 << 20
)

// buffer stores fetched bytes in a temporary file or, if the disk is full or fails, in memory, so
// that playback continues.
type buffer struct {
	log  *slog.Logger
	file *os.File // nil: it could not be created

	mu     sync.RWMutex
	blocks map[int64][]byte // by number; they override the file's content
}

func newBuffer(dir string, log *slog.Logger) *buffer {
	b := &buffer{log: log, blocks: map[int64][]byte{}}
	file, err := os.CreateTemp(dir, "spool-*")
	if err != nil {
		b.logFallback(err)
		return b
	}
	b.file = file
	_ = os.Remove(file.Name()) // so that a crash leaves no file; on Windows close removes it
	return b
}

// logFallback logs, once a track, that memory is used.
func (b *buffer) logFallback(err error) {
	b.log.Warn("cannot write a track to the disk; buffering it in memory", "err", err)
}

// WriteAt implements io.WriterAt. One goroutine writes at a time.
func (b *buffer) WriteAt(p []byte, off int64) (n int, err error) {
	if b.file != nil && len(b.blocks) == 0 {
		if n, err = b.file.WriteAt(p, off); err == nil {
			return n, nil
		}
		b.logFallback(err)
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

// block returns a block in memory, at first with the file's content. The caller holds mu.
func (b *buffer) block(number int64) ([]byte, error) {
	if found := b.blocks[number]; found != nil {
		return found, nil
	}
	if len(b.blocks) >= maxMemory/block {
		return nil, fmt.Errorf("the disk is full and the track is larger than %d MB", maxMemory>>20)
	}
	created := make([]byte, block)
	if b.file != nil {
		if _, err := b.file.ReadAt(created, number*block); err != nil && err != io.EOF {
			return nil, err
		}
	}
	b.blocks[number] = created
	return created, nil
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
		if found := b.blocks[number]; found != nil {
			n += copy(part, found[within:])
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
