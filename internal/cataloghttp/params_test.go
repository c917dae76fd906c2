package cataloghttp

import (
	"net/url"
	"testing"
)

// parseQuery must return the same values as url.ParseQuery.
func FuzzParseQuery(f *testing.F) {
	for _, raw := range []string{
		"", "&", "=", "page=1&limit=50", "page=1&page=2", "limit=5&limit=", "page", "q=a+b%20c&q", "%70age=3&page%3D=4",
		"page=1;limit=2", "q=%zz", "%=1", "page=%", "x=1&&limit=7&", "q=a=b", "page=+1", "q=%00\xff", "with=gain&with=gain",
		"type=song&type", "sort=title&order=desc&genre=a%2Fb&year=1999&format=flac&seed=1&role=any",
	} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		want, wantErr := url.ParseQuery(raw)
		q, err := parseQuery(raw, []choice{{name: "type"}})
		if (err != nil) != (wantErr != nil) {
			t.Fatalf("parseQuery(%q): got error %v, want %v", raw, err, wantErr)
		}
		if err != nil {
			return
		}
		for name, got := range map[string]param{
			"page": q.page, "limit": q.limit, "q": q.query, "with": q.with, "type": q.choices[0],
			"sort": q.list[paramSort], "genre": q.list[paramGenre], "role": q.list[paramRole],
		} {
			values := want[name]
			if got.count != len(values) || got.count > 0 && got.value != values[len(values)-1] {
				t.Errorf("parseQuery(%q): %s: got %+v, want %q", raw, name, got, values)
			}
		}
	})
}
