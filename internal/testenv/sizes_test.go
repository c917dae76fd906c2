package testenv_test

import (
	"testing"

	"waxwing/internal/testenv"
)

func TestSizeFollowsTheEnvironment(t *testing.T) {
	for _, c := range []struct {
		trust, long string
		size        int
		note        string
	}{
		{"", "", 1, "1 files, required: 3 (short; make trust LONG=1)"},
		{"/a/folder", "", 2, "2 files, required: 3 (short; make trust LONG=1)"},
		{"/a/folder", "1", 3, "3 files, required: 3"},
		{"", "1", 3, "3 files, required: 3"},
	} {
		t.Setenv("WAXWING_TRUST", c.trust)
		t.Setenv("WAXWING_LONG", c.long)
		size := testenv.Size(1, 2, 3)
		if note := testenv.TriedOf(size, 3, "files"); size != c.size || note != c.note {
			t.Errorf("WAXWING_TRUST=%q WAXWING_LONG=%q: got %d, %q, want %d, %q", c.trust, c.long, size, note, c.size, c.note)
		}
	}
}

func TestSeedIsRandomUnlessGiven(t *testing.T) {
	t.Setenv("WAXWING_SEED", "")
	if a, b := testenv.Seed(t), testenv.Seed(t); a == b {
		t.Errorf("got %d twice, want two seeds", a)
	}
	t.Setenv("WAXWING_SEED", "18446744073709551615")
	if seed := testenv.Seed(t); seed != 1<<64-1 {
		t.Errorf("got %d, want %d", seed, uint64(1<<64-1))
	}
}
