package player

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"time"

	"waxwing/internal/statefile"
)

// record is the persistent state of a player. Tracks, Items and Order are large and rarely change:
// they are nil in a record that has the same ones as the record before, or those and Added.
type record struct {
	Added    *added        `json:"added,omitempty"`
	Tracks   *[]Track      `json:"tracks,omitempty"`
	Items    *[]Item       `json:"items,omitempty"` // older versions write none
	Order    *[]int        `json:"order,omitempty"`
	At       int           `json:"at"`
	Version  uint64        `json:"version"`   // of the queue
	LastItem int           `json:"last_item"` // the last id given to an item
	Position time.Duration `json:"position"`
	Play     string        `json:"play"` // key of the current listen, so that it counts once across restarts
	Stopped  bool          `json:"stopped"`
	Ended    bool          `json:"ended"`
	Shuffle  bool          `json:"shuffle"`
	Repeat   Repeat        `json:"repeat"`

	StopAfter Mode `json:"stop_after,omitempty"`
	Consume   Mode `json:"consume,omitempty"`

	Volume int    `json:"volume"`
	Muted  bool   `json:"muted"`
	Device string `json:"device"`
}

// added is what a record adds to the lists of the record before.
type added struct {
	Tracks []Track `json:"tracks"`
	Items  []Item  `json:"items"`
	Order  []int   `json:"order"`
}

// since returns the record with only the difference from written, which has the same memory if
// nothing but additions were made.
func (r record) since(written record) record {
	if written.Tracks == nil || written.Items == nil || written.Order == nil {
		return r
	}
	n := len(*written.Tracks)
	if extends(*r.Tracks, *written.Tracks) && extends(*r.Items, *written.Items) && extends(*r.Order, *written.Order) &&
		len(*r.Tracks) > n {
		r.Added = &added{(*r.Tracks)[n:], (*r.Items)[n:], (*r.Order)[n:]}
		r.Tracks, r.Items, r.Order = nil, nil, nil
		return r
	}
	if sameSlice(*r.Tracks, *written.Tracks) {
		r.Tracks = nil
	}
	if sameSlice(*r.Items, *written.Items) {
		r.Items = nil
	}
	if sameSlice(*r.Order, *written.Order) {
		r.Order = nil
	}
	return r
}

// completed returns the record with the lists of the state before where it has none of its own.
func (r *record) completed(state *record) *record {
	if state == nil {
		return r
	}
	if a := r.Added; a != nil {
		tracks, order := slices.Concat(*state.Tracks, a.Tracks), slices.Concat(*state.Order, a.Order)
		r.Tracks, r.Order, r.Added = &tracks, &order, nil
		if state.Items != nil {
			items := slices.Concat(*state.Items, a.Items)
			r.Items = &items
		}
		return r
	}
	if r.Tracks == nil {
		r.Tracks, r.Items = state.Tracks, cmp.Or(r.Items, state.Items)
	}
	r.Order = cmp.Or(r.Order, state.Order)
	return r
}

// valid checks a record that was read from disk.
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
	if _, err := ParseRepeat(string(r.Repeat)); err != nil || !validItems(r.Items, len(seen)) {
		return false
	}
	return r.At >= -1 && r.At < len(seen) && (r.At >= 0) == (len(seen) > 0) &&
		r.Volume >= 0 && r.Volume <= 100 && r.Position >= 0
}

// validItems checks the items of n tracks; nil stands for those of an older version.
func validItems(items *[]Item, n int) bool {
	if items == nil {
		return true
	}
	seen := make(map[int]bool, n)
	for _, item := range *items {
		if item.ID < 1 || seen[item.ID] || item.Priority < 0 || item.Priority > maxPriority {
			return false
		}
		seen[item.ID] = true
	}
	return len(*items) == n
}

// journal stores records in an append-only file, one line each: checksum, space, JSON.
//
// An append is one write, so a killed process loses nothing that it has acknowledged. A power cut
// may tear the last line; the checksum detects it, and the line before is the state. Without an
// open file (at the start and after any failure) the next append writes a new one.
type journal struct {
	disk statefile.Disk
	path string
	file statefile.File // nil: none
	size int64
}

// maxJournal is the size up to which a journal is read. Two records of the largest queue fit; a
// larger one was written by a version without limits and is replaced.
const maxJournal = 256 << 20

// compactAt is the size from which the journal is rewritten with its last record only.
const compactAt = 1 << 20

// openJournal reads the last valid record, if there is one. It writes nothing: the player must
// start on a full disk too.
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

// readJournal returns the last state in path, or nil if there is none.
func readJournal(path string) (*record, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // no journal yet is an ordinary first start
	}
	if err != nil {
		return nil, fmt.Errorf("read the player's journal: %w", err)
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || info.Size() > maxJournal {
		return nil, err
	}
	var state *record
	lines := bufio.NewReaderSize(f, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("read the player's journal: %w", err)
		}
		r, ok := parseLine(line)
		if !ok {
			return state.bounded(), nil // a torn or foreign line ends the journal
		}
		if r = r.completed(state); !r.valid() {
			return state.bounded(), nil
		}
		state = r
	}
}

// bounded returns the record with tracks within the limits, or nil if they cannot be.
func (r *record) bounded() *record {
	if r == nil {
		return nil
	}
	tracks := make([]Track, len(*r.Tracks))
	for i, t := range *r.Tracks {
		var ok bool
		if tracks[i], ok = t.Bounded(); !ok {
			return nil
		}
	}
	if fits(tracks) != nil {
		return nil
	}
	r.Tracks = &tracks
	r.restoreItems()
	return r
}

// versionStep is added to the version of the queue at each start: clients may have seen versions
// that were not saved before a crash, and must find every item changed.
const versionStep = 100

// restoreItems completes what records of older versions lack.
func (r *record) restoreItems() {
	if r.Items == nil {
		items := make([]Item, len(*r.Tracks))
		r.Items = &items
		for i := range items {
			items[i].ID = i + 1
		}
	}
	r.Version += versionStep
	for i := range *r.Items {
		item := &(*r.Items)[i]
		item.Version = r.Version
		r.LastItem = max(r.LastItem, item.ID)
	}
	for _, mode := range []*Mode{&r.StopAfter, &r.Consume} {
		if _, err := ParseMode(string(*mode)); err != nil {
			*mode = ModeOff
		}
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
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // six bytes for one
	if err := enc.Encode(r); err != nil {
		return nil, fmt.Errorf("encode the player's state: %w", err)
	}
	body := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	return fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(body), body), nil
}

// append writes the record r, or the result of whole as the first record of a new file.
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
		j.discardFile() // how much was written is unknown
		return fmt.Errorf("save the player's state: %w", err)
	}
	return nil
}

// discardFile closes the file. Its records stay valid until another file replaces it.
func (j *journal) discardFile() {
	if j.file != nil {
		_ = j.file.Close() // the next record goes to a new file in any case
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
	// A large queue has a large record: double the file before the next rewrite.
	j.file, j.size = f, min(int64(len(line)), compactAt/2)
	return nil
}

// sync flushes the file to the disk; after an error it discards the file.
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
