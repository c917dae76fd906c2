package api_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"waxwing/api"
)

// TestErrorCodesAreDocumented compares the codes of internal/fault with both documents and with the
// table of docs/api.md. The tests of the servers compare each reply with its document.
func TestErrorCodesAreDocumented(t *testing.T) {
	source, err := os.ReadFile("../internal/fault/code.go")
	if err != nil {
		t.Fatal(err)
	}
	want := submatches(`Code = "([a-z_]+)"`, source)
	for name, src := range map[string][]byte{"player.yaml": api.PlayerYAML, "catalog.yaml": api.CatalogYAML} {
		doc, err := openapi3.NewLoader().LoadFromData(src)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, code := range doc.Components.Schemas["ErrorCode"].Value.Enum {
			got = append(got, code.(string))
		}
		if !slices.Equal(got, want) {
			t.Errorf("codes of %s: got %v, want %v", name, got, want)
		}
	}
	guide, err := os.ReadFile("../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(guide), "## Error codes")
	if got := submatches("(?m)^\\| `([a-z_]+)` \\|", []byte(section)); !slices.Equal(got, want) {
		t.Errorf("codes of docs/api.md: got %v, want %v", got, want)
	}
}

func submatches(pattern string, text []byte) (list []string) {
	for _, match := range regexp.MustCompile(pattern).FindAllSubmatch(text, -1) {
		list = append(list, string(match[1]))
	}
	return list
}
