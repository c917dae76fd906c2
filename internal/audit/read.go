package audit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
)

// maxLineBytes bounds what is read of a line that no log of ours wrote.
const maxLineBytes = 64 << 10

// Read returns the entries of a log, oldest first. Lines that a full disk cut in half are passed
// over. A log that was never written is empty.
func Read(path string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		whole := file{path: path}
		for age := rotatedFiles; age >= 0; age-- {
			f, err := os.Open(whole.rotated(age))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				yield(Entry{}, fmt.Errorf("read the audit log: %w", err))
				return
			}
			on := readLines(f, yield)
			_ = f.Close() // it was only read
			if !on {
				return
			}
		}
	}
}

func readLines(from io.Reader, yield func(Entry, error) bool) bool {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 0, 4096), maxLineBytes)
	for lines.Scan() {
		var e Entry
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Time.IsZero() {
			continue
		}
		if !yield(e, nil) {
			return false
		}
	}
	if err := lines.Err(); err != nil {
		return yield(Entry{}, fmt.Errorf("read the audit log: %w", err))
	}
	return true
}
