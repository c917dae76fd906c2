package decode

import (
	"encoding/binary"
	"fmt"
	"io"

	"waxwing/internal/audio"
)

// maxChunks bounds the walk through a RIFF or IFF file; real ones have a dozen.
const maxChunks = 1 << 12

// chunk is one part of a RIFF or IFF file: a name, and bytes start..start+size,
// of which the file may hold fewer.
type chunk struct {
	id          string
	start, size int64
}

// walkChunks calls visit for each chunk behind the 12 bytes of the file's head,
// until visit says that it has seen enough. A walk that meets the end of the file is
// not an error: what is missing then is for the caller to say.
func walkChunks(in audio.Input, order binary.ByteOrder, visit func(chunk) (done bool, err error)) error {
	at := int64(12)
	for range maxChunks {
		var head [8]byte
		if err := readFull(in, head[:], at); err != nil {
			return notEnd(err)
		}
		c := chunk{id: string(head[:4]), start: at + 8, size: int64(order.Uint32(head[4:]))}
		if done, err := visit(c); done || err != nil {
			return err
		}
		at = c.start + c.size
		if c.size&1 != 0 && !skipsPadding(in, at) {
			at++
		}
	}
	return nil
}

// skipsPadding tells whether the writer of a file forgot the byte that makes odd
// chunks even: then a name begins right here, and none a byte later.
func skipsPadding(in audio.Input, at int64) bool {
	var b [5]byte
	if err := readFull(in, b[:], at); err != nil {
		return false
	}
	return isChunkID(b[:4]) && !isChunkID(b[1:])
}

func isChunkID(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}

// readFull fills b from offset at, or returns io.ErrUnexpectedEOF when the file is shorter.
func readFull(in audio.Input, b []byte, at int64) error {
	if at < 0 || at > in.Size()-int64(len(b)) {
		return io.ErrUnexpectedEOF
	}
	n, err := in.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return fmt.Errorf("read the file: %w", err)
}

// notEnd drops the error that only says that a file has ended.
func notEnd(err error) error {
	if err == io.ErrUnexpectedEOF {
		return nil
	}
	return err
}
