package access

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"waxwing/internal/statefile"
)

// RevokedFile is the name of the list of revoked credentials, beside the tokens.
const RevokedFile = "revoked.jsonl"

// Revocations is a list of the hashes of credentials that were revoked: tokens and keys, and
// secrets that a rotation replaced. It is only appended to and is in no backup, so that a
// credential stays revoked after an older state was restored.
type Revocations struct {
	Disk statefile.Disk // nil: the system's
	Path string
}

// RevocationsIn returns the list of a data folder.
func RevocationsIn(dir string) Revocations { return Revocations{Path: filepath.Join(dir, RevokedFile)} }

// revocation is a line of the list.
type revocation struct {
	Hash      Hash      `json:"hash"`
	RevokedAt time.Time `json:"revoked_at"`
}

// Read returns the time of revocation of each hash. Without a file there are none. A line that a
// power cut has torn is skipped.
func (r Revocations) Read() (map[Hash]time.Time, error) {
	text, err := os.ReadFile(r.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the list of revoked credentials: %w", err)
	}
	list := map[Hash]time.Time{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var one revocation
		if json.Unmarshal(lines.Bytes(), &one) == nil {
			list[one.Hash] = one.RevokedAt
		}
	}
	return list, nil
}

// Add appends the hashes that the list lacks. When it returns nil, they are on disk.
func (r Revocations) Add(revoked map[Hash]time.Time) (err error) {
	if len(revoked) == 0 {
		return nil
	}
	known, err := r.Read()
	if err != nil {
		return err
	}
	var lines bytes.Buffer
	for hash, at := range revoked {
		if _, ok := known[hash]; ok {
			continue
		}
		line, err := json.Marshal(revocation{hash, at.UTC().Truncate(time.Millisecond)})
		if err != nil {
			return fmt.Errorf("encode a revocation: %w", err)
		}
		lines.WriteByte('\n') // first, so that the torn line of a power cut spoils no other
		lines.Write(line)
		lines.WriteByte('\n')
	}
	if lines.Len() == 0 {
		return nil
	}
	return r.append(lines.Bytes())
}

func (r Revocations) append(text []byte) error {
	disk := r.Disk
	if disk == nil {
		disk = statefile.System
	}
	f, err := disk.Append(r.Path)
	created := errors.Is(err, fs.ErrNotExist)
	if created {
		f, err = disk.Create(r.Path, 0o600)
	}
	if err != nil {
		return fmt.Errorf("extend the list of revoked credentials: %w", err)
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil && created {
		err = disk.SyncDir(filepath.Dir(r.Path))
	}
	if err != nil {
		return fmt.Errorf("extend the list of revoked credentials: %w", err)
	}
	return nil
}

// apply revokes the tokens of d that are in the list.
func (d *document) apply(list map[Hash]time.Time) {
	for i := range d.Tokens {
		t := &d.Tokens[i]
		if at, ok := list[t.Hash]; ok && t.RevokedAt.IsZero() {
			t.RevokedAt = at
		}
	}
}

// revoked returns the revoked tokens of d for the list.
func (d *document) revoked() map[Hash]time.Time {
	list := map[Hash]time.Time{}
	for _, t := range d.Tokens {
		if !t.RevokedAt.IsZero() {
			list[t.Hash] = t.RevokedAt
		}
	}
	return list
}
