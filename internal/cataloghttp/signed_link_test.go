package cataloghttp

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"waxwing/internal/fault"
)

// TestARightlySignedLinkEndsAtItsTime turns the clock: nothing about the link is wrong but its age.
func TestARightlySignedLinkEndsAtItsTime(t *testing.T) {
	s := &server{signing: []byte("a key")}
	const song = "so_0000000000000000000000"
	made := time.Now().Truncate(time.Second)
	expires := made.Add(linkLifetime)
	q := url.Values{"expires": {strconv.FormatInt(expires.Unix(), 10)}, "signature": {s.sign(song, expires.Unix())}}
	for _, at := range []time.Time{made, expires.Add(-time.Second)} {
		if err := s.checkLink(song, q, at); err != nil {
			t.Errorf("%v before its end: %v", expires.Sub(at), err)
		}
	}
	for _, at := range []time.Time{expires.Add(time.Second), expires.Add(24 * time.Hour)} {
		kind, sentence := fault.Of(s.checkLink(song, q, at))
		if kind != fault.Forbidden || !strings.Contains(sentence, "link") {
			t.Errorf("%v after its end: kind %d, %q", at.Sub(expires), kind, sentence)
		}
	}
}
