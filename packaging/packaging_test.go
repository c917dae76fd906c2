package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"waxwing/internal/testenv"
)

// unit copies a unit with its drop-ins to a folder of its own. The program it names need not be installed here, so
// another stands in for it.
func unit(t *testing.T, name string, dropIns ...string) string {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join("systemd", name))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "/usr/bin/waxwing ", "/bin/true ", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, d := range dropIns {
		text, err := os.ReadFile(filepath.Join("systemd/drop-ins", d))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(path+".d", 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path+".d", d), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// analyze runs systemd-analyze with a runtime folder of its own, which it wants for users' units.
func analyze(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("systemd-analyze", append([]string{"--no-pager"}, args...)...)
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir(), "SYSTEMD_COLORS=0")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestUnitsAreValid: systemd finds no mistake in them, alone and with all that the guide adds.
func TestUnitsAreValid(t *testing.T) {
	testenv.NeedsTool(t, "systemd-analyze")
	for name, args := range map[string][]string{
		"server":           {"verify", "--man=no", unit(t, "waxwing-catalog.service")},
		"server, drop-ins": {"verify", "--man=no", unit(t, "waxwing-catalog.service", "postgres.conf", "music.conf", "cluster.conf")},
		"desk":             {"--user", "verify", "--man=no", unit(t, "waxwing.service")},
		"player":           {"--user", "verify", "--man=no", unit(t, "waxwing-player.service")},
	} {
		if out, err := analyze(t, args...); err != nil || strings.TrimSpace(out) != "" {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestServerUnitIsHardened: systemd rates what the service could still do, from 0 to 10; 2.0 is the most we grant.
func TestServerUnitIsHardened(t *testing.T) {
	testenv.NeedsTool(t, "systemd-analyze")
	for name, path := range map[string]string{
		"plain":       unit(t, "waxwing-catalog.service"),
		"in company":  unit(t, "waxwing-catalog.service", "postgres.conf", "cluster.conf"),
		"home folder": unit(t, "waxwing-catalog.service", "music.conf"),
	} {
		out, err := analyze(t, "security", "--offline=true", "--threshold=20", path)
		rating := regexp.MustCompile(`Overall exposure level for .*: ([0-9.]+)`).FindStringSubmatch(out)
		if err != nil || rating == nil {
			t.Errorf("%s: %v\n%s", name, err, out)
			continue
		}
		t.Logf("%s: exposure %s", name, rating[1])
	}
}

// TestAlertsAreRules: promtool accepts them, and each metric in them is one that the guide lists.
func TestAlertsAreRules(t *testing.T) {
	testenv.NeedsTool(t, "promtool")
	if out, err := exec.Command("promtool", "check", "rules", "prometheus/alerts.yml").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	rules, err := os.ReadFile("prometheus/alerts.yml")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("../docs/deploy.md")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`waxwing_[a-z_]+`).FindAllString(string(rules), -1)
	if len(names) < 10 {
		t.Errorf("only %d metrics are watched", len(names))
	}
	for _, name := range names {
		if !strings.Contains(string(guide), "`"+strings.TrimSuffix(name, "_bucket")+"`") {
			t.Errorf("the rules watch %s, which the guide does not list", name)
		}
	}
}

// TestPackagesHoldTheSame: the two descriptions of packages, for releases and for a quick build, name the same files.
func TestPackagesHoldTheSame(t *testing.T) {
	files := func(path string) map[string]bool {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]bool{}
		for _, m := range regexp.MustCompile(`dst: (/[^,}\s]+)`).FindAllStringSubmatch(string(text), -1) {
			all[m[1]] = true
		}
		return all
	}
	release, quick := files("../.goreleaser.yaml"), files("nfpm.yaml")
	delete(quick, "/usr/bin/waxwing") // a release puts its binaries there by itself
	for f := range quick {
		if !release[f] {
			t.Errorf("a release lacks %s", f)
		}
	}
	for f := range release {
		if !quick[f] {
			t.Errorf("make packages lacks %s", f)
		}
	}
}
