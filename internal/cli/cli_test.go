package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"waxwing/api/playerapi"
)

// waxwing runs one command line in this process.
func waxwing(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = Run(t.Context(), IO{In: strings.NewReader(""), Out: &out, Err: &errs}, "test", args)
	return out.String(), errs.String(), code
}

func TestTokenSecretIsAloneOnStdout(t *testing.T) {
	dir := t.TempDir()
	out, errs, code := waxwing(t, "token", "create", "--name", "deck", "--permission", "read", "--permission", "write",
		"--data-dir", dir)
	if code != 0 || !regexp.MustCompile(`^wxt_[0-9A-Za-z]{36}\n$`).MatchString(out) || errs == "" {
		t.Fatalf("%d %q %q", code, out, errs)
	}
	secret := strings.TrimSpace(out)
	list, _, _ := waxwing(t, "token", "list", "--data-dir", dir)
	asJSON, _, _ := waxwing(t, "token", "list", "--json", "--data-dir", dir)
	if !strings.Contains(list, "deck") || strings.Contains(list+asJSON+errs, secret) {
		t.Fatalf("%s %s", list, errs)
	}
	var rows []map[string]any
	if err := json.Unmarshal([]byte(asJSON), &rows); err != nil || rows[0]["expires_at"] != nil {
		t.Fatal(asJSON, err)
	}
	info, err := os.Stat(filepath.Join(dir, "tokens.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatal(info, err)
	}
	if _, _, code := waxwing(t, "token", "revoke", "deck", "--data-dir", dir); code != 0 {
		t.Fatal("revoke failed")
	}
	if list, _, _ = waxwing(t, "token", "list", "--data-dir", dir); strings.Contains(list, "deck") {
		t.Fatalf("got %s, want no revoked token without --all", list)
	}
	if list, _, _ = waxwing(t, "token", "list", "--all", "--data-dir", dir); !strings.Contains(list, "revoked") {
		t.Fatalf("got %s, want the revoked token with --all", list)
	}
}

func TestConfigurationPrecedence(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	value := func(name string, args ...string) (string, string) {
		t.Helper()
		s := showSetting(t, name, append([]string{"--data-dir", dir}, args...)...)
		return s.Value, s.Origin
	}
	check := func(name, want, origin string, args ...string) {
		t.Helper()
		if v, from := value(name, args...); v != want || !strings.HasSuffix(from, origin) {
			t.Errorf("%s is %q from %q, want %q from %q", name, v, from, want, origin)
		}
	}
	check("output", "auto", "default")
	write("output = \"null\"\nrate-limit = 7\nmusic = [\"/a\", \"/b, c\"]\nallow-remote = true\n")
	check("output", "null", "config.toml")
	check("rate-limit", "7", "config.toml")
	check("music", "/a, /b, c", "config.toml")
	check("allow-remote", "true", "config.toml")
	t.Setenv("WAXWING_OUTPUT", "pulse")
	check("output", "pulse", "WAXWING_OUTPUT")
	check("output", "alsa", "flag", "--output", "alsa")

	for text, want := range map[string]string{
		"outputs = \"null\"":       "unknown key \"outputs\"",
		"player_addr = \"x\"":      "did you mean \"player-addr\"",
		"rate-limit = \"many\"":    "rate-limit",
		"log-level = \"loud\"":     "log-level",
		"output = [\"a\"]":         "one value",
		"[output]\nkind=\"pulse\"": "plain value",
		"= 3":                      "not valid TOML",
	} {
		write(text)
		t.Setenv("WAXWING_OUTPUT", "")
		_ = os.Unsetenv("WAXWING_OUTPUT")
		_, errs, code := waxwing(t, "config", "show", "--data-dir", dir)
		if code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%s: %d %q, want %q", text, code, errs, want)
		}
	}
}

func TestCommandsReportThatNoPlayerRuns(t *testing.T) {
	for _, args := range [][]string{{"status"}, {"play"}, {"pause"}, {"next"}, {"seek", "1:00"}, {"queue"}, {"volume"},
		{"repeat"}, {"shuffle", "on"}, {"lyrics"}, {"lyrics", "--follow"}} {
		out, errs, code := waxwing(t, append(args, "--data-dir", t.TempDir(), "--player-addr", "127.0.0.1:1")...)
		if code != exitNotRunning || out != "" || !strings.Contains(errs, "start it with: waxwing") {
			t.Errorf("%v: %d %q %q", args, code, out, errs)
		}
	}
}

func TestInvalidArgumentsAreUsageErrors(t *testing.T) {
	tests := map[string][]string{
		"unexpected argument":        {"plya"},
		"not a position":             {"seek", "soon"},
		"not a volume":               {"volume", "loud"},
		"not 101":                    {"volume", "101"},
		"not -101":                   {"volume", "-101"},
		`"on","off" but got`:         {"shuffle", "maybe"},
		"off, one, all or on":        {"repeat", "often"},
		"“x” is not a whole":         {"queue", "jump", "x"},
		"waxwing queue --":           {"queue", "nonsense"},
		"the words to search for":    {"search", " "},
		"--limit must be":            {"search", "--limit", "0", "frost"},
		"“soon” is not a duration":   {"audit", "--since", "soon"},
		"no such folder":             {"scan", "--music", "/nowhere"},
		"--permission":               {"token", "create", "--name", "x"},
		"read, write, keys, streams": {"token", "create", "--name", "x", "--permission", "admin"},
		"--allow-remote":             {"player", "--player-addr", "0.0.0.0:7833", "--api-key-file", "x"},
		"HOST:PORT":                  {"player", "--player-addr", "7833", "--api-key-file", "x"},
		"not a port":                 {"player", "--player-addr", "127.0.0.1:http", "--api-key-file", "x"},
		"--api-key-file":             {"player"},
		"must be one of":             {"completion", "tcsh"},
		"--log-level":                {"player", "--log-level", "chatty"},
	}
	for want, args := range tests {
		_, errs, code := waxwing(t, append(args, withData(args, t.TempDir())...)...)
		if code != exitUsage || !strings.Contains(errs, want) {
			t.Errorf("%v: %d %q, want %q", args, code, errs, want)
		}
	}
}

// withData returns the flag of the data folder for commands that have one.
func withData(args []string, dir string) []string {
	if args[0] == "completion" || args[0] == "plya" {
		return nil
	}
	return []string{"--data-dir", dir}
}

func TestParseVolume(t *testing.T) {
	good := map[string]volumeChange{
		"0": {0, false}, "40": {40, false}, "100": {100, false}, "40%": {40, false}, "+5": {5, true}, "-5": {-5, true},
		"+100%": {100, true}, "-0": {0, true},
	}
	for text, want := range good {
		if got, err := parseVolume(text); err != nil || *got != want {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
	for _, text := range []string{"%", "+", "-", "4.5", "1e1", "+-5", "5-", "101", "-101", "99999999999999999999",
		"0x10", " 5"} {
		if got, err := parseVolume(text); err == nil {
			t.Errorf("%q was parsed as %v", text, got)
		}
	}
}

func TestStatusOmitsUnknownArtist(t *testing.T) {
	for want, track := range map[string]playerapi.Track{
		"⏸ 09  (0:00 / 0:00)  volume 40\n":       {Title: "09"},
		"⏸ 09 — Ada  (0:00 / 0:00)  volume 40\n": {Title: "09", Artist: "Ada"},
	} {
		var out bytes.Buffer
		status := statusOf(playerapi.State{Track: &track, Volume: 40, Repeat: "off"})
		if err := status.printLine(&out); err != nil || out.String() != want {
			t.Errorf("%q %v, want %q", out.String(), err, want)
		}
	}
}

func TestStartPrintsMusicFolders(t *testing.T) {
	if got := (catalogSettings{Music: []string{"/srv/music",
		"/home/anna/My Music"}}).musicNames(); got != "/srv/music, /home/anna/My Music" {
		t.Errorf("got %s", got)
	}
}

func TestParseSeekTarget(t *testing.T) {
	good := map[string]seekTarget{
		"1:23": {
			fromStart,
			83_000,
		}, "1:02:03": {fromStart, 3_723_000}, "90": {fromStart, 90_000}, "90s": {fromStart, 90_000},
		"1m30s": {fromStart, 90_000}, "5000ms": {fromStart, 5000}, "+10s": {fromCurrent, 10_000},
		"-0:10": {fromCurrent, -10_000},
		"50%":   {percentOfTrack, 50}, "0": {fromStart, 0}, "83.5": {fromStart, 83_500},
	}
	for text, want := range good {
		if got, err := parseSeekTarget(text); err != nil || got != want {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
	for _, text := range []string{"", "soon", "1:99", "101%", "-1%", "--10s", "1:2:3:4", "NaN", "Inf", "+", "1e400"} {
		if got, err := parseSeekTarget(text); err == nil {
			t.Errorf("%q was parsed as %v", text, got)
		}
	}
}

func TestTerminalEscapesAreStripped(t *testing.T) {
	if got := plain("a\x1b[31mb\x07\u202ec\u009bd\nе"); got != "a[31mbcdе" {
		t.Fatalf("%q", got)
	}
}

func TestCompletionsParse(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		out, _, code := waxwing(t, "completion", shell)
		if code != 0 || !strings.Contains(out, "toggle") || !strings.Contains(out, "permission") {
			t.Errorf("%s: %d %.200s", shell, code, out)
		}
	}
}
