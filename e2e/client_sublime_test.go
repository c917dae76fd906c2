package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestSublimeMusicClient runs the adapter of Sublime Music, which checks the types of all replies.
func TestSublimeMusicClient(t *testing.T) {
	needsApps(t, "sublime-music")
	s := startForApp(t, "Sublime Music")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/usr/bin/python3", "clients/sublime.py", s.catalog, s.user, fmt.Sprint(demoSongs))
	cmd.Env = append(os.Environ(), "WAXWING_SECRET="+s.secret, "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
