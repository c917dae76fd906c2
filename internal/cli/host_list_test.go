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

	"waxwing/internal/app"
	"waxwing/internal/httpkit"
)

// TestContainerRepliesToItsHostNames: requests reach a container at an address it does not know,
// with the host name its user typed.
func TestContainerRepliesToItsHostNames(t *testing.T) {
	text, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	for _, env := range regexp.MustCompile(`\b(WAXWING_\w+)=(\S+)`).FindAllStringSubmatch(string(text[bytes.Index(text,
		[]byte("\nENV ")):]), -1) {
		t.Setenv(env[1], env[2])
	}
	hosts := hostList(strings.Split(showSetting(t, "catalog-host").Value, ", "))
	if err := hosts.check("catalog-host"); err != nil {
		t.Fatal(err)
	}
	server := httpkit.New(httpkit.Config{Name: "catalog", Hosts: hosts, Log: slog.New(slog.DiscardHandler),
		Metrics: prometheus.NewRegistry(),
		Authenticate: func(http.ResponseWriter, *http.Request) (httpkit.Caller, error) {
			return httpkit.Caller{}, httpkit.ErrNoCredential
		}},
		[]httpkit.Route{{Pattern: "GET /health", Need: httpkit.Public,
			Handler: func(w http.ResponseWriter, _ *http.Request) error { return nil }}})
	operator := httpkit.NewOperator(httpkit.Operator{Hosts: app.OperatorHosts(hosts), Log: slog.New(slog.DiscardHandler),
		Metrics: prometheus.NewRegistry(), AllMetrics: prometheus.NewRegistry()})
	for host, want := range map[string]int{
		"localhost": 200, "127.0.0.1": 200, "[::1]": 200, "evil.example": 421, "localhost.evil.example": 421,
		"172.17.0.3": 421,
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
				t.Errorf("%s got %d, want %d", r.Host, answer.Code, want)
			}
		}
	}
}
