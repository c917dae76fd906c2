// Package peer starts the programs that ours is compared with, where they are installed: MPD,
// gonic, Navidrome, and a sound server to play to.
package peer

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"waxwing/bench/gauge"
)

// ErrAbsent means that a peer is not installed.
var ErrAbsent = errors.New("not installed")

// installed returns the path of a program, or ErrAbsent.
func installed(program string) (string, error) {
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("%s is %w", program, ErrAbsent)
	}
	return path, nil
}

// MPD is a running Music Player Daemon.
type MPD struct {
	*gauge.Process
	Addr string
}

// StartMPD starts MPD over a music folder, with its database in data, and returns when it accepts
// connections. Without a sound server it plays to a null output.
func StartMPD(data, music string, sound *Pulse) (*MPD, time.Duration, error) {
	program, err := installed("mpd")
	if err != nil {
		return nil, 0, err
	}
	addr, err := gauge.FreeAddr()
	if err != nil {
		return nil, 0, err
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, 0, err
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, 0, err
	}
	output, env := "type \"null\"\nname \"bench\"\nmixer_type \"null\"", []string(nil)
	if sound != nil {
		output, env = "type \"pulse\"\nname \"bench\"\nserver \""+sound.Server+"\"", sound.Env()
	}
	file := filepath.Join(data, "mpd.conf")
	text := fmt.Sprintf("music_directory %q\ndb_file %q\nbind_to_address %q\nport %q\nauto_update \"no\"\n"+
		"max_connections \"300\"\nzeroconf_enabled \"no\"\naudio_output {\n%s\n}\n",
		music, filepath.Join(data, "mpd.db"), host, port, output)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, 0, err
	}
	m := &MPD{Addr: addr}
	began := time.Now()
	if m.Process, err = gauge.Launch(env, program, "--no-daemon", "--stderr", file); err != nil {
		return nil, 0, err
	}
	_, err = m.Until("it accepted a connection", 60*time.Second, func() bool {
		c, err := m.Dial()
		if err != nil {
			return false
		}
		c.Close()
		return true
	})
	took := time.Since(began)
	if err != nil {
		m.Stop()
		return nil, 0, err
	}
	return m, took, nil
}

// MPDConn is a client of MPD.
type MPDConn struct {
	conn net.Conn
	in   *bufio.Reader
}

// Dial connects and reads the greeting.
func (m *MPD) Dial() (*MPDConn, error) { return DialMPD("tcp", m.Addr, "") }

// DialMPD connects to any server of the protocol, with a password unless that is empty.
func DialMPD(network, addr, password string) (*MPDConn, error) {
	conn, err := net.Dial(network, addr)
	if err != nil {
		return nil, err
	}
	c := &MPDConn{conn, bufio.NewReaderSize(conn, 64<<10)}
	if line, err := c.in.ReadString('\n'); err != nil || !strings.HasPrefix(line, "OK MPD") {
		c.Close()
		return nil, fmt.Errorf("MPD greeted with %q: %w", line, err)
	}
	if password != "" {
		if _, err := c.Do("password " + password); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

// Close closes the connection.
func (c *MPDConn) Close() { _ = c.conn.Close() }

// Send sends a command without waiting for the reply.
func (c *MPDConn) Send(command string) error {
	_, err := c.conn.Write([]byte(command + "\n"))
	return err
}

// Do sends a command and returns its reply, without the last line.
func (c *MPDConn) Do(command string) (string, error) {
	if err := c.Send(command); err != nil {
		return "", err
	}
	return c.Reply()
}

// Reply reads a reply, without the last line.
func (c *MPDConn) Reply() (string, error) {
	var reply strings.Builder
	for {
		line, err := c.in.ReadSlice('\n')
		switch {
		case err != nil:
			return "", err
		case string(line) == "OK\n":
			return reply.String(), nil
		case strings.HasPrefix(string(line), "ACK "):
			return "", fmt.Errorf("MPD refused a command: %s", line)
		}
		reply.Write(line)
	}
}

// Time returns how long a command takes until it is acknowledged.
func (c *MPDConn) Time(command string) (time.Duration, error) {
	began := time.Now()
	_, err := c.Do(command)
	return time.Since(began), err
}

// Update scans the music folder and returns when MPD has saved its database.
func (c *MPDConn) Update() error {
	if _, err := c.Do("update"); err != nil {
		return err
	}
	return c.WaitForUpdate()
}

// WaitForUpdate returns when no update is running. MPD queues events for a connection between two
// commands, so none is missed.
func (c *MPDConn) WaitForUpdate() error {
	for {
		status, err := c.Do("status")
		if err != nil || !strings.Contains(status, "updating_db") {
			return err
		}
		if _, err := c.Do("idle update"); err != nil {
			return err
		}
	}
}
