package httpkit

import (
	"fmt"
	"testing"
	"time"
)

func TestFailuresAreCountedByAddressAndMinute(t *testing.T) {
	var f failures
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 10 {
		if wait := f.add("192.0.2.1:5000", now.Add(time.Duration(i)*time.Second)); wait != 0 {
			t.Fatalf("failure %d: got a wait of %v, want 0", i+1, wait)
		}
	}
	if wait := f.add("192.0.2.1:6000", now.Add(20*time.Second)); wait != 40*time.Second {
		t.Errorf("failure 11: got a wait of %v, want 40s", wait)
	}
	if wait := f.add("[::ffff:192.0.2.1]:1", now.Add(20*time.Second)); wait == 0 {
		t.Error("IPv4-mapped form of the address: got no wait, want one")
	}
	if wait := f.add("192.0.2.2:5000", now.Add(20*time.Second)); wait != 0 {
		t.Errorf("another address: got a wait of %v, want 0", wait)
	}
	if wait := f.add("192.0.2.1:5000", now.Add(61*time.Second)); wait != 0 {
		t.Errorf("after a minute: got a wait of %v, want 0", wait)
	}
	for i := range 11 { // one network has a whole /64
		wait := f.add(fmt.Sprintf("[2001:db8::%d]:1", i+1), now)
		if (wait > 0) != (i == 10) {
			t.Errorf("IPv6 failure %d: got a wait of %v, want one only for failure 11", i+1, wait)
		}
	}
	for i := range 3 * maxFailureAddresses {
		f.add(fmt.Sprintf("10.%d.%d.%d:1", i>>16, i>>8&255, i&255), now)
	}
	if len(f.from) > maxFailureAddresses {
		t.Errorf("got %d stored addresses, want at most %d", len(f.from), maxFailureAddresses)
	}
}
