package catalog_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"waxwing/internal/catalog"
	"waxwing/internal/testenv"
)

// TestAcknowledgedChangesSurvivePowerCuts copies the database as a power cut would leave it: the
// write-ahead log complete up to the last acknowledged change, and torn after it.
// TestPragmasOfBothPools checks that each acknowledged change is synced.
func TestAcknowledgedChangesSurvivePowerCuts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(testenv.Seed(t), 0))
	db := filepath.Join(t.TempDir(), "catalog.db")
	s := open(t, catalog.Config{DB: db})
	if _, err := s.EnsureUser(t.Context(), "someone"); err != nil {
		t.Fatal(err)
	}
	cuts := testenv.Size(50, 200, 1000)
	violations, acknowledged := 0, 0
	for cut := range cuts {
		for range 1 + rnd.IntN(3) {
			if _, err := s.CreateKey(t.Context(), catalog.NewKey{Name: "k", Hash: hash(acknowledged),
				Permissions: []string{"read"}, Rate: 1, Burst: 1}); err != nil {
				t.Fatal(err)
			}
			acknowledged++
		}
		synced, err := os.ReadFile(db + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		base, err := os.ReadFile(db)
		if err != nil {
			t.Fatal(err)
		}
		// Of one more change any sectors, or none, are on disk.
		if _, err := s.CreateKey(t.Context(), catalog.NewKey{Name: "k", Hash: hash(1_000_000 + cut),
			Permissions: []string{"read"}, Rate: 1, Burst: 1}); err != nil {
			t.Fatal(err)
		}
		after, err := os.ReadFile(db + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		torn := append([]byte(nil), synced...)
		for at := 0; at < len(after); at += 512 {
			end := min(at+512, len(after))
			if at >= len(synced) && rnd.IntN(2) == 0 {
				torn = append(torn, make([]byte, max(end-len(torn), 0))...)
				copy(torn[at:end], after[at:end])
			}
		}
		found := filepath.Join(t.TempDir(), "catalog.db")
		if err := os.WriteFile(found, base, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(found+"-wal", torn, 0o600); err != nil {
			t.Fatal(err)
		}
		back, err := catalog.Open(t.Context(), catalog.Config{DB: found})
		if err != nil {
			violations++
			t.Errorf("cut %d: open the catalog: got %v, want success", cut, err)
			continue
		}
		if _, err := back.KeyByHash(t.Context(), hash(acknowledged-1)); err != nil {
			violations++
			t.Errorf("cut %d: the key acknowledged last: got %v, want it to be found", cut, err)
		}
		if err := back.Close(); err != nil {
			t.Error(err)
		}
		if n := countKeys(t, found, acknowledged); n != acknowledged {
			violations += acknowledged - n
			t.Errorf("cut %d: got %d acknowledged keys, want %d", cut, n, acknowledged)
		}
	}
	testenv.Report(t, testenv.PowerLoss, testenv.Tally{Inputs: acknowledged, Faults: cuts, Violations: violations,
		Note: testenv.TriedOf(cuts, 200, "cuts") + ": the catalog on SQLite, its log torn after the last synced change"})
}

// hash returns the hash of the i-th acknowledged key.
func hash(i int) string { return fmt.Sprintf("%064d", i) }

// countKeys returns how many of the first n acknowledged keys a database has.
func countKeys(t *testing.T, db string, n int) (found int) {
	t.Helper()
	raw, err := sql.Open("sqlite", db)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	row := raw.QueryRowContext(t.Context(), `SELECT count(*) FROM keys WHERE hash < $1`, hash(n))
	if err := row.Scan(&found); err != nil {
		t.Fatal(err)
	}
	return found
}
