package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// browser is the command that opens a file in the browser of this desktop.
type browser struct{ command []string }

// findBrowser returns the command of this system.
func findBrowser() (browser, error) {
	switch runtime.GOOS {
	case "darwin":
		return browser{[]string{"open"}}, nil
	case "windows":
		return browser{[]string{"rundll32", "url.dll,FileProtocolHandler"}}, nil
	}
	if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return browser{}, errors.New("no desktop session was found")
	}
	path, err := exec.LookPath("xdg-open")
	if err != nil {
		return browser{}, errors.New("xdg-open is not installed")
	}
	return browser{[]string{path}}, nil
}

// folder returns where the browser can read a file: dataDir, or the browser's own folder if it is
// a snap, which cannot read hidden folders such as ~/.local.
func (b browser) folder(ctx context.Context, dataDir string) string {
	if runtime.GOOS != "linux" {
		return dataDir
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "xdg-settings", "get", "default-web-browser").Output()
	if err != nil {
		return dataDir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return dataDir
	}
	// The desktop file of a snap is named SNAP_APP.desktop.
	snap, _, isSnap := strings.Cut(strings.TrimSpace(string(out)), "_")
	common := filepath.Join(home, "snap", filepath.Base(snap), "common")
	if info, err := os.Stat(common); !isSnap || err != nil || !info.IsDir() {
		return dataDir
	}
	return common
}

// start opens a file. The channel gets an error if the browser cannot be started; it goes on
// running after this program. It does not inherit the settings of Waxwing, which may contain a
// token.
func (b browser) start(file string) <-chan error {
	failed := make(chan error, 1)
	cmd := exec.Command(b.command[0], append(b.command[1:], file)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "WAXWING_") })
	if err := cmd.Start(); err != nil {
		failed <- fmt.Errorf("start the browser: %w", err)
		return failed
	}
	go func() {
		if err := cmd.Wait(); err != nil {
			failed <- fmt.Errorf("%s cannot open a browser: %w", filepath.Base(b.command[0]), err)
		}
	}()
	return failed
}
