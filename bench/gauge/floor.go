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

// The floor runs in a process of its own, like the server it is compared with: a request between
// processes costs more than one within a process.
const (
	floorFlag   = "--run-floor"
	floorSecret = "BENCH_FLOOR_CREDENTIAL"
)

// StartFloor starts a bare net/http server that checks the credential of like and sends body in
// reply to every request.
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

// RunFloorIfRequested serves as the floor and never returns if this process was started as one. The
// benchmark calls it first.
func RunFloorIfRequested() {
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
		_, _ = w.Write(body) // the client may have closed the connection
	}))
	if err != nil {
		panic(err)
	}
	fmt.Println(addr)
	select {}
}

// Serve listens on a free loopback port until the process ends.
func Serve(h http.Handler) (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	go func() { _ = http.Serve(ln, h) }() // ends with the process
	return "http://" + ln.Addr().String(), nil
}
