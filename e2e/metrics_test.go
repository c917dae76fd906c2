package e2e

import (
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"waxwing/internal/app"
)

// documentedMetrics reads the table of docs/deploy.md and returns type and labels by name.
func documentedMetrics(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile("../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	line := regexp.MustCompile("(?m)^\\| `(waxwing_[a-z_]+)` \\| ([a-z]+) \\| ([a-z, ]*) ?\\|")
	for _, row := range line.FindAllStringSubmatch(string(page), -1) {
		labels := strings.FieldsFunc(row[3], func(r rune) bool { return r == ',' || r == ' ' })
		slices.Sort(labels)
		all[row[1]] = row[2] + " " + strings.Join(labels, ",")
	}
	return all
}

// exposedMetrics parses the metrics of a server into the same form.
func exposedMetrics(text string) map[string]string {
	kinds := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (waxwing_\w+) (\w+)$`).FindAllStringSubmatch(text, -1) {
		kinds[m[1]] = m[2]
	}
	all := map[string]string{}
	sample := regexp.MustCompile(`(?m)^(waxwing_\w+?)(_bucket|_sum|_count)?(?:\{(.*)\})? \S+$`)
	for _, m := range sample.FindAllStringSubmatch(text, -1) {
		name := m[1]
		if kinds[name] != "histogram" {
			name += m[2]
		}
		labels := map[string]bool{}
		for _, l := range regexp.MustCompile(`(\w+)="`).FindAllStringSubmatch(m[3], -1) {
			if l[1] != "le" {
				labels[l[1]] = true
			}
		}
		all[name] = kinds[name] + " " + strings.Join(slices.Sorted(maps.Keys(labels)), ",")
	}
	return all
}

// TestMetricsMatchTheDocumentation compares docs/deploy.md with a server's metrics, in both
// directions.
func TestMetricsMatchTheDocumentation(t *testing.T) {
	s := start(t, withMPD, func(c *app.Config) { c.MetricsAddr, c.Catalog.TranscodeCache = "127.0.0.1:0", 1<<20 })
	catalogClient := s.catalogClient("read")
	catalogClient.read("/api/songs")
	if r := catalogClient.do("GET", "/metrics", ""); r.status != http.StatusNotFound {
		t.Errorf("/metrics at the catalog's address: got %d, want 404", r.status)
	}
	r := send(t, "GET", s.app.MetricsURL+"/metrics", "")
	if r.status != 200 {
		t.Fatalf("GET /metrics: got %d %s, want 200", r.status, r.body)
	}
	text := string(r.body)
	documented, exposed := documentedMetrics(t), exposedMetrics(text)
	for name, shape := range documented {
		if exposed[name] != shape {
			t.Errorf("type and labels of %s: got %q, want %q as documented", name, exposed[name], shape)
		}
	}
	for name := range exposed {
		if documented[name] == "" {
			t.Errorf("metric %s is not documented in docs/deploy.md", name)
		}
	}
	for _, family := range []string{"go_goroutines ", "process_resident_memory_bytes "} {
		if !strings.Contains(text, "\n"+family) {
			t.Errorf("metric %sis missing", family)
		}
	}
	for what, secret := range map[string]string{"token": s.token, "key": catalogClient.key, "folder": s.dir} {
		if strings.Contains(text, secret) {
			t.Errorf("the metrics contain the %s, want no secrets", what)
		}
	}
	if len(documented) < 25 {
		t.Errorf("documented metrics: got %d, want at least 25", len(documented))
	}
}
