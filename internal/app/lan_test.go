package app

import (
	"net"
	"strings"
	"testing"
)

func TestLANAddressNeedsAListenerThatOthersReach(t *testing.T) {
	for at, want := range map[string]string{
		"127.0.0.1:7833": "", "[::1]:7833": "", "192.0.2.7:7833": "http://192.0.2.7:7833",
		"[2001:db8::1]:80": "http://[2001:db8::1]:80",
	} {
		addr, err := net.ResolveTCPAddr("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		if got := lanURL(addr); got != want {
			t.Errorf("%s: got %q, want %q", at, got, want)
		}
	}
	got := lanURL(&net.TCPAddr{IP: net.IPv4zero, Port: 7833})
	if own := ownAddress(); own == nil && got != "" || own != nil && got != "http://"+own.String()+":7833" ||
		strings.Contains(got, "0.0.0.0") || strings.Contains(got, "127.") {
		t.Errorf("every address: got %q, want the own address %v", got, own)
	}
}
