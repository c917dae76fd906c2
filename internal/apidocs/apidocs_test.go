package apidocs

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"waxwing/api"
)

// TestPageHasEveryOperationAndSchema renders both documents. The page must also have no broken
// links and load nothing else.
func TestPageHasEveryOperationAndSchema(t *testing.T) {
	for name, src := range map[string][]byte{"player": api.PlayerYAML, "catalog": api.CatalogYAML} {
		d, err := render(src)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		page := string(d.page)
		var doc struct {
			Paths map[string]map[string]struct {
				OperationID string `yaml:"operationId"`
			}
			Components struct{ Schemas map[string]any }
		}
		if err := yaml.Unmarshal(src, &doc); err != nil {
			t.Fatal(err)
		}
		operations := 0
		for path, item := range doc.Paths {
			for _, op := range item {
				if op.OperationID == "" {
					continue
				}
				operations++
				if !strings.Contains(page, `<article id="`+op.OperationID+`">`) ||
					!strings.Contains(page, `<a href="#`+op.OperationID+`">`) {
					t.Errorf("%s: the page lacks the operation %s of %s", name, op.OperationID, path)
				}
			}
		}
		for schema := range doc.Components.Schemas {
			if !strings.Contains(page, `<article id="schema-`+schema+`">`) {
				t.Errorf("%s: the page lacks the schema %s", name, schema)
			}
		}
		if operations == 0 {
			t.Errorf("%s has no operations", name)
		}
		external := regexp.MustCompile(`(?:src|href)="(?:https?:)?//|<script>|url\(`)
		if found := external.FindString(page); found != "" {
			t.Errorf("%s: the page loads or links an external resource: %s", name, found)
		}
		if strings.Contains(page, "<no value>") {
			t.Errorf("%s: the page contains <no value>", name)
		}
		for _, link := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
			if !strings.Contains(page, `id="`+link[1]+`"`) {
				t.Errorf("%s: the target of the link #%s is missing", name, link[1])
			}
		}
	}
}

func TestPageHasCurlExamples(t *testing.T) {
	d, err := render(api.PlayerYAML)
	if err != nil {
		t.Fatal(err)
	}
	page := string(d.page)
	for _, line := range []string{
		`<code>curl http://127.0.0.1:7833/health</code>`,
		`<code>curl -H &#34;Authorization: Bearer $TOKEN&#34; -X POST ` +
			`--json &#39;{&#34;position&#34;:30000}&#39; http://127.0.0.1:7833/seek</code>`,
	} {
		if !strings.Contains(page, line) {
			t.Errorf("the page lacks %s", line)
		}
	}
}

func TestPolicyAllowsOnlyItsOwnScriptAndStyle(t *testing.T) {
	w := httptest.NewRecorder()
	if err := New(api.PlayerYAML, "").Page(w, httptest.NewRequest("GET", "/docs", nil)); err != nil {
		t.Fatal(err)
	}
	policy := w.Header().Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'sha256-") ||
		strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("got policy %q, want only the script of the page and the hash of the style", policy)
	}
}

func TestProseIsEscaped(t *testing.T) {
	got := string(prose("A `<b>` and **x & y**.\n\nSecond <script>."))
	const want = "<p>A <code>&lt;b&gt;</code> and <strong>x &amp; y</strong>.</p><p>Second &lt;script&gt;.</p>"
	if got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestInvalidDocumentIsAnError(t *testing.T) {
	if _, err := render([]byte("paths: [")); err == nil {
		t.Error("got no error for an invalid document")
	}
}

func TestPageNamesTheAddressItWasOpenedAt(t *testing.T) {
	for _, c := range []struct{ public, host, want string }{
		{"", "127.0.0.1:7833", "http://127.0.0.1:7833"},
		{"", "localhost:9000", "http://localhost:9000"},
		{"https://player.example.net", "player.example.net", "https://player.example.net"},
		{"https://player.example.net", "127.0.0.1:7833", "http://127.0.0.1:7833"},
	} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/docs", nil)
		r.Host = c.host
		if err := New(api.PlayerYAML, c.public).Page(w, r); err != nil {
			t.Fatal(err)
		}
		page := w.Body.String()
		if !strings.Contains(page, "<code>"+c.want+"</code>") || !strings.Contains(page, " "+c.want+"/seek</code>") {
			t.Errorf("opened at %s with the public URL %q: got another address, want %s", c.host, c.public, c.want)
		}
		if c.want != "http://127.0.0.1:7833" && strings.Contains(page, "http://127.0.0.1:7833") {
			t.Errorf("opened at %s: the page also names the default address", c.host)
		}
	}
}
