package e2e

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// demoSongs is the number of songs in the demo library.
const demoSongs = 14

// appServer is a server with the secret of an app.
type appServer struct {
	*server
	user, secret string
}

// startForApp starts a server, waits for the demo library, and creates the key
// of an app.
func startForApp(t *testing.T, name string) appServer {
	t.Helper()
	s := start(t)
	out, messages, code := s.run("key", "create", "--app", name)
	user := regexp.MustCompile(`the user name (\S+),`).FindStringSubmatch(messages)
	if code != 0 || user == nil {
		t.Fatalf("key create: got %d, %s%s", code, out, messages)
	}
	c := s.catalogClient("read")
	s.eventually(20*time.Second, "the scan", func() bool { return c.read("/api/songs")["total"] == float64(demoSongs) })
	return appServer{s, user[1], strings.TrimSpace(out)}
}

// needsApps skips a test of an app that a normal run does not install: see the target clients of
// the Makefile.
func needsApps(t *testing.T, programs ...string) {
	t.Helper()
	if os.Getenv("WAXWING_CLIENTS") == "" {
		t.Skip("test skipped: make clients runs it")
	}
	testenv.NeedsTool(t, programs...)
}

// TestNPMClient uses the API as programs in JavaScript do.
func TestNPMClient(t *testing.T) {
	testenv.NeedsTool(t, "node", "npm")
	installBrowserTools(t)
	s := startForApp(t, "npm")
	setenv(t, []string{"WAXWING_CATALOG=" + s.catalog, "WAXWING_USER=" + s.user, "WAXWING_SECRET=" + s.secret})
	t.Log(node(t, time.Minute, "node", "--test", "subsonic-api.test.mjs"))
}
