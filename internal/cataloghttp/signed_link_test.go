package cataloghttp

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"waxwing/internal/fault"
)

func TestSignedLinkExpires(t *testing.T) {
	s := &server{signing: []byte("a key")}
	const song = "so_0000000000000000000000"
	created := time.Now().Truncate(time.Second)
	expires := created.Add(linkLifetime)
	q := url.Values{
		"expires":   {strconv.FormatInt(expires.Unix(), 10)},
		"signature": {s.sign(song, conversion{}, expires.Unix())},
	}
	for _, at := range []time.Time{created, expires.Add(-time.Second)} {
		if err := s.checkLink(song, conversion{}, q, at); err != nil {
			t.Errorf("link %v before its expiry: got %v, want no error", expires.Sub(at), err)
		}
	}
	for _, at := range []time.Time{expires.Add(time.Second), expires.Add(24 * time.Hour)} {
		kind, message := fault.Of(s.checkLink(song, conversion{}, q, at))
		if kind != fault.Forbidden || !strings.Contains(message, "link") {
			t.Errorf("link %v after its expiry: got kind %d, %q; want a Forbidden fault", at.Sub(expires), kind, message)
		}
	}
}
