//go:build unix

package api_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// toolsDir has the versions of the tools. They are not part of the program's module.
const toolsDir = "generators"

// TestGeneratorsAndLintersAcceptDocuments runs what other people run on the documents: two linters,
// and three generators whose output must compile. It takes half a minute of processor time, so what
// passed on this machine with the same files and tools is not repeated.
func TestGeneratorsAndLintersAcceptDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("installs tools")
	}
	testenv.NeedsTool(t, "node", "npm")
	passed := passedBefore(t)
	if passed != "" {
		if _, err := os.Stat(passed); err == nil {
			t.Logf("the same documents passed with the same tools before on this machine: %s", passed)
			return
		}
	}
	installTools(t)
	tools, err := filepath.Abs(toolsDir)
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	for _, name := range []string{"player.yaml", "catalog.yaml", "generators/go.mod", "generators/go.sum",
		"generators/tsconfig.json", "generators/spectral.yaml"} {
		content, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(work, filepath.Base(name)), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	bin := func(name string) string { return filepath.Join(tools, "node_modules", ".bin", name) }
	run(t, work, bin("redocly"), "lint", "--extends", "recommended", "--max-problems", "20", "player.yaml", "catalog.yaml")
	run(t, work, bin("spectral"), "lint", "--ruleset", "spectral.yaml", "--fail-severity", "hint",
		"player.yaml", "catalog.yaml")
	for _, api := range []string{"player", "catalog"} {
		run(t, work, bin("openapi-typescript"), api+".yaml", "-o", api+".ts")
		run(t, work, bin("openapi-ts"), "-i", api+".yaml", "-o", api+"-client", "--no-log-file")
		if err := os.Mkdir(filepath.Join(work, api), 0o700); err != nil {
			t.Fatal(err)
		}
		run(t, work, "go", "tool", "oapi-codegen", "-generate", "types,client", "-package", api,
			"-o", api+"/client.go", api+".yaml")
	}
	run(t, work, bin("tsc"), "-p", ".")
	run(t, work, "go", "build", "./...")
	wantTypes(t, work)
	if passed != "" && !t.Failed() {
		if err := os.WriteFile(passed, nil, 0o600); err != nil {
			t.Log("cannot remember the result:", err)
		}
	}
}

// wantTypes checks that the generators made types of what the documents describe.
func wantTypes(t *testing.T, work string) {
	t.Helper()
	for file, parts := range map[string][]string{
		"player/client.go":            {"type State struct", "type ErrorCode string", "RepeatRequestRepeat"},
		"catalog/client.go":           {"type Revision struct", "Public *bool"},
		"player-client/types.gen.ts":  {"200: State | CatalogState", "'queue_empty'"},
		"catalog-client/types.gen.ts": {"200: Revision | PersonalVersion", "public?: boolean"},
		"player.ts":                   {`repeat: "off" | "one" | "all" | "on"`},
		"catalog.ts":                  {"public?: boolean"},
	} {
		content, err := os.ReadFile(filepath.Join(work, file))
		if err != nil {
			t.Error(err)
		}
		text := strings.Join(strings.Fields(string(content)), " ")
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%s: got no %q, want it in the generated code", file, part)
			}
		}
	}
}

// passedBefore names the file that says that these documents passed with these tools; "" if
// there is no place for it.
func passedBefore(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err == nil {
		cache = filepath.Join(cache, "waxwing-tests")
		err = os.MkdirAll(cache, 0o700)
	}
	if err != nil {
		t.Log("results cannot be remembered:", err)
		return ""
	}
	sum := sha256.New()
	for _, name := range []string{"player.yaml", "catalog.yaml", "generators_test.go", "generators/go.mod",
		"generators/go.sum", "generators/package-lock.json", "generators/tsconfig.json", "generators/spectral.yaml"} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(sum, name, len(content))
		sum.Write(content)
	}
	fmt.Fprintln(sum, runtime.Version(), run(t, ".", "node", "--version"))
	return filepath.Join(cache, fmt.Sprintf("generators-%x", sum.Sum(nil)))
}

// installTools installs the versions of the lock file if it has changed.
func installTools(t *testing.T) {
	t.Helper()
	lock, err := os.ReadFile(filepath.Join(toolsDir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	of := filepath.Join(toolsDir, "node_modules", ".installed")
	if installed, err := os.ReadFile(of); err == nil && bytes.Equal(installed, lock) {
		return
	}
	run(t, toolsDir, "npm", "ci", "--no-audit", "--no-fund")
	if err := os.WriteFile(of, lock, 0o600); err != nil {
		t.Fatal(err)
	}
}

// run runs a command and returns its output. It kills the processes that the command started.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true",
		"GOFLAGS=", "GOWORK=off")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}
