package stream

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"waxwing/internal/testenv"
)

// nameServer answers each question for an IPv4 address with the next of the addresses, and the last
// one from then on.
func nameServer(t *testing.T, addresses ...string) (names *net.Resolver, asked *atomic.Int64) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	asked = &atomic.Int64{}
	go func() {
		b := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			end := 12
			for end < n && b[end] != 0 {
				end += int(b[end]) + 1
			}
			if end+5 > n {
				continue
			}
			kind := binary.BigEndian.Uint16(b[end+1:])
			reply := append([]byte{b[0], b[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, b[12:end+5]...)
			if kind == 1 {
				i := min(int(asked.Add(1)), len(addresses)) - 1
				ip := netip.MustParseAddr(addresses[i]).As4()
				reply[7] = 1
				reply = append(append(reply, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4), ip[:]...)
			}
			_, _ = conn.WriteTo(reply, from) // a lost reply is asked for again
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}, asked
}

// A name that leads to a permitted address at first, and inside afterwards, opens nothing inside.
func TestNamesCannotBeRebound(t *testing.T) {
	inside, reached := counter(t, "127.0.0.2:0", func(http.ResponseWriter, *http.Request) {})
	_, port, _ := strings.Cut(strings.TrimPrefix(inside, "http://"), ":")
	content := radioMP3(t)
	outside, served := counter(t, "127.0.0.1:"+port, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("icy-name", "Radio")
		_, _ = w.Write(content[:60_000]) // then it breaks off
	})
	policy := Policy{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	for _, test := range []struct {
		name      string
		addresses []string
		plays     bool
	}{
		{"a private answer", []string{"127.0.0.2"}, false},
		{"an answer that changes", []string{"127.0.0.1", "127.0.0.2"}, true},
		{"link-local", []string{"169.254.169.254"}, false},
	} {
		c := client(policy)
		names, asked := nameServer(t, test.addresses...)
		c.http = newHTTP(policy, names)
		ctx, cancel := context.WithCancel(t.Context())
		src, err := c.Open(ctx, "http://radio.example:"+port+"/x", ignore)
		if (err == nil) != test.plays {
			t.Errorf("%s: got %v, want that it plays: %v", test.name, err, test.plays)
		}
		if err == nil {
			buffer := make([]float32, 8192)
			for err == nil { // until it has tried to connect again
				_, err = src.Read(buffer)
			}
			if !errors.Is(err, io.EOF) || asked.Load() < 2 {
				t.Errorf("%s: got %v after %d questions, want the end after a second one", test.name, err, asked.Load())
			}
			_ = src.Close() // it was only read from
		}
		cancel()
	}
	if n := served.Load(); n != 1 {
		t.Errorf("requests to the permitted server %s: got %d, want 1", outside, n)
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("requests to a denied address: got %d, want 0", n)
	}
	testenv.Report(t, testenv.StreamAddresses, testenv.Tally{Inputs: 3, Violations: int(reached.Load()),
		Note: "names whose address is inside, or changes while a radio is connected again"})
}
