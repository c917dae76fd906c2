package playerhttp

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"waxwing/internal/access"
	"waxwing/internal/testenv"
)

// FuzzToken checks that a token is taken unchanged from the header or, without a header, from the
// only access_token parameter of the query.
func FuzzToken(f *testing.F) {
	secret, _ := access.Mint(access.TokenPrefix)
	f.Add("Bearer "+secret, "access_token="+secret)
	f.Add("", "access_token=a&access_token=b")
	f.Add("basic x", "%zz=&access%5ftoken=x")
	f.Add("bearer  \t x y", ";")
	f.Fuzz(func(t *testing.T, header, query string) {
		r := &http.Request{Header: http.Header{}, URL: &url.URL{RawQuery: query}}
		if header != "" {
			r.Header["Authorization"] = []string{header}
		}
		testenv.CheckCost(t, func() {
			got, err := tokenOf(r)
			if err != nil {
				return
			}
			if header != "" && !strings.Contains(header, got) {
				t.Fatalf("got token %q, want a part of the header %q", got, header)
			}
			if values, err := url.ParseQuery(query); header == "" &&
				(err != nil || len(values[tokenParameter]) != 1 || values.Get(tokenParameter) != got) {
				t.Fatalf("got token %q, want the only access_token of the query %q", got, query)
			}
		})
	})
}
