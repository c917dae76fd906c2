package cli

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/httpkit"
)

// TestTheImageAnswersItsExample: a container is asked through an address of its own, by the name that its user typed.
func TestTheImageAnswersItsExample(t *testing.T) {
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, env := range regexp.MustCompile(`\b(WAXWING_\w+)=(\S+)`).FindAllStringSubmatch(string(text[bytes.Index(text, []byte("\nENV ")):]), -1) {
		t.Setenv(env[1], env[2])
	}
	hosts := hostList(strings.Split(shown(t, "catalog-host").Value, ", "))
	if err := hosts.check("catalog-host"); err != nil {
		t.Fatal(err)
	}
	server := httpkit.New(httpkit.Config{Name: "catalog", Hosts: hosts, Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry(),
		Authenticate: func(http.ResponseWriter, *http.Request) (httpkit.Caller, error) {
			return httpkit.Caller{}, httpkit.ErrNoCredential
		}},
		[]httpkit.Route{{Pattern: "GET /health", Need: httpkit.Public, Handler: func(w http.ResponseWriter, _ *http.Request) error { return nil }}})
	operator := httpkit.NewOperator(httpkit.Operator{Hosts: hosts.withoutPorts(), Log: slog.New(slog.DiscardHandler), Metrics: prometheus.NewRegistry()})
	for host, want := range map[string]int{
		"localhost": 200, "127.0.0.1": 200, "[::1]": 200, "evil.example": 421, "localhost.evil.example": 421, "172.17.0.3": 421,
	} {
		for port, handler := range map[string]http.Handler{"7845": server, "7846": operator} {
			r := httptest.NewRequest("GET", "/health", nil)
			r.Host = host + ":" + port
			local, err := net.ResolveTCPAddr("tcp", "172.17.0.2:"+port)
			if err != nil {
				t.Fatal(err)
			}
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, local)))
			if answer.Code != want {
				t.Errorf("%s is answered with %d, want %d", r.Host, answer.Code, want)
			}
		}
	}
}

// TestAServerWithoutANameSaysSo when it listens for others, and is otherwise silent.
func TestAServerWithoutANameSaysSo(t *testing.T) {
	for _, test := range []struct {
		at    string
		hosts hostList
		warns bool
		names string
	}{
		{"0.0.0.0:7845", nil, true, ""},
		{"[::]:7845", nil, true, ""},
		{"0.0.0.0:7845", hostList{"music.example.net"}, false, "music.example.net"},
		{"127.0.0.1:7845", nil, false, ""},
		{"192.0.2.7:7845", hostList{"music.example.net"}, false, "music.example.net 192.0.2.7:7845"},
	} {
		at, err := net.ResolveTCPAddr("tcp", test.at)
		if err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		warnUnnamed(at, "catalog-host", test.hosts, slog.New(slog.NewTextHandler(&said, nil)))
		if warned := strings.Contains(said.String(), "WAXWING_CATALOG_HOST"); warned != test.warns || !warned && said.Len() > 0 {
			t.Errorf("at %s with %v it says %q", test.at, test.hosts, said.String())
		}
		if got := strings.Join(catalogSettings{CatalogHosts: test.hosts}.names(at), " "); got != test.names {
			t.Errorf("at %s it answers to %q, want %q", test.at, got, test.names)
		}
	}
}
