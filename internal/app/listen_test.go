package app

import (
	"bytes"
	"log/slog"
	"net"
	"strings"
	"testing"
)

func TestListenOnEveryAddressNotesMissingHostName(t *testing.T) {
	for _, test := range []struct {
		at    string
		hosts []string
		notes bool
	}{
		{"0.0.0.0:7845", nil, true},
		{"[::]:7845", nil, true},
		{"0.0.0.0:7845", []string{"music.example.net"}, false},
		{"127.0.0.1:7845", nil, false},
		{"192.0.2.7:7845", []string{"music.example.net"}, false},
	} {
		at, err := net.ResolveTCPAddr("tcp", test.at)
		if err != nil {
			t.Fatal(err)
		}
		var logged bytes.Buffer
		(&App{log: slog.New(slog.NewTextHandler(&logged, nil))}).noteWithoutHosts(at, "catalog-host", test.hosts, "")
		if noted := strings.Contains(logged.String(), "WAXWING_CATALOG_HOST"); noted != test.notes || !noted &&
			logged.Len() > 0 {
			t.Errorf("%s with hosts %v logged %q", test.at, test.hosts, logged.String())
		}
	}
}

func TestOperatorHostsMatchAnyPort(t *testing.T) {
	got := strings.Join(OperatorHosts([]string{"localhost", "music.example.net:8443", "127.0.0.1", "[::1]:80", "[::1]",
		"node_a"}), " ")
	if want := "localhost music.example.net:8443 music.example.net 127.0.0.1 [::1]:80 [::1] [::1] node_a"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
