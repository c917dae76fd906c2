package spool

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"sync"
)

const (
	// block is the unit in which a buffer holds and drops bytes.
	block = 64 << 10
	// maxMemory limits the memory of one track when the disk fails.
	maxMemory = 64 << 20
)

// buffer holds blocks of a remote file in the slots of a temporary file or, if the disk is full or
// fails, in memory, so that playback continues. One goroutine writes and drops; others may read.
type buffer struct {
	log    *slog.Logger
	file   *os.File // nil: it could not be created
	failed bool     // a write failed: blocks from now on are in memory; used by the writer only

	mu     sync.RWMutex
	slots  map[int64]int64  // in the file, by number of the block
	free   []int64          // slots of dropped blocks
	blocks map[int64][]byte // in memory, by number; they override the file's content
}

func newBuffer(dir string, log *slog.Logger) *buffer {
	b := &buffer{log: log, slots: map[int64]int64{}, blocks: map[int64][]byte{}}
	file, err := os.CreateTemp(dir, "spool-*")
	if err != nil {
		b.fail(err)
		return b
	}
	b.file = file
	_ = os.Remove(file.Name()) // so that a crash leaves no file; on Windows close removes it
	return b
}

// fail makes the buffer use memory and logs that, once a track.
func (b *buffer) fail(err error) {
	b.failed = true
	b.log.Warn("cannot write a track to the disk; buffering it in memory", "err", err)
}

// capacity is how many of limit bytes the buffer can hold.
func (b *buffer) capacity(limit int64) int64 {
	if b.failed {
		return min(limit, maxMemory)
	}
	return limit
}

// full reports whether a block must be dropped before another one is written.
func (b *buffer) full(number, limit int64) bool {
	if b.blocks[number] != nil {
		return false
	}
	if b.failed {
		return int64(len(b.blocks)) >= b.capacity(limit)/block
	}
	_, held := b.slots[number]
	return !held && int64(len(b.slots)) >= limit/block
}

// farthest returns the block with the greatest distance from the span from..to. While the disk
// fails, only blocks in memory make room.
func (b *buffer) farthest(from, to int64) int64 {
	best, distance := int64(-1), int64(-1)
	consider := func(number int64) {
		if d := max(from-(number+1)*block, number*block-to, 0); d > distance {
			best, distance = number, d
		}
	}
	for number := range b.blocks {
		consider(number)
	}
	if !b.failed {
		for number := range b.slots {
			consider(number)
		}
	}
	return best
}

// drop forgets a block. It waits for reads that are under way.
func (b *buffer) drop(number int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.blocks, number)
	if slot, ok := b.slots[number]; ok {
		delete(b.slots, number)
		b.free = append(b.free, slot)
	}
}

// write writes p at off; both are within one block. Nobody reads these bytes meanwhile.
func (b *buffer) write(p []byte, off int64) error {
	number, within := off/block, off%block
	if memory := b.blocks[number]; memory != nil {
		copy(memory[within:], p)
		return nil
	}
	if !b.failed {
		_, err := b.file.WriteAt(p, b.slot(number)*block+within)
		if err == nil {
			return nil
		}
		b.fail(err)
	}
	memory := make([]byte, block)
	if slot, ok := b.slots[number]; ok { // what was written to it before
		if _, err := b.file.ReadAt(memory, slot*block); err != nil && err != io.EOF {
			return err
		}
	}
	copy(memory[within:], p)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.blocks[number] = memory
	return nil
}

// slot returns the slot of a block, or gives it one.
func (b *buffer) slot(number int64) int64 {
	if slot, ok := b.slots[number]; ok {
		return slot
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	slot := int64(len(b.slots)) // slots are used in order, so this one is free if none was dropped
	if n := len(b.free); n > 0 {
		slot, b.free = b.free[n-1], b.free[:n-1]
	}
	b.slots[number] = slot
	return slot
}

// read reads up to the end of a block from off on. The caller holds a read lock of mu, and the
// bytes are in the buffer.
func (b *buffer) read(p []byte, off int64) (int, error) {
	number, within := off/block, off%block
	p = p[:min(int64(len(p)), block-within)]
	if memory := b.blocks[number]; memory != nil {
		return copy(p, memory[within:]), nil
	}
	return b.file.ReadAt(p, b.slots[number]*block+within)
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
