package testenv

import (
	"net/url"
	"strings"
)

// ForeignHosts returns values of the Host header that a server on that port must refuse unless it
// is configured to accept them: other names, other spellings of its own name, and invalid names.
func ForeignHosts(port string) []string {
	hosts := []string{
		"evil.example", "localhost", "127.0.0.1", "[::1]", "::1", "::1:" + port, "localhost:1",
		"127.0.0.1:80", "[::1]:443", "localhost:", "", "null",
		"localhost:0" + port, "localhost:+" + port, "localhost:" + port + "0",
		"localhost:" + port + ":" + port, "localhost:" + port + ".evil.example",
		"127.0.0.1:" + port + "@evil.example", "user@localhost:" + port, "localhost:" + port + "/",
		"127.0.0.1:" + port + "#",
	}
	for _, name := range []string{
		"evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "localhost.",
		"localhost.localdomain", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "127.1",
		"127.0.0.2", "127.000.000.001", "0.0.0.0", "0", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
		"[0:0:0:0:0:0:0:1]", "[::1%25lo]", "[127.0.0.1]", "local host", "xn--localhost", "ⓛocalhost",
		"localhost%00", "169.254.169.254",
	} {
		hosts = append(hosts, name+":"+port)
	}
	return hosts
}

// NearMisses returns n strings that differ slightly from a credential: one letter changed, removed
// or added, or all in upper case.
func NearMisses(credential string, n int) (all []string) {
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-. %"
	for i := 0; len(all) < n; i++ {
		at, letter := i%len(credential), string(letters[(i/len(credential))%len(letters)])
		near := credential[:at] + letter + credential[at+1:]
		switch i / (len(credential) * len(letters)) {
		case 1:
			near = credential[:at] + credential[at+1:]
		case 2:
			near = credential[:at] + letter + credential[at:]
		case 3:
			near = strings.ToUpper(near)
		}
		if strings.TrimSpace(near) != credential {
			all = append(all, near)
		}
	}
	return all
}

// Payloads returns 200 strings that have broken databases or parsers.
func Payloads() []string {
	seeds := []string{
		"'", `"`, "`", `\`, ";", "--", "/*", "#", "%", "_", "\x00", "\xff\xfe", "\u202e", "\ufeff", "𝕏",
		"' OR '1'='1", `" OR "1"="1`, "1 OR 1=1", "1; DROP TABLE songs; --",
		"'; DROP TABLE songs; --", "' UNION SELECT hash FROM keys --", "1' AND SLEEP(5)#",
		"'||pg_sleep(5)--", "$1", "$$;SELECT 1;$$", "?", ":name", "@x", "NULL", "null", "true", "undefined",
		"NaN",
		"Infinity", "-1", "0", "1e309", "9223372036854775808", "-9223372036854775809", "0x7fffffff", "１",
		"..", "../../etc/passwd", "%2e%2e%2f", "${jndi:ldap://x}", "{{7*7}}", "<script>alert(1)</script>",
		"\r\nX-Injected: 1", "so_' OR 1=1 --aaaaaaaaaaaa", "pl_%",
	}
	var all []string
	for _, s := range seeds {
		all = append(all, s, "a"+s, s+strings.Repeat("A", 300), url.QueryEscape(s)+"*")
	}
	return all[:200]
}

// ScriptPayloads returns 30 strings that other programs have executed or rendered when they found
// them in a tag.
func ScriptPayloads() []string {
	return []string{
		"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>",
		"<svg><script>alert(1)</script></svg>", `"><script>alert(1)</script>`,
		`'><img src=x onerror=alert(1)>`,
		"javascript:alert(1)", "<a href=javascript:alert(1)>x</a>",
		"<iframe srcdoc='<script>alert(1)</script>'>", "<body onload=alert(1)>",
		"</title><script>alert(1)</script>", "</script><script>alert(1)</script>",
		"<math><mtext></table><img src=x onerror=alert(1)>", "<details open ontoggle=alert(1)>",
		"<style>@import 'http://evil.example/x.css'</style>",
		"<link rel=stylesheet href=http://evil.example/x>",
		"<meta http-equiv=refresh content=0;url=http://evil.example>", "<base href=http://evil.example/>",
		"<form action=http://evil.example><input autofocus onfocus=alert(1)>", "${alert(1)}",
		"{{constructor.constructor('alert(1)')()}}", "`${alert(1)}`",
		"&lt;script&gt;alert(1)&lt;/script&gt;", `\u003cscript\u003ealert(1)\u003c/script\u003e`,
		"\x1b]0;owned\x07title", "\x1b[2J\x1b[1;1Hcleared",
		"\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\", "\u009b31mC1 red", "\u202egnp.exe\u202c",
		"line\r\n\u2028two\u2029\x00nul",
	}
}
