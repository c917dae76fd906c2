package playerhttp_test

import (
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"waxwing/internal/testenv"
)

// TestAnotherAccountHasOnePlaceForPairing: an account that sends requests from many loopback
// addresses takes one place, and the apps of the owner still pair.
func TestAnotherAccountHasOnePlaceForPairing(t *testing.T) {
	testenv.NeedsRoot(t)
	testenv.NeedsTool(t, "curl")
	h := start(t, 1)
	const body = `{"name":"App","permissions":["read"]}`
	accepted := 0
	for i := range 8 {
		cmd := exec.Command("curl", "-s", "-w", " %{http_code}", "--interface",
			fmt.Sprintf("127.0.0.%d", i%4+1), "--json", body, h.url+"/pair")
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("curl: %v %s", err, out)
		}
		if strings.HasSuffix(string(out), " 200") {
			accepted++
		}
	}
	if accepted != 1 {
		t.Errorf("got %d requests of another account accepted, want 1", accepted)
	}
	testenv.Report(t, testenv.LocalAccounts, testenv.Tally{Inputs: 8, Violations: accepted - 1,
		Note: "pairing requests of another account, from 4 loopback addresses"})
	for i := range 4 {
		h.http = from(t, fmt.Sprintf("127.0.0.%d", i+1))
		h.do(t, "POST", "/pair", "", body).want(t, 200, `~"code"`)
		h.do(t, "POST", "/pair", "", body).want(t, 409, `~another app at this address`)
	}
}
