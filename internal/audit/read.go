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

// maxLineBytes bounds the memory for a line that this package did not write.
const maxLineBytes = 64 << 10

// Read returns the entries of the log at path, its credential events and the rotated files of
// both, oldest first. It skips torn lines. A missing log is empty.
func Read(path string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		nextCredential, stop := iter.Pull2(readFiles(credentialsPath(path)))
		defer stop()
		event, err, more := nextCredential()
		for e, requestErr := range readFiles(path) {
			for more && (err != nil || requestErr == nil && event.Time.Before(e.Time)) {
				if !yield(event, err) {
					return
				}
				event, err, more = nextCredential()
			}
			if !yield(e, requestErr) {
				return
			}
		}
		for ; more; event, err, more = nextCredential() {
			if !yield(event, err) {
				return
			}
		}
	}
}

// readFiles returns the entries of one log and its rotated files, oldest first.
func readFiles(path string) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		log := file{path: path}
		for age := rotatedFiles; age >= 0; age-- {
			f, err := os.Open(log.rotated(age))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				yield(Entry{}, fmt.Errorf("read the audit log: %w", err))
				return
			}
			more := readLines(f, yield)
			_ = f.Close() // nothing was written
			if !more {
				return
			}
		}
	}
}

func readLines(r io.Reader, yield func(Entry, error) bool) bool {
	lines := bufio.NewScanner(r)
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
