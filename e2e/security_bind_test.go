package e2e

import (
	"net"
	"strings"
	"testing"

	"waxwing/internal/testenv"
)

// TestOpenBindsAreRefused: the control API listens on an address that other machines can reach only
// with --allow-remote.
func TestOpenBindsAreRefused(t *testing.T) {
	t.Parallel()
	var own string // an address of this machine that is not loopback, if it has one
	if addrs, err := net.InterfaceAddrs(); err == nil {
		for _, a := range addrs {
			if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
				own = net.JoinHostPort(ip.IP.String(), "0")
			}
		}
	}
	addresses := []string{
		"0.0.0.0:0", "[::]:0", ":0", "[::ffff:0.0.0.0]:0", "[::ffff:192.0.2.1]:0", "192.0.2.1:0", "[2001:db8::1]:0",
		"[fe80::1]:0", "169.254.1.1:0", "10.0.0.1:0", "224.0.0.1:0",
		"example.com:0", "localhost.example.com:0", "0:0", "127.0.0.1.example.com:0", "*:0", "2130706432:0", own,
	}
	tried, violations := 0, 0
	wantRefused := func(args ...string) {
		t.Helper()
		tried++
		dir := t.TempDir()
		out, errs, code := command(t, environment(dir), append(args, "--data-dir", dir)...)
		if code != 2 || !strings.Contains(errs, "--allow-remote") || out != "" {
			violations++
			t.Errorf("waxwing %v: got exit code %d, output %s%s; want 2 and --allow-remote", args, code, out, errs)
		}
	}
	for _, addr := range addresses {
		if addr != "" {
			wantRefused("up", "--player-addr", addr, "--catalog-addr", "127.0.0.1:0", "--output", "null", "--no-mpris")
			wantRefused("player", "--player-addr", addr, "--api-key-file", "/dev/null", "--output", "null", "--no-mpris")
		}
	}
	for _, addr := range []string{"127.0.0.1:0", "[::1]:0", "localhost:0", "[::ffff:127.0.0.1]:0"} {
		tried++
		launch(t, nil, "--output", "null", "--no-mpris", "--player-addr", addr)
	}
	s := launch(t, nil, "--output", "null", "--no-mpris", "--player-addr", "0.0.0.0:0", "--allow-remote")
	if r := send(t, "GET", s.base+"/current-track", ""); r.status != 401 {
		violations++
		t.Errorf("request without a token to a remote bind: got %d, want 401", r.status)
	}
	testenv.Report(t, testenv.OpenBinds, testenv.Tally{Inputs: tried + 1, Violations: violations,
		Note: "each error names --allow-remote"})
}
