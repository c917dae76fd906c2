package app_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/app"
	"waxwing/internal/backup"
	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/statefile"
	"waxwing/internal/testenv"
)

var quiet = slog.New(slog.DiscardHandler)

// credentials are a token and a key of a data folder.
type credentials struct {
	dir                  app.DataDir
	token, key           string // secrets
	tokenID, keyID       string
	rotated, rotatedFrom string // secrets of another key, after a rotation and before it
}

func newCredentials(t *testing.T, dir app.DataDir) *credentials {
	t.Helper()
	c := &credentials{dir: dir}
	tokens := c.tokens(t)
	token, secret, err := tokens.Create(t.Context(), access.NewToken{Name: "phone", Permissions: access.Read})
	if err != nil {
		t.Fatal(err)
	}
	c.token, c.tokenID = secret, token.ID
	c.catalog(t, func(store *catalog.Store) {
		if _, err := store.EnsureUser(t.Context(), "Ann"); err != nil {
			t.Fatal(err)
		}
		for _, into := range []*string{&c.key, &c.rotatedFrom} {
			secret, hash := access.Mint(access.KeyPrefix)
			k, err := store.CreateKey(t.Context(), catalog.NewKey{Name: "site", Hash: hash.String(),
				Permissions: []string{"read"}})
			if err != nil {
				t.Fatal(err)
			}
			*into = secret
			if into == &c.key {
				c.keyID = k.ID
			} else {
				c.rotated = k.ID
			}
		}
	})
	return c
}

func (c *credentials) tokens(t *testing.T) *access.Store {
	t.Helper()
	tokens, err := access.Open(c.dir.File(app.TokensFile), quiet)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

func (c *credentials) catalog(t *testing.T, use func(*catalog.Store)) {
	t.Helper()
	store, err := c.dir.OpenCatalog(t.Context(), catalog.Config{Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	use(store)
}

// revoke revokes the token and the key, and rotates the other key.
func (c *credentials) revoke(t *testing.T) {
	t.Helper()
	_, err := c.tokens(t).Revoke(t.Context(), c.tokenID)
	c.catalog(t, func(store *catalog.Store) {
		_, hash := access.Mint(access.KeyPrefix)
		err = errors.Join(err, store.RevokeKey(t.Context(), c.keyID),
			store.RotateKey(t.Context(), c.rotated, hash.String(), nil))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// live lists the secrets that are accepted.
func (c *credentials) live(t *testing.T) (live []string) {
	t.Helper()
	if _, err := c.tokens(t).Check(c.token); err == nil {
		live = append(live, "token")
	}
	c.catalog(t, func(store *catalog.Store) {
		for name, secret := range map[string]string{"key": c.key, "rotated key": c.rotatedFrom} {
			if _, err := store.KeyByHash(t.Context(), access.HashOf(secret).String()); err == nil {
				live = append(live, name)
			} else if kind, _ := fault.Of(err); kind != fault.Unauthenticated {
				t.Fatal(err)
			}
		}
	})
	return live
}

func (c *credentials) backUp(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "backup.tar")
	c.catalog(t, func(store *catalog.Store) {
		if err := backup.Create(t.Context(), store, string(c.dir), file, app.BackupLayout()); err != nil {
			t.Fatal(err)
		}
	})
	return file
}

func (c *credentials) restore(t *testing.T, file string, revokeAll bool) app.Restored {
	t.Helper()
	r, err := c.dir.Restore(t.Context(), file, revokeAll, quiet)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRevokedCredentialsStayRevokedAfterARestore: also when the files that say so are damaged or
// missing, and after a restore of a backup from before the credentials existed.
func TestRevokedCredentialsStayRevokedAfterARestore(t *testing.T) {
	damage := func(c *credentials) {
		for _, name := range []string{app.CatalogFile, app.TokensFile} {
			if err := os.WriteFile(c.dir.File(name), []byte("damaged"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(c *credentials) {
		for _, name := range []string{app.CatalogFile, app.CatalogFile + "-wal", app.CatalogFile + "-shm", app.TokensFile} {
			if err := os.Remove(c.dir.File(name)); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
	violations := 0
	cases := map[string]func(c *credentials, empty string){
		"intact":              func(*credentials, string) {},
		"damaged":             func(c *credentials, _ string) { damage(c) },
		"removed":             func(c *credentials, _ string) { remove(c) },
		"older backup before": func(c *credentials, empty string) { c.restore(t, empty, false) },
		"copied by hand": func(c *credentials, _ string) {
			remove(c) // the copy is below
		},
	}
	for name, between := range cases {
		t.Run(name, func(t *testing.T) {
			dir := app.DataDir(t.TempDir())
			empty := (&credentials{dir: dir}).backUp(t)
			c := newCredentials(t, dir)
			if live := c.live(t); len(live) != 3 {
				t.Fatalf("%v are valid, want all three", live)
			}
			file := c.backUp(t)
			c.revoke(t)
			between(c, empty)
			if name == "copied by hand" {
				other := &credentials{dir: app.DataDir(t.TempDir())}
				other.restore(t, file, false)
				for _, name := range []string{app.CatalogFile, app.TokensFile} {
					text, err := os.ReadFile(other.dir.File(name))
					if err == nil {
						err = os.WriteFile(c.dir.File(name), text, 0o600)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
			} else if r := c.restore(t, file, false); len(r.Returned) != 0 {
				t.Errorf("reported as valid again: %v, want none", r.Returned)
			}
			if live := c.live(t); len(live) != 0 {
				violations++
				t.Errorf("%v are valid again, want none", live)
			}
		})
	}
	testenv.Report(t, testenv.Backups, testenv.Tally{Inputs: 3 * len(cases), Violations: violations,
		Note: "3 revoked or rotated credentials in each restore"})
}

// TestRestoreOnAnotherMachineReportsOrRevokesCredentials: that machine does not know what was
// revoked.
func TestRestoreOnAnotherMachineReportsOrRevokesCredentials(t *testing.T) {
	c := newCredentials(t, app.DataDir(t.TempDir()))
	file := c.backUp(t)
	c.revoke(t)
	other := *c
	other.dir = app.DataDir(t.TempDir())
	if r := other.restore(t, file, false); len(r.Returned) != 3 {
		t.Errorf("reported as valid: %q, want all three", r.Returned)
	}
	if live := other.live(t); len(live) != 3 {
		t.Errorf("%v are valid, want all three", live)
	}
	other.dir = app.DataDir(t.TempDir())
	if r := other.restore(t, file, true); len(r.Returned) != 0 {
		t.Errorf("reported as valid: %q, want none", r.Returned)
	}
	if live := other.live(t); len(live) != 0 {
		t.Errorf("%v are valid after --revoke-all, want none", live)
	}
}

// TestBackupsDuringWritesRestore creates backups while tokens, keys, the queue and pictures change.
// Every backup that Create reports as good is restored.
func TestBackupsDuringWritesRestore(t *testing.T) {
	dir := app.DataDir(t.TempDir())
	c := &credentials{dir: dir}
	songs := testenv.Size(2_000, 50_000, 1_000_000)
	kept := dir.File(app.CoversDir + "/kept")
	if err := os.MkdirAll(kept, 0o700); err != nil {
		t.Fatal(err)
	}
	tally := testenv.Tally{}
	c.catalog(t, func(store *catalog.Store) {
		if _, err := store.EnsureUser(t.Context(), "Ann"); err != nil {
			t.Fatal(err)
		}
		fill(t, store, songs)
		ctx, stop := context.WithCancel(t.Context())
		var writers sync.WaitGroup
		var writes atomic.Int64
		repeat := func(write func(n int) error) {
			writers.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					if err := write(n); err != nil && ctx.Err() == nil {
						t.Error(err)
						return
					}
					writes.Add(1)
				}
			})
		}
		tokens := c.tokens(t)
		repeat(func(n int) error {
			_, _, err := tokens.Create(ctx, access.NewToken{Name: fmt.Sprint("token ", n%10), Permissions: access.Read})
			return err
		})
		repeat(func(n int) error {
			_, hash := access.Mint(access.KeyPrefix)
			_, err := store.CreateKey(ctx, catalog.NewKey{Name: "key", Hash: hash.String(), Permissions: []string{"read"}})
			return err
		})
		repeat(func(n int) error { // of one size, so that no reader notices the replacement
			return statefile.Write(filepath.Join(kept, "avatar"), bytes.Repeat([]byte{byte(n)}, 200_000), 0o600)
		})
		repeat(func(n int) error { // comes and goes
			file := filepath.Join(kept, "passing")
			return errors.Join(os.WriteFile(file, []byte("x"), 0o600), os.Remove(file))
		})
		repeat(func(n int) error {
			return statefile.Write(dir.File(app.JournalFile), bytes.Repeat([]byte{byte(n)}, 1+n%50_000), 0o600)
		})
		for range testenv.Size(3, 20, 10) {
			file := filepath.Join(t.TempDir(), "backup.tar")
			if err := backup.Create(t.Context(), store, string(dir), file, app.BackupLayout()); err != nil {
				t.Fatal(err)
			}
			tally.Inputs++
			if _, err := backup.Verify(t.Context(), file, app.BackupLayout()); err != nil {
				tally.Violations++
				t.Errorf("a backup that was reported as good: %v", err)
				continue
			}
			restored := app.DataDir(t.TempDir())
			if _, err := restored.Restore(t.Context(), file, false, quiet); err != nil {
				tally.Violations++
				t.Errorf("restore a backup that was reported as good: %v", err)
			}
		}
		stop()
		writers.Wait()
		tally.Note = fmt.Sprintf("backups of %d songs during %d writes", songs, writes.Load())
	})
	testenv.Report(t, testenv.Backups, tally)
}

// fill adds songs to a catalog.
func fill(t *testing.T, store *catalog.Store, n int) {
	t.Helper()
	for done := 0; done < n; {
		batch := make([]catalog.ScannedSong, min(n-done, catalog.BatchLimit))
		for i := range batch {
			name := fmt.Sprintf("song %d", done+i)
			batch[i] = catalog.ScannedSong{
				File:  catalog.File{FileRef: catalog.FileRef{Root: "music", Path: name + ".flac"}, Size: 1, ModTime: time.Now()},
				Title: name, Artist: fmt.Sprintf("artist %d", (done+i)/20), Format: "flac", Duration: time.Minute,
			}
		}
		if _, err := store.IngestSongs(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		done += len(batch)
	}
}
