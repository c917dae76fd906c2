package stream

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"waxwing/internal/fault"
	"waxwing/internal/testenv"
)

func TestOnlyPublicAddressesArePermitted(t *testing.T) {
	tried := 0
	lan := Policy{Allow: []netip.Prefix{netip.MustParsePrefix("192.168.7.0/24"), netip.MustParsePrefix("fd00::/64")}}
	for addr, want := range map[string]bool{
		"93.184.216.34": true, "8.8.8.8": true, "172.32.0.1": true, "100.128.0.1": true, "2606:4700::1111": true,
		"64:ff9b::808:808": true, "2002:808:808::1": true, "::ffff:8.8.8.8": true,

		"127.0.0.1": false, "127.255.255.254": false, "0.0.0.0": false, "0.1.2.3": false, "10.0.0.1": false,
		"172.16.0.1": false, "172.31.255.255": false, "192.168.0.1": false, "169.254.169.254": false,
		"100.64.0.1": false, "192.0.0.8": false, "192.0.2.1": false, "198.18.0.1": false, "198.51.100.7": false,
		"203.0.113.9": false, "224.0.0.1": false, "239.255.255.250": false, "240.0.0.1": false,
		"255.255.255.255": false,

		"::": false, "::1": false, "fe80::1": false, "fe80::1%eth0": false, "fec0::1": false, "fc00::1": false,
		"fd12:3456::1": false, "ff02::1": false, "2001:db8::1": false, "2001::1": false, "3fff::1": false,
		"4000::1": false, "100::1": false, "::127.0.0.1": false, "::ffff:127.0.0.1": false,
		"::ffff:169.254.169.254": false, "::ffff:0:127.0.0.1": false, "64:ff9b::7f00:1": false,
		"64:ff9b::a9fe:a9fe": false, "64:ff9b::c0a8:1": false, "64:ff9b:1::8.8.8.8": false, "2002:7f00:1::1": false,
		"2002:a00:1::": false, "2002:c0a8:701::": false,
	} {
		tried++
		if got := (Policy{}).Permits(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s: got permitted %v, want %v", addr, got, want)
		}
	}
	for addr, want := range map[string]bool{
		"192.168.7.9": true, "::ffff:192.168.7.9": true, "64:ff9b::c0a8:709": true, "fd00::5": true, "8.8.8.8": true,
		"192.168.8.1": false, "fd01::5": false, "127.0.0.1": false,
	} {
		tried++
		if got := lan.Permits(netip.MustParseAddr(addr)); got != want {
			t.Errorf("%s with allowed networks: got permitted %v, want %v", addr, got, want)
		}
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range own {
		if ip, ok := netip.AddrFromSlice(a.(*net.IPNet).IP); ok && (Policy{}).Permits(ip.Unmap()) {
			t.Errorf("%s: got permitted, want denied because it is of this machine", ip)
		}
	}
	testenv.Report(t, testenv.StreamAddresses, testenv.Tally{Inputs: tried + len(own),
		Note: testenv.TriedOf(tried, 50, "addresses")})
}

func TestURLsThatAreNeverRequested(t *testing.T) {
	tried := 0
	for url, kind := range map[string]fault.Kind{
		"file:///etc/passwd": fault.Invalid, "ftp://example.com/x": fault.Invalid, "gopher://example.com": fault.Invalid,
		"//example.com/x": fault.Invalid, "http:///x": fault.Invalid, "http://": fault.Invalid, "x": fault.Invalid,
		"http://user:secret@example.com/x": fault.Invalid, "http://user@example.com/": fault.Invalid,
		"http://example.com/\nHost: x": fault.Invalid, "http://example.com/\x00": fault.Invalid,
		"http://example.com/" + strings.Repeat("x", MaxURL): fault.Invalid, "http://[::1": fault.Invalid,
		"http://127.0.0.1/": fault.Forbidden, "http://[::1]:7833/": fault.Forbidden,
		"http://169.254.169.254/latest/meta-data": fault.Forbidden, "http://[::ffff:10.0.0.1]/": fault.Forbidden,
	} {
		tried++
		_, err := (Policy{}).Parse(url)
		if got, sentence := fault.Of(err); err == nil || got != kind || strings.Contains(sentence, "secret") {
			t.Errorf("%.60q: got %v, want kind %d without the URL", url, err, kind)
		}
	}
	if _, err := (Policy{}).Parse("https://radio.example:8443/live?x=1"); err != nil {
		t.Errorf("an ordinary URL: got %v, want no error", err)
	}
	testenv.Report(t, testenv.StreamAddresses, testenv.Tally{Inputs: tried,
		Note: "URLs that are refused before a request"})
}

// counter is a server that counts its requests.
func counter(t *testing.T, address string, handler http.HandlerFunc) (url string, requests *atomic.Int64) {
	t.Helper()
	ln, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("cannot listen on %s: %v", address, err)
	}
	requests = &atomic.Int64{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		handler(w, r)
	}))
	_ = s.Listener.Close()
	s.Listener = ln
	s.Start()
	t.Cleanup(s.Close)
	return s.URL, requests
}

// Every way to name an address that is not permitted ends before a connection is made.
func TestNothingLeadsToDeniedAddresses(t *testing.T) {
	inside, reached := counter(t, "127.0.0.2:0", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(radioMP3(t))
	})
	_, port, _ := strings.Cut(strings.TrimPrefix(inside, "http://"), ":")
	for _, host := range []string{
		"127.0.0.2", "localhost", "localhost.", "LOCALHOST", "0.0.0.0", "127.2", "0x7f.0.0.2", "0177.0.0.2", "2130706434",
		"[::ffff:127.0.0.2]", "[::ffff:7f00:2]", "[64:ff9b::7f00:2]", "[::]", "[::1]", "127.0.0.2.", "①②⑦.0.0.2",
	} {
		if _, err := client(Policy{}).Open(t.Context(), "http://"+host+":"+port+"/x", ignore); err == nil {
			t.Errorf("host %s: got no error, want one", host)
		}
	}
	permitted := Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	for name, reply := range map[string]http.HandlerFunc{
		"redirect": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, inside, http.StatusFound) },
		"redirect to a file": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusMovedPermanently)
		},
		"redirect with a password": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://u:p@"+r.Host+"/x", http.StatusTemporaryRedirect)
		},
		"playlist": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("#EXTM3U\n" + inside + "\n")) },
		"playlist of files": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("[playlist]\nFile1=file:///etc/passwd\nFile2=" + inside + "\n"))
		},
		"endless redirects": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
		},
	} {
		url, requests := counter(t, "127.0.0.1:0", reply)
		if _, err := client(permitted).Open(t.Context(), url, ignore); err == nil {
			t.Errorf("%s: got no error, want one", name)
		}
		if n := requests.Load(); n < 1 || n > maxRedirects+1 {
			t.Errorf("%s: got %d requests, want 1 to %d", name, n, maxRedirects+1)
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("requests to a denied address: got %d, want 0", n)
	}
	testenv.Report(t, testenv.StreamAddresses, testenv.Tally{Inputs: 22, Violations: int(reached.Load()),
		Note: "ways to write a host, redirects and playlists that lead to a server inside"})
}

func TestServersLearnNothingSecret(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.9:1")
	var seen http.Header
	url, _ := counter(t, "127.0.0.1:0", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			http.SetCookie(w, &http.Cookie{Name: "id", Value: "1"})
			http.Redirect(w, r, "/next?token=x", http.StatusFound)
			return
		}
		seen = r.Header
		w.WriteHeader(http.StatusTeapot)
	})
	_, err := client(loopback).Open(t.Context(), url+"/?token=secret", ignore)
	if err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "token") {
		t.Errorf("error: got %v, want one without the URL", err)
	}
	for name := range seen {
		if name != "User-Agent" && name != "Icy-Metadata" && name != "Connection" {
			t.Errorf("header sent after a redirect: got %s: %v, want only those of the request", name, seen[name])
		}
	}
	if seen.Get("User-Agent") != "Waxwing/test" {
		t.Errorf("User-Agent: got %q, want Waxwing/test", seen.Get("User-Agent"))
	}
}
