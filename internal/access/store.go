package access

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"waxwing/internal/fault"
	"waxwing/internal/statefile"
)

// maxStaleness bounds how long a change made by another process can go unseen by Check.
const maxStaleness = 200 * time.Millisecond

// Store keeps the tokens of the control API in one JSON file. Any number of processes may
// use the same file: every change is read, made and written under a file lock, and a
// running server notices the changes of others. Check never waits for the disk but to
// look at the file's date a few times a second.
type Store struct {
	disk statefile.Disk
	path string
	log  *slog.Logger

	view     atomic.Pointer[view] // what Check reads; replaced, never modified
	lastStat atomic.Int64         // unix nanoseconds of the last look at the file

	loading  sync.Mutex // one goroutine at a time replaces view
	contexts tokenContexts
	uses     uses
}

// view is the content of the file at one moment.
type view struct {
	info   fs.FileInfo // nil when there is no file
	byHash map[Hash]*Token
	byID   map[string]*Token
}

// document is the file.
type document struct {
	Tokens []Token `json:"tokens"`
}

// Open reads the tokens at path. A file that does not exist holds none.
func Open(path string, log *slog.Logger) (*Store, error) {
	return OpenOn(statefile.System, path, log)
}

// OpenOn is Open on a disk of the caller's choice.
func OpenOn(disk statefile.Disk, path string, log *slog.Logger) (*Store, error) {
	s := &Store{disk: disk, path: path, log: log}
	s.contexts.open = make(map[string]cancellable)
	s.contexts.added = make(chan struct{}, 1)
	s.uses.wake = make(chan struct{}, 1)
	if err := s.load(); err != nil {
		return nil, err
	}
	return s, nil
}

// Check returns the live token that secret belongs to, or an Unauthenticated fault. With the
// fault comes the token if it once was one, so that its use can be recorded.
func (s *Store) Check(secret string) (Token, error) {
	if !Check(TokenPrefix, secret) {
		return Token{}, fault.New(fault.Unauthenticated, "this is not a valid access token")
	}
	now := time.Now()
	hash := HashOf(secret)
	t, ok := s.currentView(now).byHash[hash]
	switch {
	case !ok || !t.Hash.Equal(hash):
		return Token{}, fault.New(fault.Unauthenticated, "this access token is unknown; make one with: waxwing token create")
	case !t.RevokedAt.IsZero():
		return *t, fault.New(fault.Unauthenticated, "this access token was revoked")
	case !t.Live(now):
		return *t, fault.New(fault.Unauthenticated, "this access token has expired")
	}
	s.uses.record(t.ID, now)
	return *t, nil
}

// HasOrigin reports whether some live token was made for that web origin.
func (s *Store) HasOrigin(origin string) bool {
	now := time.Now()
	for _, t := range s.currentView(now).byID {
		if t.Origin == origin && origin != "" && t.Live(now) {
			return true
		}
	}
	return false
}

// List returns every token, oldest first, revoked and expired ones included.
func (s *Store) List() ([]Token, error) {
	if err := s.load(); err != nil {
		return nil, err
	}
	v := s.view.Load()
	list := make([]Token, 0, len(v.byID))
	for _, t := range v.byID {
		listed := *t
		if used := s.uses.last(t.ID); used.After(listed.LastUsedAt) {
			listed.LastUsedAt = used
		}
		list = append(list, listed)
	}
	slices.SortFunc(list, func(a, b Token) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return list, nil
}

// Create makes a token. The secret is returned this once and kept nowhere.
func (s *Store) Create(ctx context.Context, n NewToken) (t Token, secret string, err error) {
	if n, err = n.normalized(); err != nil {
		return Token{}, "", err
	}
	secret, hash := Mint(TokenPrefix)
	now := time.Now().UTC().Truncate(time.Millisecond)
	t = Token{ID: "to_" + randomBase62(10), Name: n.Name, Permissions: n.Permissions, Origin: n.Origin, Hash: hash, CreatedAt: now}
	if n.Lifetime > 0 {
		t.ExpiresAt = now.Add(n.Lifetime)
	}
	err = s.change(ctx, func(d *document) error {
		d.Tokens = append(d.Tokens, t)
		return nil
	})
	if err != nil {
		return Token{}, "", err
	}
	return t, secret, nil
}

// Revoke ends the token with that id, or with that name if only one live token bears it.
// Revoking twice changes nothing. When it returns, this process refuses the token; every
// other process does so within a second.
func (s *Store) Revoke(ctx context.Context, idOrName string) (Token, error) {
	var revoked Token
	err := s.change(ctx, func(d *document) error {
		t, err := d.find(idOrName)
		if err != nil {
			return err
		}
		if t.RevokedAt.IsZero() {
			t.RevokedAt = time.Now().UTC().Truncate(time.Millisecond)
		}
		revoked = *t
		return nil
	})
	return revoked, err
}

// find returns the token in d that a person means by an id or a name.
func (d *document) find(idOrName string) (*Token, error) {
	var named []*Token
	now := time.Now()
	for i := range d.Tokens {
		t := &d.Tokens[i]
		if t.ID == idOrName {
			return t, nil
		}
		if t.Name == idOrName && t.Live(now) {
			named = append(named, t)
		}
	}
	switch len(named) {
	case 0:
		return nil, fault.New(fault.NotFound, "there is no token %q", idOrName)
	case 1:
		return named[0], nil
	}
	return nil, fault.New(fault.Conflict, "%d tokens are named %q; name one by its id", len(named), idOrName)
}

// change applies edit to the newest content of the file and replaces the file, all under
// the lock that every process takes.
func (s *Store) change(ctx context.Context, edit func(*document) error) error {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return cannotWrite(err)
	}
	lock := flock.New(s.path+".lock", flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		return cannotWrite(err)
	}
	defer lock.Close()
	if err := statefile.Sweep(s.path); err != nil {
		return cannotWrite(err)
	}

	d, _, err := read(s.path)
	if err != nil {
		return cannotWrite(err)
	}
	if err := edit(&d); err != nil {
		return err
	}
	data, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fmt.Errorf("encode tokens: %w", err)
	}
	if err := statefile.Replace(s.disk, s.path, append(data, '\n'), 0o600); err != nil {
		return cannotWrite(err)
	}
	return s.load()
}

func cannotWrite(err error) error {
	return fault.Wrap(fault.Unavailable, err, "the tokens cannot be changed now; the disk refuses it")
}

// fresh returns the view, reading the file anew if it changed and the last look is old enough.
func (s *Store) currentView(now time.Time) *view {
	last := s.lastStat.Load()
	if now.UnixNano()-last > int64(maxStaleness) && s.lastStat.CompareAndSwap(last, now.UnixNano()) {
		s.refresh()
	}
	return s.view.Load()
}

// refresh reads the file if it is not the one of the view. A file that cannot be read
// leaves the last good view in place, since losing every credential helps nobody.
func (s *Store) refresh() {
	info, err := os.Stat(s.path)
	if err == nil && sameFile(info, s.view.Load().info) {
		return
	}
	if err := s.load(); err != nil {
		s.log.Warn("the token file cannot be read; the tokens known so far stay valid", "err", err)
	}
}

func sameFile(a, b fs.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// load replaces the view by the content of the file and ends the lives of the tokens that died with it.
func (s *Store) load() error {
	s.loading.Lock()
	defer s.loading.Unlock()
	d, info, err := read(s.path)
	if err != nil {
		return fmt.Errorf("read tokens: %w", err)
	}
	v := &view{info: info, byHash: make(map[Hash]*Token, len(d.Tokens)), byID: make(map[string]*Token, len(d.Tokens))}
	for i := range d.Tokens {
		t := &d.Tokens[i]
		v.byHash[t.Hash], v.byID[t.ID] = t, t
	}
	s.view.Store(v)
	s.contexts.cancelInvalid(v, time.Now())
	return nil
}

// read returns the content of the file and the identity of what was read.
func read(path string) (d document, info fs.FileInfo, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return document{}, nil, nil
	}
	if err != nil {
		return document{}, nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return document{}, nil, err
	}
	if err := json.NewDecoder(f).Decode(&d); err != nil {
		return document{}, nil, fmt.Errorf("%s is damaged: %w", filepath.Base(path), err)
	}
	return d, info, nil
}
