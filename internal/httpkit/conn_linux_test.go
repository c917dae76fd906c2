package httpkit_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"waxwing/internal/httpkit"
)

// TestReplyIsSentInOnePacket requests replies around and beyond the size of net/http's buffer over
// one connection and reads the packet count from the kernel. A loopback packet is large enough for
// each reply.
func TestReplyIsSentInOnePacket(t *testing.T) {
	sizes := []int{0, 1, 3000, 4095, 4096, 4097, 6000, 8191, 8192, 8193, 40_000}
	var routes []httpkit.Route
	for _, size := range sizes {
		routes = append(routes, httpkit.Route{
			Pattern: fmt.Sprintf("GET /%d", size),
			Need:    httpkit.Public,
			Handler: respond(http.StatusOK, strings.Repeat("x", size)),
		})
	}
	f := serve(t, "127.0.0.1:0", nil, routes...)
	conn, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodGet} {
		for _, size := range sizes {
			before := packets(t, conn)
			r, err := http.NewRequest(method, fmt.Sprintf("%s/%d", f.url, size), nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Write(conn); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(in, r)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			want := size
			if method == http.MethodHead {
				want = 0
			}
			if err != nil || resp.ContentLength != int64(size) || string(body) != strings.Repeat("x", want) {
				t.Errorf("%s /%d: got %d bytes with Content-Length %d and error %v, want %d bytes and %d",
					method, size, len(body), resp.ContentLength, err, want, size)
			}
			// A body slightly smaller than the buffer may leave no room for the headers.
			if n := packets(t, conn) - before; n != 1 && (size < 3000 || size >= 4096 || n > 2) {
				t.Errorf("%s /%d: got %d packets, want 1", method, size, n)
			}
		}
	}
}

// packets returns the number of data packets that c has received.
func packets(t *testing.T, c net.Conn) (n uint32) {
	t.Helper()
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var info *unix.TCPInfo
	controlErr := raw.Control(func(fd uintptr) {
		info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
	})
	if controlErr != nil || err != nil {
		t.Fatalf("read TCP_INFO: %v, %v", controlErr, err)
	}
	return info.Data_segs_in
}
