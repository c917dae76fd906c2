package cataloghttp_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestParametersWithFixedValuesNameThem sends an unknown value in every query parameter that
// api/catalog.yaml gives a fixed set of values. The reply is a 400 that names all of them.
func TestParametersWithFixedValuesNameThem(t *testing.T) {
	h := start(t, 1)
	fill := strings.NewReplacer("{song_id}", h.ids[0], "{username_or_id}", "guest", "{username}", "ann", "{genre}", "pop",
		"{hash}", strings.Repeat("0", 32))
	tried := 0
	for path, item := range document().Paths.Map() {
		for method, op := range item.Operations() {
			for _, ref := range op.Parameters {
				schema := ref.Value.Schema.Value
				if schema.Items != nil {
					schema = schema.Items.Value
				}
				if ref.Value.In != "query" || len(schema.Enum) == 0 {
					continue
				}
				tried++
				query := "?q=x&" + ref.Value.Name + "=nonsense"
				got := h.do(t, "all", method, fill.Replace(path)+query, "")
				for _, value := range schema.Enum {
					if got.status != 400 || !strings.Contains(got.body, fmt.Sprint(value)) {
						t.Errorf("%s %s%s: got %d %s, want a 400 that names %v", method, path, query, got.status, got.body, value)
					}
				}
			}
		}
	}
	if tried < 30 {
		t.Errorf("got %d parameters with fixed values, want at least 30", tried)
	}
}
