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
		if wait := f.note("192.0.2.1:5000", now.Add(time.Duration(i)*time.Second)); wait != 0 {
			t.Fatalf("failure %d must wait %v", i+1, wait)
		}
	}
	if wait := f.note("192.0.2.1:6000", now.Add(20*time.Second)); wait != 40*time.Second {
		t.Errorf("the eleventh must wait %v", wait)
	}
	if wait := f.note("[::ffff:192.0.2.1]:1", now.Add(20*time.Second)); wait == 0 {
		t.Error("the same address, mapped, counts anew")
	}
	if wait := f.note("192.0.2.2:5000", now.Add(20*time.Second)); wait != 0 {
		t.Error("another address pays for it")
	}
	if wait := f.note("192.0.2.1:5000", now.Add(61*time.Second)); wait != 0 {
		t.Error("it is not forgotten after a minute")
	}
	for i := range 11 { // one household has a whole /64
		wait := f.note(fmt.Sprintf("[2001:db8::%d]:1", i+1), now)
		if (wait > 0) != (i == 10) {
			t.Errorf("IPv6 failure %d waits %v", i+1, wait)
		}
	}
	for i := range 3 * failuresKept {
		f.note(fmt.Sprintf("10.%d.%d.%d:1", i>>16, i>>8&255, i&255), now)
	}
	if len(f.from) > failuresKept {
		t.Errorf("%d addresses are kept", len(f.from))
	}
}
