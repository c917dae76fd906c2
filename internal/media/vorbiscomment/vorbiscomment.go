// Package vorbiscomment reads Vorbis comments, the tags of FLAC and Ogg files.
package vorbiscomment

import (
	"bytes"
	"encoding/binary"
	"errors"

	"waxwing/internal/media/window"
)

const (
	maxComments = 4096
	// maxValue is the number of bytes of a comment that are read. Only pictures are longer.
	maxValue = 8 << 10
)

// Block is the content of a comment block: a part of a file, or a packet that is spread over the
// pages of an Ogg stream.
type Block interface {
	Size() int64
	// At returns n bytes at off, valid until the next call.
	At(off int64, n int) ([]byte, error)
}

// Comment is one NAME=value pair. Its slices are valid until the next comment is read.
type Comment struct {
	Name  []byte
	Value []byte // at most the first 8 KiB
	Off   int64  // of the value in the block
	Size  int64  // of the whole value
}

// Each calls visit for each comment, behind the skip bytes that precede the list in an Ogg packet.
// A damaged list ends at the damage: the audio does not depend on it.
func Each(b Block, skip int64, visit func(Comment)) error {
	err := each(b, skip, visit)
	if errors.Is(err, window.ErrDamaged) {
		return nil
	}
	return err
}

func each(b Block, pos int64, visit func(Comment)) error {
	number := func() (int64, error) {
		data, err := b.At(pos, 4)
		if err != nil {
			return 0, err
		}
		pos += 4
		return int64(binary.LittleEndian.Uint32(data)), nil
	}
	vendor, err := number()
	if err != nil {
		return err
	}
	pos += vendor
	count, err := number()
	if err != nil {
		return err
	}
	for range min(count, maxComments) {
		size, err := number()
		if err != nil {
			return err
		}
		if size > b.Size()-pos {
			return window.Damaged("a comment extends past the end of its block")
		}
		data, err := b.At(pos, int(min(size, maxValue)))
		if err != nil {
			return err
		}
		if name, value, ok := bytes.Cut(data, []byte{'='}); ok {
			before := int64(len(name)) + 1
			visit(Comment{Name: name, Value: value, Off: pos + before, Size: size - before})
		}
		pos += size
	}
	return nil
}

// FileBlock is a block in one piece, the size bytes at off.
func FileBlock(w *window.Reader, off, size int64) Block { return fileBlock{w, off, size} }

type fileBlock struct {
	w         *window.Reader
	off, size int64
}

func (b fileBlock) Size() int64 { return b.size }

func (b fileBlock) At(off int64, n int) ([]byte, error) {
	if off < 0 || off > b.size-int64(n) {
		return nil, window.Damaged("a block of comments is cut off")
	}
	return b.w.At(b.off+off, n)
}
