package cli

import (
	"strings"
	"testing"

	"waxwing/api/catalogapi"
)

func TestCompletionValues(t *testing.T) {
	for _, values := range []string{"outputs", "playlists", "tokens"} {
		if out, errs, code := waxwing(t, "complete", values, "--data-dir", t.TempDir()); code != 0 || out+errs != "" {
			t.Errorf("%s without a player: got %d %q %q, want silence", values, code, out, errs)
		}
	}
	dir, p := startWith(t, map[string][]byte{"a.wav": silence(1)})
	if _, err := p.Catalog().CreatePlaylist(t.Context(), catalogapi.NewPlaylist{Name: "Late Night"}); err != nil {
		t.Fatal(err)
	}
	for values, want := range map[string]string{"outputs": "null", "playlists": "Late Night", "tokens": "owner"} {
		out, errs, code := waxwing(t, "complete", values, "--data-dir", string(dir))
		if code != 0 || errs != "" || !strings.Contains(out, want+"\n") {
			t.Errorf("%s: got %d %q %q, want %q", values, code, out, errs, want)
		}
	}
}
