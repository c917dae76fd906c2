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

// echo answers every byte with itself, until the test ends.
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

func TestProxyHoldsBack(t *testing.T) {
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
		t.Errorf("both directions together took %v", took)
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
		t.Errorf("a reset connection says %v", err)
	}
	if _, err := roundTrip(dial(t, p)); err != nil {
		t.Errorf("a new connection says %v", err)
	}
}

func TestProxySwallows(t *testing.T) {
	p := testenv.NewProxy(t, echo(t))
	c := dial(t, p)
	if _, err := roundTrip(c); err != nil {
		t.Fatal(err)
	}
	p.Swallow(true)
	late := dial(t, p)
	for _, c := range []net.Conn{c, late} {
		if err := c.SetDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(c, "x\n"); err != nil {
			t.Fatalf("a half-open connection refuses bytes: %v", err)
		}
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("a half-open connection says %v", err)
		}
	}
	p.Swallow(false)
	if _, err := roundTrip(c); err == nil {
		t.Error("bytes were lost, and the connection lives on")
	}
	if _, err := roundTrip(dial(t, p)); err != nil {
		t.Errorf("a new connection says %v", err)
	}
}

func TestProxyIsCutAndRestored(t *testing.T) {
	p := testenv.NewProxy(t, echo(t))
	c := dial(t, p)
	if _, err := roundTrip(c); err != nil {
		t.Fatal(err)
	}
	p.Cut()
	if _, err := roundTrip(c); err == nil {
		t.Error("the old connection lives on")
	}
	if c, err := net.Dial("tcp", p.Addr()); err == nil {
		if _, err := roundTrip(c); err == nil {
			t.Error("a new connection is carried")
		}
		_ = c.Close()
	}
	p.Restore()
	if _, err := roundTrip(dial(t, p)); err != nil {
		t.Errorf("after the cut: %v", err)
	}
}
