package e2e

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"waxwing/internal/access"
	"waxwing/internal/app"
	"waxwing/internal/testenv"
)

// example returns the code block of docs/deploy.md in a language, with the addresses of s.
func example(t *testing.T, s *server, language string) string {
	t.Helper()
	page, err := os.ReadFile("../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)^```$").FindSubmatch(page)
	if block == nil {
		t.Fatalf("docs/deploy.md has no example in %s", language)
	}
	catalog, player := strings.TrimPrefix(s.catalog, "http://"), strings.TrimPrefix(s.base, "http://")
	return strings.NewReplacer("127.0.0.1:7845", catalog, "127.0.0.1:7833", player, "10.0.0.11:7845", catalog,
		"10.0.0.12:7845", catalog, "port 7846", "port "+portOf(s.app.MetricsURL)).Replace(string(block[1]))
}

// portOf returns the part of an address after the last colon.
func portOf(addr string) string { return addr[strings.LastIndexByte(addr, ':')+1:] }

// runProxy runs a program until the test ends, and waits until it accepts connections.
func runProxy(t *testing.T, addr, dir string, args ...string) {
	t.Helper()
	var log testenv.Buffer
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = environment(dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir), &log, &log
	testenv.KillWithParent(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("log of %s:\n%s", args[0], &log)
		}
	})
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			_ = c.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s does not listen: %v\n%s", args[0], err, &log)
		}
	}
}

// writeCertificate writes a self-signed certificate and its key.
func writeCertificate(t *testing.T, dir string, names ...string) (certificate, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: names, NotAfter: time.Now().Add(time.Hour)}
	public, err := x509.CreateCertificate(rand.Reader, &template, &template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	certificate, key = filepath.Join(dir, "pem"), filepath.Join(dir, "key")
	for file, block := range map[string]*pem.Block{
		certificate: {Type: "CERTIFICATE", Bytes: public}, key: {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certificate, key
}

// TestProxyExamples runs the proxies of docs/deploy.md with their documented configuration.
func TestProxyExamples(t *testing.T) {
	testenv.NeedsTool(t, "nginx", "caddy", "haproxy", "chromium", "node", "npm")
	installBrowserTools(t)
	t.Parallel()
	const publicPlayer = "https://player.example.net"
	s := start(t, func(c *app.Config) {
		c.MetricsAddr = "127.0.0.1:0"
		c.Catalog.PublicURL, c.Player.PublicURL = "https://music.example.net", publicPlayer
	})
	t.Run("nginx", func(t *testing.T) {
		dir := t.TempDir()
		addr := freeAddr(t)
		certificate, key := writeCertificate(t, dir, "music.example.net", "player.example.net")
		block := regexp.MustCompile(`/etc/ssl/\S+\.pem`).ReplaceAllString(example(t, s, "nginx"), certificate)
		block = regexp.MustCompile(`/etc/ssl/\S+\.key`).ReplaceAllString(block, key)
		block = strings.ReplaceAll(block, "listen 443 ssl", "listen "+addr+" ssl")
		config := fmt.Sprintf("daemon off;\npid %[1]s/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n"+
			"client_body_temp_path %[1]s/a;\nproxy_temp_path %[1]s/b;\nfastcgi_temp_path %[1]s/c;\nuwsgi_temp_path %[1]s/d;\n"+
			"scgi_temp_path %[1]s/e;\n%[2]s}\n", dir, block)
		if os.Geteuid() == 0 {
			config = "user root;\n" + config
		}
		runProxy(t, addr, dir, "nginx", "-c", writeConfig(t, dir, config), "-p", dir)
		checkProxy(t, s, addr)
		t.Log(node(t, time.Minute, "node", "proxy.mjs", publicPlayer, addr, s.token))
		if s.get("/playback-state")["is_playing"] != true {
			t.Error("the player does not play after the click in the browser")
		}
	})
	t.Run("caddy", func(t *testing.T) {
		dir := t.TempDir()
		addr, plain := freeAddr(t), freeAddr(t)
		config := fmt.Sprintf("{\n\tadmin off\n\tauto_https disable_redirects\n\tlocal_certs\n\tskip_install_trust\n"+
			"\tdefault_bind 127.0.0.1\n\thttps_port %s\n\thttp_port %s\n}\n\n%s",
			portOf(addr), portOf(plain), example(t, s, "caddy"))
		runProxy(t, addr, dir, "caddy", "run", "--adapter", "caddyfile", "--config", writeConfig(t, dir, config))
		checkProxy(t, s, addr)
	})
	t.Run("haproxy", func(t *testing.T) {
		dir := t.TempDir()
		addr := freeAddr(t)
		config := fmt.Sprintf("global\n\tmaxconn 100\ndefaults\n\tmode http\n\ttimeout connect 5s\n\ttimeout client 60s\n"+
			"\ttimeout server 60s\nfrontend test\n\tbind %s\n\tdefault_backend waxwing\n%s", addr, example(t, s, "haproxy"))
		runProxy(t, addr, dir, "haproxy", "-db", "-f", writeConfig(t, dir, config))
		s.eventually(20*time.Second, "the health check of HAProxy", func() bool {
			req, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+addr+"/health", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Host = "music.example.net"
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				return false
			}
			defer resp.Body.Close()
			return resp.StatusCode == http.StatusOK && resp.Header.Get("X-Waxwing-Version") != ""
		})
	})
}

func writeConfig(t *testing.T, dir, text string) string {
	t.Helper()
	file := filepath.Join(dir, "config")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// checkProxy uses both servers through the TLS proxy at addr, as a browser and as a program.
func checkProxy(t *testing.T, s *server, addr string) {
	t.Helper()
	through := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // a certificate of this test
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, addr)
		},
	}}
	defer through.CloseIdleConnections()
	do := func(method, url, body string, header ...string) (*http.Response, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		resp, err := through.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
			line, err := bufio.NewReader(resp.Body).ReadString('\n')
			if err != nil {
				t.Errorf("%s: %v", url, err)
			}
			return resp, line
		}
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Errorf("%s: %v", url, err)
		}
		return resp, string(text)
	}
	s.eventually(20*time.Second, "the proxy's certificates", func() bool {
		resp, err := through.Get("https://player.example.net/health")
		if err != nil {
			return false
		}
		return resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	})
	const player, music = "https://player.example.net", "https://music.example.net"
	token := "Bearer " + s.token
	for _, test := range []struct {
		method, path, origin, site string
		want                       int
	}{
		{"GET", "/", "", "none", 200},
		{"GET", "/web/app.js", "", "same-origin", 200},
		{"POST", "/volume", player, "same-origin", 200},
		{"POST", "/volume", "https://PLAYER.example.net", "same-origin", 200},
		{"POST", "/volume", "http://player.example.net", "same-site", 403},
		{"POST", "/volume", "http://player.example.net", "same-origin", 403},
		{"POST", "/volume", music, "same-site", 403},
		{"POST", "/volume", "https://evil.example", "cross-site", 403},
		{"POST", "/volume", "https://player.example.net:8443", "same-site", 403},
	} {
		header := []string{"Authorization", token, "Sec-Fetch-Site", test.site, "X-Forwarded-Proto", "http",
			"X-Forwarded-Host", "evil.example"}
		if test.origin != "" {
			header = append(header, "Origin", test.origin, "Content-Type", "application/json")
		}
		body := ""
		if test.method == "POST" {
			body = `{"volume": 40}`
		}
		if resp, text := do(test.method, player+test.path, body, header...); resp.StatusCode != test.want {
			t.Errorf("%s %s from %q: got %d %.100s, want %d", test.method, test.path, test.origin, resp.StatusCode, text,
				test.want)
		}
	}
	if _, line := do("GET", player+"/events", "", "Authorization", token); line != "event: state\n" {
		t.Errorf("/events: got %q, want the state at once", line)
	}
	hash, nonce := access.HashOf(s.token), rand.Text()
	_, text := do("POST", player+"/identity", fmt.Sprintf(`{"fingerprint": %q, "nonce": %q}`, hash.Fingerprint(), nonce),
		"Content-Type", "application/json")
	var identity struct{ Signature string }
	if err := json.Unmarshal([]byte(text), &identity); err != nil ||
		!hash.VerifyIdentity("player.example.net", nonce, identity.Signature) {
		t.Errorf("/identity: got %s, %v; want a signature for the public name", text, err)
	}
	for base, other := range map[string]string{player: "127.0.0.1:7833", music: "127.0.0.1:7845"} {
		if _, page := do("GET", base+"/docs", ""); !strings.Contains(page, "<code>"+base+"</code>") ||
			strings.Contains(page, "<code>http://"+other+"</code>") {
			t.Errorf("%s/docs does not name its public URL", base)
		}
	}
	client := s.catalogClient("read")
	id := client.read("/api/songs?limit=1")["songs"].([]any)[0].(map[string]any)["id"].(string)
	_, text = do("GET", music+"/api/songs/"+id+"/link", "", "X-Api-Key", client.key)
	var link struct{ URL string }
	if err := json.Unmarshal([]byte(text), &link); err != nil || !strings.HasPrefix(link.URL, music+"/") {
		t.Fatalf("link: got %s, %v; want a URL below %s", text, err, music)
	}
	if resp, _ := do("GET", link.URL, ""); resp.StatusCode != http.StatusOK {
		t.Errorf("the signed link: got %d, want 200", resp.StatusCode)
	}
}
