package httpkit_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/access"
	"waxwing/internal/audit"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// auditEntries sends requests to a server and returns the entries of its audit log.
func auditEntries(t *testing.T, requests ...*http.Request) (entries []audit.Entry) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "audit.log")
	log, err := audit.Open(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	handler := httpkit.New(httpkit.Config{
		Name: "test", Version: "1", Challenge: "Key", Log: slog.New(slog.DiscardHandler),
		Metrics: prometheus.NewRegistry(), Audit: log, Hosts: []string{"named.example"},
		Authenticate: func(_ http.ResponseWriter, r *http.Request) (httpkit.Caller, error) {
			key := r.Header.Get("X-Key")
			known := httpkit.Caller{ID: "k_" + key, Name: key, Permissions: access.Read}
			switch key {
			case "":
				return httpkit.Caller{}, httpkit.ErrNoCredential
			case "read":
				return known, nil
			case "both":
				known.Permissions |= access.Write
				return known, nil
			case "revoked":
				known.Refused = audit.Revoked
			case "expired":
				known.Refused = audit.Expired
			case "throttled":
				return known, fault.New(fault.TooMany, "slow down")
			default:
				known = httpkit.Caller{}
			}
			return known, fault.New(fault.Unauthenticated, "no")
		},
	}, []httpkit.Route{
		{Pattern: "GET /read", Need: httpkit.Read, Handler: respond(200, "")},
		{Pattern: "POST /write", Need: httpkit.Write, Handler: respond(200, "")},
		{
			Pattern: "POST /fails",
			Need:    httpkit.Write,
			Handler: func(http.ResponseWriter, *http.Request) error { return fault.New(fault.Conflict, "not now") },
		},
		{Pattern: "POST /create", Need: httpkit.Write, Handler: func(_ http.ResponseWriter, r *http.Request) error {
			httpkit.RecordEvent(r.Context(), audit.TokenCreated, "to_new", "radio")
			return nil
		}},
		{Pattern: "POST /poll", Need: httpkit.Public, Handler: respond(202, "")},
		{Pattern: "POST /request", Need: httpkit.Public, Handler: func(_ http.ResponseWriter, r *http.Request) error {
			httpkit.RecordEvent(r.Context(), audit.PairingRequested, "", "app")
			return nil
		}},
		{
			Pattern: "GET /signed",
			Need:    httpkit.Public,
			Handler: func(http.ResponseWriter, *http.Request) error { return fault.New(fault.Forbidden, "altered") },
		},
		{
			Pattern: "POST /rule",
			Need:    httpkit.Write,
			Handler: func(http.ResponseWriter, *http.Request) error { return fault.New(fault.Forbidden, "not you") },
		},
	})
	server := httptest.NewServer(handler)
	for _, r := range requests {
		r.URL.Scheme, r.URL.Host = "http", strings.TrimPrefix(server.URL, "http://")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	http.DefaultClient.CloseIdleConnections()
	server.Close()
	log.Close()
	for e, err := range audit.Read(path) {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	return entries
}

func request(t *testing.T, method, path, key string, headers ...string) *http.Request {
	t.Helper()
	r, err := http.NewRequest(method, "http://test"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = ""
	if key != "" {
		r.Header.Set("X-Key", key)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	return r
}

// TestAuditRecordsDenialsAndChanges checks that the audit log has every denial with its reason and
// every change with its caller, and no allowed reads.
func TestAuditRecordsDenialsAndChanges(t *testing.T) {
	page := []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}
	for _, c := range []struct {
		request *http.Request
		want    string // "" for no entry
	}{
		{request(t, "GET", "/read", "read"), ""},
		{request(t, "GET", "/nowhere", ""), ""},
		{request(t, "POST", "/poll", ""), ""},
		{request(t, "POST", "/write", "both"), "allowed  k_both both POST /write 200"},
		{request(t, "POST", "/fails", "both"), "allowed  k_both both POST /fails 409"},
		{request(t, "POST", "/create", "both"), "allowed  k_both both POST /create 200 token created to_new radio"},
		{request(t, "POST", "/request", ""), "allowed    POST /request 200 pairing requested  app"},
		{request(t, "GET", "/read", "read", "Host", "evil.example"), "denied host   unmatched 421"},
		{request(t, "GET", "/read", "read", page...), "denied origin k_read read GET /read 403"},
		{request(t, "POST", "/poll", "", page...), "denied origin   POST /poll 403"},
		{
			request(t, "OPTIONS", "/write", "", append(page, "Access-Control-Request-Method", "POST")...),
			"denied origin   unmatched 403",
		},
		{request(t, "GET", "/read", ""), "denied no credential   GET /read 401"},
		{request(t, "GET", "/read", "guess"), "denied invalid   GET /read 401"},
		{request(t, "GET", "/read", "revoked"), "denied revoked k_revoked revoked GET /read 401"},
		{request(t, "GET", "/read", "expired"), "denied expired k_expired expired GET /read 401"},
		{request(t, "GET", "/read", "throttled"), "denied rate limited k_throttled throttled GET /read 429"},
		{request(t, "POST", "/write", "read"), "denied lacks permission k_read read POST /write 403"},
		{request(t, "POST", "/rule", "both"), "denied lacks permission k_both both POST /rule 403"},
		{request(t, "GET", "/signed", ""), "denied invalid   GET /signed 403"},
	} {
		entries := auditEntries(t, c.request)
		got := ""
		for _, e := range entries {
			got = strings.Join(
				[]string{string(e.Decision), string(e.Reason), e.Credential, e.Name, e.Route, strconv.Itoa(e.Status)},
				" ",
			)
			if e.Event != "" {
				got += " " + strings.Join([]string{string(e.Event), e.Subject, e.SubjectName}, " ")
			}
			if e.Address != "127.0.0.1" || e.RequestID == "" || e.Server != "test" || e.Method != c.request.Method {
				t.Errorf("%s %s: got %+v, want the address, request id, server and method of the request",
					c.request.Method, c.request.URL.Path, e)
			}
		}
		if got != c.want || len(entries) > 1 {
			t.Errorf("%s %s: got %q in %d entries, want %q in at most one",
				c.request.Method, c.request.URL.Path, got, len(entries), c.want)
		}
	}
	var guesses []*http.Request
	for range 12 {
		guesses = append(guesses, request(t, "GET", "/read", "guess"))
	}
	entries := auditEntries(t, guesses...)
	if len(entries) != 12 || entries[9].Reason != audit.Invalid || entries[10].Reason != audit.LockedOut ||
		entries[10].Status != 429 {
		t.Errorf("12 guesses: got %+v, want 12 entries, locked out from the eleventh on", entries)
	}
}
