package faultdisk

import (
	"math/rand/v2"
	"os"

	"waxwing/internal/statefile"
)

// sector is the most that a disk writes at once.
const sector = 512

// content is what a file holds, under whatever names.
type content struct {
	synced  []byte
	pending []write
	size    int64
}

type write struct {
	at   int64
	data []byte
	// doomed: a sync of it failed. The system may then have thrown it away while it calls it
	// clean, so that no later sync brings it to the disk.
	doomed bool
}

// afterCut is what a power cut leaves: what was synced, and of the rest any sectors or none.
func (c *content) afterCut(rnd *rand.Rand) []byte {
	out := append([]byte(nil), c.synced...)
	mood := rnd.IntN(3) // all is lost, all is kept, or each sector by itself
	for _, w := range c.pending {
		for from := 0; from < len(w.data); {
			to := min(len(w.data), from+sector-int((w.at+int64(from))%sector))
			if mood == 1 || mood == 2 && rnd.IntN(2) == 0 {
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

// Write implements statefile.File. A refused write leaves half of the data, as a disk that fills up does.
func (f *file) Write(p []byte) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	refused := f.disk.admit(Write)
	if f.disk.dead {
		return 0, ErrNoPower
	}
	if refused != nil {
		p = p[:len(p)/2]
	}
	n, err := f.real.Write(p)
	c := f.content
	c.pending = append(c.pending, write{at: max(c.size, int64(len(c.synced))), data: append([]byte(nil), p[:n]...)})
	c.size = max(c.size, int64(len(c.synced))) + int64(n)
	if err == nil && refused != nil {
		err = &os.PathError{Op: "write", Path: f.path, Err: refused}
	}
	return n, err
}

// Sync implements statefile.File. The real file is not synced: nobody takes the power from the test itself.
func (f *file) Sync() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	err := f.disk.admit(Sync)
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

// Close implements statefile.File. It syncs nothing.
func (f *file) Close() error { return f.real.Close() }
