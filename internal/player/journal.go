package player

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"

	"waxwing/internal/statefile"
)

// record is what outlives the process: everything but the sound. The list of
// tracks is large and rarely changes, so it is left out (nil) of a record that has the same one as the record before.
type record struct {
	Tracks   *[]Track      `json:"tracks,omitempty"`
	Order    *[]int        `json:"order,omitempty"`
	At       int           `json:"at"`
	Position time.Duration `json:"position"`
	Play     string        `json:"play"` // names the current listening, so that it counts once over any restarts
	Ended    bool          `json:"ended"`
	Shuffle  bool          `json:"shuffle"`
	Repeat   Repeat        `json:"repeat"`
	Volume   int           `json:"volume"`
	Muted    bool          `json:"muted"`
	Device   string        `json:"device"`
}

// valid reports whether a record read from disk can be played from.
func (r *record) valid() bool {
	if r.Tracks == nil || r.Order == nil || len(*r.Tracks) != len(*r.Order) || len(*r.Tracks) > maxQueue {
		return false
	}
	seen := make([]bool, len(*r.Order))
	for _, i := range *r.Order {
		if i < 0 || i >= len(seen) || seen[i] {
			return false
		}
		seen[i] = true
	}
	if _, err := ParseRepeat(string(r.Repeat)); err != nil {
		return false
	}
	return r.At >= -1 && r.At < len(seen) && (r.At >= 0) == (len(seen) > 0) &&
		r.Volume >= 0 && r.Volume <= 100 && r.Position >= 0
}

// journal keeps records in an append-only file, one line each: checksum, space, JSON.
//
// An append reaches the kernel in one write, so a killed process loses nothing it has
// acknowledged; a power cut may tear the last line, which the checksum shows, and the line before it counts.
// Without an open file, at the start and after any failure, the next append begins a new one.
type journal struct {
	disk statefile.Disk
	path string
	file statefile.File // nil: none
	size int64
}

// compactAt is the size from which the journal is rewritten with its last record alone.
const compactAt = 1 << 20

// openJournal reads the last good record, if there is one. It writes nothing: a disk that is full at the
// start must not keep the music from playing.
func openJournal(disk statefile.Disk, path string) (*journal, *record, error) {
	last, err := readJournal(path)
	if err == nil {
		err = statefile.Sweep(path)
	}
	if err != nil {
		return nil, nil, err
	}
	return &journal{disk: disk, path: path}, last, nil
}

// readJournal returns the state that the lines of path add up to, or nil when there is none.
func readJournal(path string) (*record, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // no journal yet is an ordinary first start
	}
	if err != nil {
		return nil, fmt.Errorf("read the player's journal: %w", err)
	}
	defer func() { _ = f.Close() }()
	var state *record
	lines := bufio.NewReaderSize(f, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("read the player's journal: %w", err)
		}
		r, ok := parseLine(line)
		if !ok {
			return state, nil // a torn or foreign line: what stands before it counts
		}
		if state != nil {
			if r.Tracks == nil {
				r.Tracks = state.Tracks
			}
			if r.Order == nil {
				r.Order = state.Order
			}
		}
		if !r.valid() {
			return state, nil
		}
		state = r
	}
}

func parseLine(line []byte) (*record, bool) {
	sum, body, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" "))
	if !ok || !bytes.HasSuffix(line, []byte("\n")) {
		return nil, false
	}
	want, err := strconv.ParseUint(string(sum), 16, 32)
	if err != nil || uint32(want) != crc32.ChecksumIEEE(body) {
		return nil, false
	}
	var r record
	if json.Unmarshal(body, &r) != nil {
		return nil, false
	}
	return &r, true
}

func formatLine(r record) ([]byte, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode the player's state: %w", err)
	}
	return fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(body), body), nil
}

// append writes one record: r, or what whole returns where a new file begins.
func (j *journal) append(r record, whole func() record) error {
	if j.file == nil || j.size > compactAt {
		return j.compact(whole())
	}
	line, err := formatLine(r)
	if err != nil {
		return err
	}
	n, err := j.file.Write(line)
	j.size += int64(n)
	if err != nil {
		j.discardFile() // its end is unknown
		return fmt.Errorf("save the player's state: %w", err)
	}
	return nil
}

// discardFile lets go of the file; what it holds counts until another takes its place.
func (j *journal) discardFile() {
	if j.file != nil {
		_ = j.file.Close() // whatever it says, the next record goes elsewhere
		j.file = nil
	}
}

// compact replaces the file by one with a single record, atomically and durably.
func (j *journal) compact(r record) error {
	line, err := formatLine(r)
	if err != nil {
		return err
	}
	j.discardFile()
	if err := statefile.Replace(j.disk, j.path, line, 0o600); err != nil {
		return fmt.Errorf("save the player's state: %w", err)
	}
	f, err := j.disk.Append(j.path)
	if err != nil {
		return fmt.Errorf("save the player's state: %w", err)
	}
	// A large queue makes a large record: grow by as much again before the next rewrite.
	j.file, j.size = f, min(int64(len(line)), compactAt/2)
	return nil
}

// sync makes what was appended survive a power cut; after an error the file is given up.
func (j *journal) sync() error {
	if j.file == nil {
		return nil
	}
	if err := j.file.Sync(); err != nil {
		j.discardFile()
		return fmt.Errorf("save the player's state: %w", err)
	}
	return nil
}
