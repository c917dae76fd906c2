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

// maxStaleness bounds how long Check may miss a change by another process.
const maxStaleness = 200 * time.Millisecond

// Store stores the tokens of the control API in one JSON file. Several processes may share the
// file: every change reads and rewrites it under a file lock, and a running server notices the
// changes of others. Check reads from memory and stats the file a few times a second.
type Store struct {
	disk    statefile.Disk
	path    string
	revoked Revocations // in the same folder
	log     *slog.Logger

	view     atomic.Pointer[view] // what Check reads; replaced, never modified
	lastStat atomic.Int64         // Unix nanoseconds

	loading  sync.Mutex // one goroutine at a time replaces view
	contexts tokenContexts
	uses     uses
	unsaved  unsaved
}

// view is a snapshot of the file.
type view struct {
	info   fs.FileInfo // nil when there is no file
	byHash map[Hash]*Token
	byID   map[string]*Token

	byFingerprint map[string]Hash
}

// document is the JSON content of the file.
type document struct {
	Tokens []Token `json:"tokens"`
}

// Open reads the tokens at path. A missing file holds none.
func Open(path string, log *slog.Logger) (*Store, error) {
	return OpenOn(statefile.System, path, log)
}

// OpenOn is Open with a disk that tests can make fail.
func OpenOn(disk statefile.Disk, path string, log *slog.Logger) (*Store, error) {
	s := &Store{
		disk: disk, path: path, log: log,
		revoked: Revocations{Disk: disk, Path: filepath.Join(filepath.Dir(path), RevokedFile)},
	}
	s.contexts.open = make(map[string]cancellable)
	s.contexts.used = make(map[string]int)
	s.contexts.added = make(chan struct{}, 1)
	s.uses.wake = make(chan struct{}, 1)
	s.unsaved.added = make(chan struct{}, 1)
	if err := s.load(); err != nil {
		return nil, err
	}
	return s, nil
}

// Check returns the live token with that secret, or an Unauthenticated fault. With the fault it
// also returns a revoked or expired token, for the audit log.
func (s *Store) Check(secret string) (Token, error) {
	if !Check(TokenPrefix, secret) {
		return Token{}, fault.New(fault.Unauthenticated, "this is not a valid access token")
	}
	now := time.Now()
	hash := HashOf(secret)
	t, ok := s.currentView(now).byHash[hash]
	switch {
	case !ok || !t.Hash.Equal(hash):
		return Token{}, fault.New(fault.Unauthenticated,
			"this access token is unknown; create one with: waxwing token create")
	case !t.RevokedAt.IsZero():
		return *t, fault.New(fault.Unauthenticated, "this access token was revoked")
	case !t.Live(now):
		return *t, fault.New(fault.Unauthenticated, "this access token has expired")
	}
	s.uses.record(t.ID, now)
	return *t, nil
}

// HasOrigin reports whether a live token allows that web origin.
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

// Create creates a token. The secret is returned here only; the file stores its hash.
func (s *Store) Create(ctx context.Context, n NewToken) (t Token, secret string, err error) {
	if n, err = n.normalized(); err != nil {
		return Token{}, "", err
	}
	secret, hash := Mint(TokenPrefix)
	now := time.Now().UTC().Truncate(time.Millisecond)
	t = Token{
		ID: "to_" + randomBase62(10), Name: n.Name, Permissions: n.Permissions, Origin: n.Origin,
		Hash: hash, CreatedAt: now, ExpiresAt: n.ExpiresAt.UTC(), IdleSeconds: int(n.Idle / time.Second),
	}
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

// find returns the token with that id, or the only live token with that name.
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
	return nil, fault.New(fault.Conflict, "%d tokens are named %q; use an id", len(named), idOrName)
}

// change applies edit to the content of the file and replaces the file, under the file lock.
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
	s.unsaved.apply(&d)
	list, err := s.revoked.Read()
	if err != nil {
		return cannotWrite(err)
	}
	d.apply(list)
	if err := s.revoked.Add(d.revoked()); err != nil {
		return cannotWrite(err)
	}
	data, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return fmt.Errorf("encode tokens: %w", err)
	}
	if err := statefile.Replace(s.disk, s.path, append(data, '\n'), 0o600); err != nil {
		return cannotWrite(err)
	}
	s.unsaved.saved(d)
	return s.load()
}

func cannotWrite(err error) error {
	return fault.Wrap(fault.Unavailable, err, "cannot change the tokens; check the disk of the data folder")
}

// currentView returns the view. If the last stat is older than maxStaleness, it first reloads a
// file that has changed.
func (s *Store) currentView(now time.Time) *view {
	last := s.lastStat.Load()
	if now.UnixNano()-last > int64(maxStaleness) && s.lastStat.CompareAndSwap(last, now.UnixNano()) {
		s.refresh()
	}
	return s.view.Load()
}

// refresh reloads the file if it has changed. If the file cannot be read, the last view stays, so
// that a damaged file does not end all access.
func (s *Store) refresh() {
	info, err := os.Stat(s.path)
	if err == nil && sameFile(info, s.view.Load().info) {
		return
	}
	if err := s.load(); err != nil {
		s.log.Warn("cannot read the token file; the tokens read before stay valid", "err", err)
	}
}

func sameFile(a, b fs.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// load replaces the view by the content of the file and cancels the contexts of tokens that are no
// longer live.
func (s *Store) load() error {
	s.loading.Lock()
	defer s.loading.Unlock()
	d, info, err := read(s.path)
	if err != nil {
		return fmt.Errorf("read tokens: %w", err)
	}
	list, err := s.revoked.Read()
	if err != nil {
		return err
	}
	v := &view{
		info:   info,
		byHash: make(map[Hash]*Token, len(d.Tokens)), byID: make(map[string]*Token, len(d.Tokens)),
		byFingerprint: make(map[string]Hash, len(d.Tokens)),
	}
	s.unsaved.apply(&d)
	d.apply(list)
	for i := range d.Tokens {
		t := &d.Tokens[i]
		v.byHash[t.Hash], v.byID[t.ID] = t, t
		v.byFingerprint[t.Hash.Fingerprint()] = t.Hash
	}
	s.view.Store(v)
	s.contexts.cancelInvalid(v, time.Now())
	return nil
}

// read returns the content of the file, and its FileInfo, by which refresh recognises a change.
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
