package faultdisk

import (
	"math/rand/v2"
	"os"

	"waxwing/internal/statefile"
)

// sector is the unit of an atomic write.
const sector = 512

// content is the content of a file, independent of its name.
type content struct {
	synced  []byte
	pending []write
	size    int64
}

type write struct {
	at   int64
	data []byte
	// doomed: a sync of it failed. The system may have dropped the pages and marked them clean, so
	// that no later sync writes them.
	doomed bool
}

// afterCut returns what a power cut leaves: the synced data, and any sectors of the rest.
func (c *content) afterCut(rnd *rand.Rand) []byte {
	out := append([]byte(nil), c.synced...)
	outcome := rnd.IntN(3) // all is lost, all is kept, or each sector at random
	for _, w := range c.pending {
		for from := 0; from < len(w.data); {
			to := min(len(w.data), from+sector-int((w.at+int64(from))%sector))
			if outcome == 1 || outcome == 2 && rnd.IntN(2) == 0 {
				out = put(out, w.at+int64(from), w.data[from:to])
			}
			from = to
		}
	}
	return out
}

// put writes data at an offset; a gap before it reads as zeros.
func put(out []byte, at int64, data []byte) []byte {
	if end := int(at) + len(data); end > len(out) {
		out = append(out, make([]byte, end-len(out))...)
	}
	copy(out[at:], data)
	return out
}

// file is an open file of a Disk.
type file struct {
	disk    *Disk
	real    statefile.File
	path    string
	content *content
}

// Write implements statefile.File. A failing write writes half of the data, as on a full disk.
func (f *file) Write(p []byte) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	failure := f.disk.check(Write)
	if f.disk.dead {
		return 0, ErrNoPower
	}
	if failure != nil {
		p = p[:len(p)/2]
	}
	n, err := f.real.Write(p)
	c := f.content
	c.pending = append(c.pending, write{at: max(c.size, int64(len(c.synced))), data: append([]byte(nil), p[:n]...)})
	c.size = max(c.size, int64(len(c.synced))) + int64(n)
	if err == nil && failure != nil {
		err = &os.PathError{Op: "write", Path: f.path, Err: failure}
	}
	return n, err
}

// Sync implements statefile.File. It does not sync the real file.
func (f *file) Sync() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	err := f.disk.check(Sync)
	if f.disk.dead {
		return ErrNoPower
	}
	c := f.content
	if err != nil {
		for i := range c.pending {
			c.pending[i].doomed = true
		}
		return &os.PathError{Op: "sync", Path: f.path, Err: err}
	}
	var doomed []write
	for _, w := range c.pending {
		if w.doomed {
			doomed = append(doomed, w)
			continue
		}
		c.synced = put(c.synced, w.at, w.data)
	}
	c.pending = doomed
	return nil
}

// Close implements statefile.File. It does not sync.
func (f *file) Close() error { return f.real.Close() }
