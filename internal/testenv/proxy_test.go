package testenv_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// echo starts a server that sends back every byte until the test ends.
func echo(t *testing.T) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			running.Go(func() {
				defer c.Close()
				_, _ = io.Copy(c, c) // ended by the test
			})
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		running.Wait()
	})
	return ln.Addr().String()
}

func dial(t *testing.T, p *testenv.Proxy) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// roundTrip sends a line and returns how long its echo took.
func roundTrip(c net.Conn) (time.Duration, error) {
	begun := time.Now()
	if err := c.SetDeadline(begun.Add(5 * time.Second)); err != nil {
		return 0, err
	}
	if _, err := io.WriteString(c, "hello\n"); err != nil {
		return 0, err
	}
	_, err := bufio.NewReader(c).ReadString('\n')
	return time.Since(begun), err
}

func TestProxyDelays(t *testing.T) {
	p := testenv.NewProxy(t, echo(t))
	c := dial(t, p)
	if _, err := roundTrip(c); err != nil {
		t.Fatal(err)
	}
	p.Latency(150 * time.Millisecond)
	took, err := roundTrip(c)
	if err != nil {
		t.Fatal(err)
	}
	if took < 300*time.Millisecond {
		t.Errorf("round trip took %v, want at least 300ms", took)
	}
}

func TestProxyResets(t *testing.T) {
	p := testenv.NewProxy(t, echo(t))
	c := dial(t, p)
	if _, err := roundTrip(c); err != nil {
		t.Fatal(err)
	}
	p.Reset()
	if _, err := roundTrip(c); !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		t.Errorf("reset connection: got %v, want ECONNRESET or EPIPE", err)
	}
	if _, err := roundTrip(dial(t, p)); err != nil {
		t.Errorf("new connection: %v", err)
	}
}

func TestProxyBlackholeDropsData(t *testing.T) {
	p := testenv.NewProxy(t, echo(t))
	c := dial(t, p)
	if _, err := roundTrip(c); err != nil {
		t.Fatal(err)
	}
	p.Blackhole(true)
	late := dial(t, p)
	for _, c := range []net.Conn{c, late} {
		if err := c.SetDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, "x\n"); err != nil {
			t.Fatalf("write to a half-open connection: %v", err)
		}
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("read from a half-open connection: got %v, want a timeout", err)
		}
	}
	p.Blackhole(false)
	if _, err := roundTrip(c); err == nil {
		t.Error("the connection that lost data still works")
	}
	if _, err := roundTrip(dial(t, p)); err != nil {
		t.Errorf("new connection: %v", err)
	}
}

func TestProxyCutRefusesUntilRestore(t *testing.T) {
	p := testenv.NewProxy(t, echo(t))
	c := dial(t, p)
	if _, err := roundTrip(c); err != nil {
		t.Fatal(err)
	}
	p.Cut()
	if _, err := roundTrip(c); err == nil {
		t.Error("the old connection still works")
	}
	if c, err := net.Dial("tcp", p.Addr()); err == nil {
		if _, err := roundTrip(c); err == nil {
			t.Error("a new connection works, want it refused")
		}
		_ = c.Close()
	}
	p.Restore()
	if _, err := roundTrip(dial(t, p)); err != nil {
		t.Errorf("new connection after Restore: %v", err)
	}
}
