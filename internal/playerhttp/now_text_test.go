package playerhttp_test

import (
	"net/url"
	"testing"
)

func TestNowTextFollowsItsFormat(t *testing.T) {
	h := start(t, 2)
	h.do(t, "GET", "/now.txt", "", "").want(t, 401, "~token")
	h.do(t, "GET", "/now.txt?format={nope}", "read", "").want(t, 400, "~{title}, {artist}, {album} or {duration}")
	for _, bad := range []string{"[{title}", "{title}]", "[[{title}]]", "{title"} {
		h.do(t, "GET", "/now.txt?format="+url.QueryEscape(bad), "read", "").want(t, 400, "~format")
	}
	h.do(t, "GET", "/now.txt?hide=never", "read", "").want(t, 400, "~hide must be paused")
	h.do(t, "POST", "/play", "write", "")
	got := h.do(t, "GET", "/now.txt?format="+url.QueryEscape("♪ {title}"), "read", "")
	if got.status != 200 || got.header.Get("Content-Type") != "text/plain; charset=utf-8" || len(got.body) < 5 {
		t.Errorf("got %d %s %q, want 200, plain text and a title", got.status, got.header.Get("Content-Type"), got.body)
	}
	h.do(t, "POST", "/pause", "write", "")
	if got := h.do(t, "GET", "/now.txt?hide=paused", "read", ""); got.status != 200 || got.body != "" {
		t.Errorf("paused: got %d %q, want an empty line", got.status, got.body)
	}
}
