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

// TestAnswersGoOutWhole asks over one connection for answers around and beyond the size of
// net/http's buffer, and has the system count the packets that came: the loopback's are large
// enough for each answer.
func TestAnswersGoOutWhole(t *testing.T) {
	sizes := []int{0, 1, 3000, 4095, 4096, 4097, 6000, 8191, 8192, 8193, 40_000}
	var routes []httpkit.Route
	for _, size := range sizes {
		routes = append(routes, httpkit.Route{
			Pattern: fmt.Sprintf(
				"GET /%d",
				size,
			), Need: httpkit.Public, Handler: answer(http.StatusOK, strings.Repeat("x", size)),
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
				t.Errorf("%s /%d: %d of %d bytes came, %v", method, size, len(body), resp.ContentLength, err)
			}
			// A body a little smaller than the buffer may leave no room in it for the headers.
			if n := packets(t, conn) - before; n != 1 && (size < 3000 || size >= 4096 || n > 2) {
				t.Errorf("%s /%d came in %d packets", method, size, n)
			}
		}
	}
}

// packets is how many with data have come in.
func packets(t *testing.T, c net.Conn) (n uint32) {
	t.Helper()
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var info *unix.TCPInfo
	if cerr := raw.Control(func(fd uintptr) { info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) }); cerr != nil ||
		err != nil {
		t.Fatal(cerr, err)
	}
	return info.Data_segs_in
}
