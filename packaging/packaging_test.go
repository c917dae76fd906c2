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

// unit copies a unit with its drop-ins to a temporary folder. /bin/true replaces the program, which
// need not be installed.
func unit(t *testing.T, name string, dropIns ...string) string {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile(filepath.Join("systemd", name))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), "/usr/bin/waxwing ", "/bin/true ", 1)),
		0o600); err != nil {
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

// analyze runs systemd-analyze with its own runtime folder, which user units need.
func analyze(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("systemd-analyze", append([]string{"--no-pager"}, args...)...)
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir(), "SYSTEMD_COLORS=0")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestUnitsAreValid verifies the units alone and with all drop-ins.
func TestUnitsAreValid(t *testing.T) {
	testenv.NeedsTool(t, "systemd-analyze")
	for name, args := range map[string][]string{
		"server": {"verify", "--man=no", unit(t, "waxwing-catalog.service")},
		"server, drop-ins": {"verify", "--man=no", unit(t, "waxwing-catalog.service", "postgres.conf", "music.conf",
			"lyrics.conf", "cluster.conf", "replica.conf", "s3.conf")},
		"user":   {"--user", "verify", "--man=no", unit(t, "waxwing.service")},
		"player": {"--user", "verify", "--man=no", unit(t, "waxwing-player.service")},
	} {
		if out, err := analyze(t, args...); err != nil || strings.TrimSpace(out) != "" {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// TestServerUnitIsHardened: the exposure level of systemd-analyze, from 0 to 10, must be at most
// 2.0.
func TestServerUnitIsHardened(t *testing.T) {
	testenv.NeedsTool(t, "systemd-analyze")
	for name, path := range map[string]string{
		"plain":       unit(t, "waxwing-catalog.service"),
		"cluster":     unit(t, "waxwing-catalog.service", "postgres.conf", "cluster.conf", "replica.conf", "s3.conf"),
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

// TestBalancerExampleIsValid checks the configuration without its certificate.
func TestBalancerExampleIsValid(t *testing.T) {
	testenv.NeedsTool(t, "haproxy")
	text, err := os.ReadFile("haproxy.cfg")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "haproxy.cfg")
	plain := strings.Replace(string(text), ":443 ssl crt /etc/haproxy/music.pem", "127.0.0.1:8443", 1)
	if err := os.WriteFile(path, []byte(plain), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("haproxy", "-c", "-f", path).CombinedOutput(); err != nil ||
		strings.Contains(string(out), "WARNING") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestAlertsAreValid checks the rules with promtool, and their metrics against docs/deploy.md.
func TestAlertsAreValid(t *testing.T) {
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
		t.Errorf("only %d metrics are used", len(names))
	}
	for _, name := range names {
		if !strings.Contains(string(guide), "`"+strings.TrimSuffix(name, "_bucket")+"`") {
			t.Errorf("the rules use %s, which docs/deploy.md does not list", name)
		}
	}
}

// TestPackageDescriptionsListTheSameFiles compares .goreleaser.yaml with nfpm.yaml.
func TestPackageDescriptionsListTheSameFiles(t *testing.T) {
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
	delete(quick, "/usr/bin/waxwing") // releases add the binaries themselves
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
