package pulse

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// address is an address where a sound server may listen.
type address struct{ network, addr string }

const tcpPort = "4713"

// addresses lists where the sound server may listen, in the order to try. As other PulseAudio
// clients it uses PULSE_SERVER, PULSE_RUNTIME_PATH and XDG_RUNTIME_DIR.
func addresses(server string) []address {
	if server == "" {
		server = os.Getenv("PULSE_SERVER")
	}
	if server != "" {
		return parseServer(server)
	}
	var list []address
	unix := func(elem ...string) {
		if elem[0] != "" {
			list = append(list, address{"unix", filepath.Join(elem...)})
		}
	}
	unix(os.Getenv("PULSE_RUNTIME_PATH"), "native")
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		unix(dir, "pulse", "native")
	} else if uid := os.Getuid(); uid >= 0 {
		unix("/run/user", strconv.Itoa(uid), "pulse", "native")
	}
	unix("/run/pulse/native") // a system-wide server
	return list
}

// parseServer parses a server string: words, each an address that may begin with a host name in
// braces, for which alone it is valid.
func parseServer(s string) []address {
	host, _ := os.Hostname()
	var list []address
	for _, word := range strings.Fields(s) {
		if strings.HasPrefix(word, "{") {
			only, rest, ok := strings.Cut(word[1:], "}")
			if !ok || only != host {
				continue
			}
			word = rest
		}
		if a, ok := parseAddress(word); ok {
			list = append(list, a)
		}
	}
	return list
}

func parseAddress(s string) (address, bool) {
	if strings.HasPrefix(s, "/") {
		return address{"unix", s}, true
	}
	kind, rest, ok := strings.Cut(s, ":")
	switch {
	case s == "":
		return address{}, false
	case ok && kind == "unix":
		return address{"unix", rest}, rest != ""
	case ok && (kind == "tcp" || kind == "tcp4" || kind == "tcp6"):
		return address{kind, withPort(rest)}, rest != ""
	}
	return address{"tcp", withPort(s)}, true
}

func withPort(host string) string {
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), tcpPort)
}

// cookie reads the secret that a server may require in place of a user id. A server on this machine
// knows the user from the socket, so a missing file is no error.
func cookie() []byte {
	secret := make([]byte, 256)
	paths := []string{os.Getenv("PULSE_COOKIE")}
	if dir, err := os.UserConfigDir(); err == nil {
		paths = append(paths, filepath.Join(dir, "pulse", "cookie"))
	}
	if dir, err := os.UserHomeDir(); err == nil {
		paths = append(paths, filepath.Join(dir, ".pulse-cookie"))
	}
	for _, p := range paths {
		if f, err := os.Open(p); p != "" && err == nil {
			n, _ := f.Read(secret)
			_ = f.Close()
			if n == len(secret) {
				return secret
			}
		}
	}
	return make([]byte, 256)
}
