package race

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// mpd is a running Music Player Daemon with an empty database. Its music folder is empty until reveal.
type mpd struct {
	cmd   *exec.Cmd
	conn  net.Conn
	lines *bufio.Reader
	music string
}

// startMPD starts the daemon as a distribution ships it: a plain database, its default metadata, no sound device.
func startMPD(ctx context.Context, dir string) (*mpd, error) {
	music, socket := filepath.Join(dir, "music"), filepath.Join(dir, "socket")
	if err := os.Mkdir(music, 0o755); err != nil {
		return nil, err
	}
	conf := fmt.Sprintf(`music_directory "%s"
bind_to_address "%s"
log_file "/dev/null"
auto_update "no"
database {
	plugin "simple"
	path "%s"
}
audio_output {
	type "null"
	name "none"
}
`, music, socket, filepath.Join(dir, "database"))
	file := filepath.Join(dir, "mpd.conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		return nil, err
	}
	m := &mpd{cmd: exec.CommandContext(ctx, "mpd", "--no-daemon", file), music: music}
	if err := m.cmd.Start(); err != nil {
		return nil, err
	}
	if err := m.connect(ctx, socket); err != nil {
		m.stop()
		return nil, err
	}
	return m, nil
}

func (m *mpd) connect(ctx context.Context, socket string) (err error) {
	patience := time.Now().Add(30 * time.Second)
	for {
		if m.conn, err = new(net.Dialer).DialContext(ctx, "unix", socket); err == nil {
			break
		}
		if time.Now().After(patience) {
			return fmt.Errorf("reach mpd: %w", err)
		}
		time.Sleep(5 * time.Millisecond)
	}
	m.lines = bufio.NewReader(m.conn)
	_, err = m.lines.ReadString('\n') // its greeting
	if err != nil {
		return err
	}
	return m.settled()
}

// ask sends a command and returns the fields of its answer.
func (m *mpd) ask(command string) (map[string]string, error) {
	if _, err := fmt.Fprintln(m.conn, command); err != nil {
		return nil, fmt.Errorf("ask mpd to %s: %w", command, err)
	}
	fields := map[string]string{}
	for {
		line, err := m.lines.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("ask mpd to %s: %w", command, err)
		}
		line = strings.TrimSuffix(line, "\n")
		if line == "OK" {
			return fields, nil
		}
		if strings.HasPrefix(line, "ACK") {
			return nil, fmt.Errorf("mpd says %s", line)
		}
		if key, value, ok := strings.Cut(line, ": "); ok {
			fields[key] = value
		}
	}
}

// reveal puts the music where the daemon looks for it.
func (m *mpd) reveal(music string) error { return os.Symlink(music, filepath.Join(m.music, "library")) }

// update looks through the music folder and returns when the daemon says that it has, which is after it has written its database.
func (m *mpd) update(songs int) (took, cpu time.Duration, err error) {
	before, err := m.cpu()
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	if _, err := m.ask("update"); err != nil {
		return 0, 0, err
	}
	if err := m.settled(); err != nil {
		return 0, 0, err
	}
	took = time.Since(began)
	after, err := m.cpu()
	if err != nil {
		return 0, 0, err
	}
	stats, err := m.ask("stats")
	if err == nil && stats["songs"] != fmt.Sprint(songs) {
		err = fmt.Errorf("mpd holds %s songs and not %d", stats["songs"], songs)
	}
	return took, after - before, err
}

// cpu is what the daemon has used so far, its threads that have ended included.
func (m *mpd) cpu() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", m.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, numbers, _ := strings.Cut(string(text), ") ") // behind the name, which may hold anything
	var user, system time.Duration
	skipped := strings.SplitN(numbers, " ", 12)
	if _, err := fmt.Sscan(skipped[len(skipped)-1], &user, &system); err != nil {
		return 0, fmt.Errorf("read the times of mpd: %w", err)
	}
	const tick = 10 * time.Millisecond
	return (user + system) * tick, nil
}

// settled waits while an update runs. The daemon remembers events for a connection between two commands, so none is missed.
func (m *mpd) settled() error {
	for {
		status, err := m.ask("status")
		if err != nil || status["updating_db"] == "" {
			return err
		}
		if _, err := m.ask("idle update"); err != nil {
			return err
		}
	}
}

func (m *mpd) stop() {
	if m.conn != nil {
		_ = m.conn.Close() // the daemon ends now anyway
	}
	_ = m.cmd.Process.Kill()
	var exit *exec.ExitError
	if err := m.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, "mpd:", err)
	}
}
