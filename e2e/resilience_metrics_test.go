package e2e

import (
	"bufio"
	"bytes"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// quiet is held for reading by proofs that load the machine and for writing by those that measure on it while
// the others run.
var quiet sync.RWMutex

// metric reads one value of the server's /metrics; labels are part of the name.
func (s *server) metric(name string) float64 {
	s.t.Helper()
	r := s.request("GET", "/metrics", "")
	for lines := bufio.NewScanner(bytes.NewReader(r.body)); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
			v, err := strconv.ParseFloat(rest, 64)
			if err != nil {
				s.t.Fatal(err)
			}
			return v
		}
	}
	s.t.Fatalf("no metric %s in %d %s", name, r.status, r.body)
	return 0
}

// percentile is the value below which p of 1 lie.
func percentile(all []time.Duration, p float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]
}
