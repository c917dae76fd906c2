package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// lostCredentials are a token and a key that must be revoked although the disk is full.
type lostCredentials struct{ name, token, key string }

func newLostCredentials(s *server, round int) lostCredentials {
	s.t.Helper()
	lost := lostCredentials{name: fmt.Sprint("lost ", round)}
	for kind, secret := range map[string]*string{"token": &lost.token, "key": &lost.key} {
		out, errs, code := s.run(kind, "create", "--name", lost.name, "--permission", "read")
		if code != 0 {
			s.t.Fatalf("%s create: exit code %d: %s", kind, code, errs)
		}
		*secret = strings.TrimSpace(out)
	}
	return lost
}

// revoke revokes both on the command line. The commands may say that it is not saved yet, but the
// running server refuses both.
func (lost lostCredentials) revoke(s *server, wrong func(string, ...any)) {
	s.t.Helper()
	for _, kind := range []string{"token", "key"} {
		_, errs, code := s.run(kind, "revoke", lost.name)
		if code != 0 && !strings.Contains(errs, "is refused from now on") {
			wrong("%s revoke: got exit code %d and %q, want that it is refused from now on", kind, code, errs)
		}
		s.t.Logf("%s revoke: exit code %d, %s", kind, code, strings.TrimSpace(errs))
	}
	for address, header := range map[string][2]string{
		s.base + "/playback-state": {"Authorization", "Bearer " + lost.token},
		s.catalog + "/api/songs":   {"X-Api-Key", lost.key},
	} {
		s.eventually(3*time.Second, "the revoked credential to be refused", func() bool {
			req, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, address, http.NoBody)
			if err != nil {
				s.t.Fatal(err)
			}
			req.Header.Set(header[0], header[1])
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return false
			}
			_ = resp.Body.Close()
			return resp.StatusCode == http.StatusUnauthorized
		})
	}
}
