package player

import (
	"flag"
	"strconv"
	"testing"

	"waxwing/internal/testenv"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("rapid.checks", strconv.Itoa(histories())); err != nil {
		panic(err)
	}
	testenv.Main(m)
}

// histories returns the number of random histories that the model test runs.
func histories() int {
	if testing.Short() {
		return 300
	}
	return testenv.Size(400, 10_000, 10_000)
}
