package app

import (
	"cmp"
	"net"
	"net/netip"
	"strings"
	"testing"
)

func TestAddressForApps(t *testing.T) {
	for _, c := range []struct {
		at        string
		hosts     []string
		publicURL string
		url       string // or a part of the advice
	}{
		{at: "127.0.0.1:7845", publicURL: "https://music.example.net/", url: "https://music.example.net"},
		{at: "192.168.1.20:7845", url: "http://192.168.1.20:7845"},
		{at: "[fd00::1]:7845", url: "http://[fd00::1]:7845"},
		{at: "0.0.0.0:7845", hosts: []string{"music.lan"}, url: "http://music.lan:7845"},
		{at: "0.0.0.0:7845", hosts: []string{"music.lan:80"}, url: "http://music.lan:80"},
		{at: "[::]:7845", hosts: []string{"[fd00::1]"}, url: "http://[fd00::1]:7845"},
		{at: "127.0.0.1:7845", url: "--catalog-addr "},
		{at: "[::1]:7845", hosts: []string{"music.lan"}, url: "--public-url"},
		{at: "0.0.0.0:7845", url: cmp.Or(lanURL(&net.TCPAddr{IP: net.IPv4zero, Port: 7845}), "--catalog-host")},
	} {
		got := appAddress(net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.at)), c.hosts, c.publicURL)
		if strings.HasPrefix(c.url, "--") {
			if got.URL != nil || got.Advice == nil || !strings.Contains(*got.Advice, c.url) {
				t.Errorf("%+v: got %+v, want the advice to use %s", c, got, c.url)
			}
			continue
		}
		if got.URL == nil || *got.URL != c.url || got.Advice != nil {
			t.Errorf("%+v: got %v, want %s", c, got.URL, c.url)
		}
	}
}
