// Package joined presents pieces of a file as one file: the packets of a container as the stream
// that they were cut from.
package joined

import (
	"io"
	"sort"
)

// File is the concatenation of a head in memory and pieces of another file. It implements
// io.ReaderAt.
type File struct {
	src    io.ReaderAt
	head   []byte
	prefix []byte // before each piece
	parts  []part
	size   int64
}

// part is one piece: its offset in the source, and in the result the offset of its prefix.
type part struct{ offset, start int64 }

// New returns a File of the head alone. Each piece that is appended gets the prefix.
func New(src io.ReaderAt, head, prefix []byte) *File {
	return &File{src: src, head: head, prefix: prefix, size: int64(len(head))}
}

// Append adds size bytes of the source at offset.
func (f *File) Append(offset, size int64) {
	f.parts = append(f.parts, part{offset, f.size})
	f.size += int64(len(f.prefix)) + size
}

// Size returns the length of the result.
func (f *File) Size() int64 { return f.size }

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(b []byte, at int64) (int, error) {
	if at < 0 || at >= f.size {
		return 0, io.EOF
	}
	n := 0
	if at < int64(len(f.head)) {
		n = copy(b, f.head[at:])
	}
	i := sort.Search(len(f.parts), func(i int) bool { return f.parts[i].start > at+int64(n) }) - 1
	for ; i < len(f.parts) && n < len(b); i++ {
		got, err := f.readPart(b[n:], i, at+int64(n))
		n += got
		if err != nil {
			return n, err
		}
	}
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

// readPart reads from part i, which holds the byte at the given offset, as much as fits.
func (f *File) readPart(b []byte, i int, at int64) (n int, err error) {
	end := f.size
	if i+1 < len(f.parts) {
		end = f.parts[i+1].start
	}
	p := f.parts[i]
	if in := at - p.start; in < int64(len(f.prefix)) {
		n = copy(b, f.prefix[in:])
	}
	from := at + int64(n)
	rest := b[n:min(int64(len(b)), int64(n)+end-from)]
	if len(rest) == 0 {
		return n, nil
	}
	got, err := f.src.ReadAt(rest, p.offset+from-p.start-int64(len(f.prefix)))
	if got == len(rest) {
		err = nil
	}
	return n + got, err
}
