package backup_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strconv"
	"testing"

	"waxwing/internal/backup"
	"waxwing/internal/fault"
	"waxwing/internal/testenv"
)

// sparseSize is what the few kilobytes of a sparse archive claim to be.
const sparseSize = 3 << 30

// TestSparseArchivesWriteNothing: a sparse member of a few bytes stands for gigabytes of zeros.
func TestSparseArchivesWriteNothing(t *testing.T) {
	head := []byte(`{"format":1,"files":{"catalog.db":"x"}}`)
	archives := map[string][]byte{
		"GNU":     append(block("waxwing-backup.json", '0', head), oldSparse()...),
		"PAX 1.0": append(block("waxwing-backup.json", '0', head), paxSparse()...),
		"head":    oldSparse(),
	}
	for name, content := range archives {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			path := filepath.Join(t.TempDir(), "sparse.tar")
			write(t, path, string(append(content, make([]byte, 1024)...)))
			dir := t.TempDir()
			ran := make(chan error, 2)
			_, err := backup.Verify(t.Context(), path, layout)
			ran <- err
			_, _, err = backup.Restore(t.Context(), path, dir, layout, unchanged)
			ran <- err
			for range 2 {
				if err := <-ran; err == nil || kindOf(err) != fault.Invalid {
					t.Errorf("%v, want Invalid", err)
				}
			}
			if files := tree(t, dir); len(files) != 1 { // the lock
				t.Errorf("left behind: %v", files)
			}
		})
	}
	testenv.Report(t, testenv.Backups, testenv.Tally{Inputs: 2 * len(archives),
		Note: fmt.Sprintf("sparse archives of %d GB in %d bytes", sparseSize>>30, len(archives["GNU"]))})
}

// block is a member of a tar archive with a USTAR header that is filled by hand.
func block(name string, kind byte, content []byte, fill ...func(h []byte)) []byte {
	h := make([]byte, 512)
	copy(h, name)
	copy(h[100:], "0000600\x00")
	copy(h[124:], fmt.Sprintf("%011o\x00", len(content)))
	copy(h[136:], "00000000000\x00")
	h[156] = kind
	copy(h[257:], "ustar\x0000")
	for _, f := range fill {
		f(h)
	}
	copy(h[148:], "        ")
	sum := 0
	for _, b := range h {
		sum += int(b)
	}
	copy(h[148:], fmt.Sprintf("%06o\x00 ", sum))
	return append(h, pad(content)...)
}

func pad(b []byte) []byte { return append(bytes.Clone(b), make([]byte, (512-len(b)%512)%512)...) }

// oldSparse is a member in GNU's old sparse format: one byte at the end of 3 GB.
func oldSparse() []byte {
	return block("catalog.db", 'S', []byte("x"), func(h []byte) {
		copy(h[257:], "ustar  \x00")
		copy(h[386:], fmt.Sprintf("%011o\x00%011o\x00", sparseSize-1, 1))
		copy(h[483:], fmt.Sprintf("%011o\x00", sparseSize))
	})
}

// paxSparse is the same in the format of POSIX archives.
func paxSparse() []byte {
	record := func(key, value string) string {
		text := " " + key + "=" + value + "\n"
		n := len(text) + 1
		for len(strconv.Itoa(n))+len(text) != n {
			n++
		}
		return strconv.Itoa(n) + text
	}
	records := record("GNU.sparse.major", "1") + record("GNU.sparse.minor", "0") +
		record("GNU.sparse.name", "catalog.db") + record("GNU.sparse.realsize", strconv.Itoa(sparseSize))
	spans := pad(fmt.Appendf(nil, "1\n%d\n1\n", sparseSize-1))
	return append(block("x", 'x', []byte(records)), block("catalog.db", '0', append(spans, 'x'))...)
}
