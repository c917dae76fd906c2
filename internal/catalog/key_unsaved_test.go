package catalog_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/testenv"
)

// A server refuses a revoked key although the database cannot be written, and saves that later.
func TestRevocationTakesEffectOnAFullDisk(t *testing.T) {
	file := t.TempDir() + "/catalog.db"
	s := open(t, catalog.Config{DB: file, Serves: true})
	createUser(t, s, "Ann")
	hash := strings.Repeat("a", 64)
	key, err := s.CreateKey(t.Context(), catalog.NewKey{Name: "lost", Hash: hash, Owner: "ann",
		Permissions: []string{"write"}})
	if err != nil {
		t.Fatal(err)
	}
	if key, err = s.KeyByHash(t.Context(), hash); err != nil {
		t.Fatal(err)
	}
	writable := func(off string) {
		if _, err := catalog.Writer(s).ExecContext(t.Context(), "PRAGMA query_only = "+off); err != nil {
			t.Fatal(err)
		}
	}
	writable("1")
	err = s.RevokeKey(t.Context(), key.ID)
	if kind, sentence := fault.Of(err); kind != fault.Unavailable || !errors.Is(err, catalog.ErrNotSaved) ||
		!strings.Contains(sentence, "refused from now on") {
		t.Errorf("got %v (%s), want ErrNotSaved and a sentence that says so", err, sentence)
	}
	if key.Context().Err() == nil {
		t.Error("the streams of the key continue")
	}
	if _, err := s.KeyByHash(t.Context(), hash); kind(err) != fault.Unauthenticated {
		t.Errorf("the key is accepted: %v", err)
	}
	writable("0")
	other := open(t, catalog.Config{DB: file})
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		stored, err := other.KeyByID(t.Context(), key.ID)
		if err != nil {
			t.Fatal(err)
		}
		if !stored.RevokedAt.IsZero() {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the revocation is not saved 20 s after the disk recovered")
		}
	}
	testenv.Report(t, testenv.FailingDisks, testenv.Tally{Inputs: 1, Faults: 1, Note: "a key revoked on a full disk"})
}
