package testenv

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Long reports whether tests run in their long form (WAXWING_LONG=1, make trust LONG=1).
func Long() bool { return os.Getenv("WAXWING_LONG") != "" }

// Trust reports whether tests run for `make trust`, or in their long form.
func Trust() bool { return Long() || os.Getenv("WAXWING_TRUST") != "" }

// Size returns how much of something to try: test in every run of the tests, trust for `make
// trust`, long in the long form.
func Size(test, trust, long int) int {
	switch {
	case Long():
		return long
	case Trust():
		return trust
	}
	return test
}

// shortMark is how TriedOf marks less than required.
const shortMark = " (short"

// TriedOf writes for a Tally's Note how many of something were tried and how many are required. If
// they are too few, the row is shown as short.
func TriedOf(tried, required int, what string) string {
	text := fmt.Sprintf("%d %s, required: %d", tried, what, required)
	switch {
	case tried >= required:
		return text
	case Long():
		return text + shortMark + ")"
	}
	return text + shortMark + "; make trust LONG=1)"
}

// Seed returns the seed for the random part of a test: a new one in each run, or WAXWING_SEED to
// repeat a run. It prints the seed to stderr, because the log of a test is lost if an input crashes
// the process; go test shows stderr only on failure.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("WAXWING_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("WAXWING_SEED: %v", err)
		}
		seed = given
	}
	fmt.Fprintf(os.Stderr, "%s: repeat with WAXWING_SEED=%d\n", t.Name(), seed)
	return seed
}
