package gauge

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
)

// The floor runs in a process of its own, like what it is compared with: a request that
// crosses from one process to another costs more than one that does not.
const (
	floorFlag   = "--be-the-floor"
	floorSecret = "BENCH_FLOOR_CREDENTIAL"
)

// StartFloor starts a bare net/http server that checks the credential of like and answers every request with body.
func StartFloor(like Target, body []byte) (Target, func(), error) {
	self, err := os.Executable()
	if err != nil {
		return Target{}, nil, err
	}
	cmd := exec.Command(self, floorFlag, like.Header)
	cmd.Env = append(os.Environ(), floorSecret+"="+like.Credential)
	cmd.Stdin = strings.NewReader(string(body))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return Target{}, nil, err
	}
	if err := cmd.Start(); err != nil {
		return Target{}, nil, err
	}
	stop := func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return Target{}, nil, err
	}
	return Target{strings.TrimSpace(addr), like.Header, like.Credential}, stop, nil
}

// MaybeBeTheFloor turns this process into a floor if it was started as one; the bench calls it first.
func MaybeBeTheFloor() {
	if len(os.Args) != 3 || os.Args[1] != floorFlag {
		return
	}
	header, secret := os.Args[2], os.Getenv(floorSecret)
	body, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	addr, err := Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(header) != secret {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // a client that is gone is none of the floor's business
	}))
	if err != nil {
		panic(err)
	}
	fmt.Println(addr)
	select {}
}

// Serve listens on a free loopback port for as long as this process lives.
func Serve(h http.Handler) (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() { _ = http.Serve(ln, h) }() // ends with the process
	return "http://" + ln.Addr().String(), nil
}
