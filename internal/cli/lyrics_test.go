package cli

import (
	"context"
	"encoding/binary"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"waxwing/client"
	"waxwing/internal/app"
	"waxwing/internal/testenv"
)

// silence returns a WAV file of 8 kHz with the given number of seconds.
func silence(seconds int) []byte {
	const rate = 8000
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00")
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, 2*rate)
	b = append(b, 2, 0, 16, 0, 'd', 'a', 't', 'a')
	b = binary.LittleEndian.AppendUint32(b, uint32(2*rate*seconds))
	b = append(b, make([]byte, 2*rate*seconds)...)
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

// startWith runs both roles over a music folder and returns the data folder.
func startWith(t *testing.T, files map[string][]byte) (dir app.DataDir, p *client.Player) {
	t.Helper()
	music := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(music, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir = app.DataDir(t.TempDir())
	ctx, stop := context.WithCancel(context.Background())
	a, err := app.Up(ctx, app.Config{
		Version: "test", DataDir: dir, AuditFile: dir.File(app.AuditFile), Log: slog.New(slog.DiscardHandler),
		Catalog: &app.CatalogConfig{Addr: "127.0.0.1:0", Music: []string{music}},
		Player:  &app.PlayerConfig{Addr: "127.0.0.1:0", Output: "null", NoMPRIS: true},
	})
	if err != nil {
		stop()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		if err := a.Wait(); err != nil {
			t.Errorf("shutdown: %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	secret, err := os.ReadFile(dir.File(app.OwnerTokenFile))
	if err != nil {
		t.Fatal(err)
	}
	return dir, &client.Player{BaseURL: a.PlayerURL, Token: strings.TrimSpace(string(secret)), HTTP: http.DefaultClient}
}

// TestLyricsOfAFileReachTheTerminal follows lyrics beside a song through scan, catalog and player.
func TestLyricsOfAFileReachTheTerminal(t *testing.T) {
	dir, p := startWith(t, map[string][]byte{
		"song.wav": silence(30),
		"Song.lrc": []byte("\xef\xbb\xbf[ti:Song]\r\n[00:00.50]First \x1b[31mline\r\n" +
			"[00:00.90]Second line\r\n[00:20.00]Last\r\n"),
	})
	out, errs, code := waxwing(t, "lyrics", "--data-dir", string(dir))
	if code != 0 || !strings.Contains(out, "waxwing play") {
		t.Errorf("nothing loaded: got %d %q %q, want a hint", code, out, errs)
	}
	testenv.WaitFor(t, "the song is scanned and loaded", func() bool {
		_, err := p.Play(t.Context())
		return err == nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	followed := &testenv.Buffer{}
	done := make(chan int, 1)
	go func() {
		std := IO{In: strings.NewReader(""), Out: followed, Err: followed}
		done <- Run(ctx, std, "test", []string{"lyrics", "--follow", "--data-dir", string(dir)})
	}()
	out, errs, code = waxwing(t, "lyrics", "--data-dir", string(dir))
	if want := "First [31mline\nSecond line\nLast\n"; code != 0 || out != want {
		t.Errorf("lyrics: got %d %q %q, want %q", code, out, errs, want)
	}
	out, errs, code = waxwing(t, "lyrics", "--json", "--data-dir", string(dir))
	if code != 0 || !strings.Contains(out, `"synced": true`) {
		t.Errorf("lyrics --json: got %d %q %q, want synced lyrics", code, out, errs)
	}
	testenv.WaitFor(t, "the second line is sung", func() bool {
		return strings.Contains(followed.String(), "Second line\n")
	})
	if strings.Contains(followed.String(), "Last") {
		t.Errorf("followed %q, want nothing that is not sung yet", followed.String())
	}
	cancel()
	if code := <-done; code != 0 {
		t.Errorf("lyrics --follow: got %d %q, want 0", code, followed.String())
	}
}
