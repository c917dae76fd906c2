package testenv

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Long reports whether the long form of a proof is asked for (WAXWING_LONG=1), rather than the
// short one that every run of the tests includes.
func Long() bool { return os.Getenv("WAXWING_LONG") != "" }

// Counted reports whether a proof runs for the page that `make trust` writes. What takes seconds without the race
// detector is tried in full there, so that the page tells of more than every run of the tests can wait for.
func Counted() bool { return Long() || os.Getenv("WAXWING_TRUST") != "" }

// Sized is how many of something to try: in every run of the tests, for the page of trust, and in the long form.
func Sized(everyday, counted, long int) int {
	switch {
	case Long():
		return long
	case Counted():
		return counted
	}
	return everyday
}

// Of says in a Note how many were tried beside how many the battery asks for, and how to try the rest.
func Of(tried, asked int, what string) string {
	text := fmt.Sprintf("%d %s, asked for: %d", tried, what, asked)
	if tried < asked && !Long() {
		text += " (make trust LONG=1)"
	}
	return text
}

// Seed is what the random part of a proof begins with. It is another one in each run, so that each tries what none has
// tried before; it is printed, and with WAXWING_SEED set to it the same is tried again. A process that dies of an input keeps
// its tests' logs to itself, so the line goes to stderr, of which go test shows nothing when all is well.
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
	fmt.Fprintf(os.Stderr, "%s: the same again with WAXWING_SEED=%d\n", t.Name(), seed)
	return seed
}
