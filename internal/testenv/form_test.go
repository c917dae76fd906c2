package testenv_test

import (
	"testing"

	"waxwing/internal/testenv"
)

func TestForms(t *testing.T) {
	for _, c := range []struct {
		trust, long string
		size        int
		note        string
	}{
		{"", "", 1, "1 files, asked for: 3 (make trust LONG=1)"},
		{"/a/folder", "", 2, "2 files, asked for: 3 (make trust LONG=1)"},
		{"/a/folder", "1", 3, "3 files, asked for: 3"},
		{"", "1", 3, "3 files, asked for: 3"},
	} {
		t.Setenv("WAXWING_TRUST", c.trust)
		t.Setenv("WAXWING_LONG", c.long)
		size := testenv.Sized(1, 2, 3)
		if note := testenv.Of(size, 3, "files"); size != c.size || note != c.note {
			t.Errorf("%+v: %d, %q", c, size, note)
		}
	}
}

func TestASeedCanBeGivenAgain(t *testing.T) {
	t.Setenv("WAXWING_SEED", "")
	if a, b := testenv.Seed(t), testenv.Seed(t); a == b {
		t.Errorf("%d twice", a)
	}
	t.Setenv("WAXWING_SEED", "18446744073709551615")
	if seed := testenv.Seed(t); seed != 1<<64-1 {
		t.Errorf("%d", seed)
	}
}
