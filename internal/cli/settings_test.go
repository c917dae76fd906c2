package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// showSetting returns a setting as config show has it.
func showSetting(t *testing.T, name string, args ...string) settingView {
	t.Helper()
	out, errs, code := waxwing(t, append([]string{"config", "show", "--json"}, args...)...)
	if code != 0 {
		t.Fatal(errs)
	}
	var rows []settingView
	if err := json.Unmarshal([]byte(out), &rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no setting %s in %s", name, out)
	return settingView{}
}

func TestListSeparatorIsTheSameInFlagsVariablesAndFile(t *testing.T) {
	dir := t.TempDir()
	odd := filepath.Join(dir, "a"+string(filepath.ListSeparator)+"b")
	if err := os.Mkdir(odd, 0o700); err != nil {
		t.Fatal(err)
	}
	path := "/srv/a" + string(filepath.ListSeparator) + "/srv/b, c"
	for _, test := range []struct{ setting, env, written, want string }{
		{"catalog-host", "WAXWING_CATALOG_HOST", "localhost, music.example.net:8443,[::1]:80,",
			"localhost, music.example.net:8443, [::1]:80"},
		{"player-host", "WAXWING_PLAYER_HOST", "radio.example:8080", "radio.example:8080"},
		{"music", "WAXWING_MUSIC", path, "/srv/a, /srv/b, c"},
		{"music", "WAXWING_MUSIC", odd, odd},
	} {
		config := filepath.Join(dir, "config.toml")
		if err := os.WriteFile(config, []byte(test.setting+" = '"+test.written+"'\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		in := []string{"--data-dir", t.TempDir()}
		got := map[string]string{
			"file": showSetting(t, test.setting, append(in, "--config", config)...).Value,
			"flag": showSetting(t, test.setting, append(in, "--"+test.setting+"="+test.written)...).Value,
		}
		t.Setenv(test.env, test.written)
		got["environment"] = showSetting(t, test.setting, in...).Value
		if err := os.Unsetenv(test.env); err != nil {
			t.Fatal(err)
		}
		for from, value := range got {
			if value != test.want {
				t.Errorf("%s %q in the %s is %q, want %q", test.setting, test.written, from, value, test.want)
			}
		}
	}
	if got := showSetting(t, "music", "--music", "/a", "--music", "/b").Value; got != "/a, /b" {
		t.Errorf("repeated: %q", got)
	}
}

// TestInvalidSettingsStopTheStart checks that the error names the setting, its source and a valid
// value.
func TestInvalidSettingsStopTheStart(t *testing.T) {
	for _, test := range []struct{ setting, env, value, example string }{
		{"public-url", "WAXWING_PUBLIC_URL", "notaurl", "https://music.example.net"},
		{"lyrics-url", "WAXWING_LYRICS_URL", "lrclib.example.net", "https://music.example.net"},
		{"jukebox-player", "WAXWING_JUKEBOX_PLAYER", "own", "http://192.168.1.21:7833"},
		{"jukebox-player", "WAXWING_JUKEBOX_PLAYER", "http://player.example.net", "--jukebox-token-file"},
		{"scan-every", "WAXWING_SCAN_EVERY", "-1h", "1h"},
		{"scan-every", "WAXWING_SCAN_EVERY", "soon", "30m"},
		{"catalog-host", "WAXWING_CATALOG_HOST", "localhost:127.0.0.1", "separated by commas"},
		{"rate-limit", "WAXWING_RATE_LIMIT", "NaN", "50"},
		{"metrics-addr", "WAXWING_METRICS_ADDR", "x:y:z", "127.0.0.1:7833"},
		{"max-connections", "WAXWING_MAX_CONNECTIONS", "-1", "4096"},
		{"drain", "WAXWING_DRAIN", "-1s", "10s"},
		{"music", "WAXWING_MUSIC", "/nowhere/at/all", "/srv/music"},
		{"audit", "WAXWING_AUDIT", "/nowhere/at/all/audit.log", "--audit off"},
		{"db", "WAXWING_DB", "postgres://wax:pa%ss@h/x", "percent-encode"},
		{"db", "WAXWING_DB", "host=h password=x", "postgres://USER@HOST/NAME"},
		{"log-level", "WAXWING_LOG_LEVEL", "loud", "debug"},
	} {
		t.Setenv(test.env, test.value)
		_, errs, code := waxwing(t, "catalog", "--catalog-addr", "127.0.0.1:0", "--data-dir", t.TempDir())
		if code != exitUsage || !strings.Contains(errs, "--"+test.setting) || !strings.Contains(errs, test.example) ||
			!strings.Contains(errs, test.env) {
			t.Errorf("%s %q: %d %s", test.setting, test.value, code, errs)
		}
		if err := os.Unsetenv(test.env); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(config, []byte("scan-every = '-5m'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, errs, code := waxwing(t, "catalog", "--data-dir", t.TempDir(), "--config", config); code != exitUsage ||
		!strings.Contains(errs, "(set in "+config+")") {
		t.Errorf("%d %s", code, errs)
	}
}

func TestHostAndURLValidation(t *testing.T) {
	for _, host := range []string{"http://foo/bar", "localhost:127.0.0.1", "::1", "a.example:99999", "a.example:0",
		"a.example:", "*", "a b", "", "a.example/"} {
		if (hostList{host}).check("catalog-host") == nil {
			t.Errorf("%q is accepted as a host", host)
		}
	}
	good := hostList{"localhost", "music.example.net:8443", "127.0.0.1", "[::1]:80", "[::1]", "node_a"}
	if err := good.check("catalog-host"); err != nil {
		t.Error(err)
	}
	for _, base := range []string{"notaurl", "music.example.net", "/music", "ftp://music.example.net", "https://",
		"https://:80", "https://a@music.example.net", "https://music.example.net/?x", "https://music.example.net/#x",
		"https://x y"} {
		if checkURLPrefix("public-url", base) == nil {
			t.Errorf("%q is accepted as a URL prefix", base)
		}
	}
	for _, base := range []string{"", "https://music.example.net", "http://10.0.0.1:7845/music/"} {
		if err := checkURLPrefix("public-url", base); err != nil {
			t.Error(err)
		}
	}
}

// The address for MPD clients may be given without a value, in every place where settings are.
func TestMPDAddressHasADefault(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, ""}, {[]string{"--mpd-addr"}, defaultMPDAddr}, {[]string{"--mpd-addr", "--allow-remote"}, defaultMPDAddr},
		{[]string{"--mpd-addr="}, defaultMPDAddr}, {[]string{"--mpd-addr", "127.0.0.1:6601"}, "127.0.0.1:6601"},
		{[]string{"--mpd-addr=[::1]:6602"}, "[::1]:6602"},
	} {
		if got := showSetting(t, "mpd-addr", append(test.args, "--data-dir", dir)...); got.Value != test.want {
			t.Errorf("%v: got %q, want %q", test.args, got.Value, test.want)
		}
	}
	config := filepath.Join(dir, "config.toml")
	for text, want := range map[string]string{
		"mpd-addr = true\n": defaultMPDAddr, "mpd-addr = \"127.0.0.1:6603\"\nmpd-open = \"read\"\n": "127.0.0.1:6603",
	} {
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := showSetting(t, "mpd-addr", "--config", config, "--data-dir", dir); got.Value != want {
			t.Errorf("%s: got %q, want %q", text, got.Value, want)
		}
	}
	t.Setenv("WAXWING_MPD_ADDR", "127.0.0.1:6604")
	t.Setenv("WAXWING_MPD_OPEN", "read")
	if got := showSetting(t, "mpd-addr", "--data-dir", dir); got.Value != "127.0.0.1:6604" {
		t.Errorf("environment: got %+v, want 127.0.0.1:6604", got)
	}
	if got := showSetting(t, "mpd-open", "--data-dir", dir); got.Value != "read" {
		t.Errorf("environment: got %+v, want read", got)
	}
}
