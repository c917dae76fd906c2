package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/internal/testenv"
)

// completed returns what a real shell offers after a line.
type completed func(t *testing.T, script, line string) string

// shells complete in different ways: bash and fish have a command for it, zsh needs a terminal.
var shells = map[string]completed{
	"bash": func(t *testing.T, script, line string) string {
		return shell(t, "bash", "--norc", "-c", `source "$1"; IFS=' ' read -ra COMP_WORDS <<<"$2"
			[[ "$2" == *' ' ]] && COMP_WORDS+=('')
			COMP_CWORD=$((${#COMP_WORDS[@]}-1)); complete -p waxwing; _waxwing; printf '%s\n' "${COMPREPLY[@]}"`, "bash",
			script, line)
	},
	"fish": func(t *testing.T, script, line string) string {
		return shell(t, "fish", "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, script, line)
	},
	"zsh": func(t *testing.T, script, line string) string {
		return shell(t, "zsh", "-f", "-c", `zmodload zsh/zpty
			zpty z zsh -f -i
			zpty -w z 'PS1=; LISTMAX=1000; TERM=dumb; stty columns 200'
			zpty -w z 'autoload -Uz compinit; compinit -C -d '$1'.dump; source '$1'; echo SOUR""CED'
			zpty -r -m z out '*SOURCED*'
			zpty -w -n z $2$'\t\t'
			sleep 0.5
			zpty -w -n z $'\C-uecho THE" "END\n'
			zpty -r -m z out '*THE END*'
			print -r -- $out
			zpty -d z`, "zsh", script, line)
	},
}

// valuesScript stands for waxwing in a shell: it has two playlists in the folder /data, and fails
// otherwise.
const valuesScript = `#!/bin/sh
if [ "$*" = "complete playlists --data-dir=/data" ]; then printf '%s\n' Morning 'Late Night'; exit; fi
echo "unexpected: $*" >&2
exit 1
`

func shell(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	home := t.TempDir()
	cmd := exec.CommandContext(ctx, name, args...)
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "waxwing"), []byte(valuesScript), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + home,
		"XDG_CONFIG_HOME=" + home, "XDG_DATA_HOME=" + home,
		"LANG=C.UTF-8", "TERM=dumb"}
	cmd.Dir = home
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
	return string(out)
}

// TestShellsComplete loads each script into its shell and checks the completions.
func TestShellsComplete(t *testing.T) {
	for name, ask := range shells {
		t.Run(name, func(t *testing.T) {
			testenv.NeedsTool(t, name)
			text, errs, code := waxwing(t, "completion", name)
			if code != 0 {
				t.Fatal(errs)
			}
			script := filepath.Join(t.TempDir(), "_waxwing")
			if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct{ line, has, hasNot string }{
				{"waxwing ", "doctor", "--expires"},
				{"waxwing token --data-dir /tmp ", "revoke", "doctor"},
				{"waxwing up --log-level ", "debug", "doctor"},
				{"waxwing playlist show --data-dir /data ", "Morning", "unexpected"},
				{"waxwing play --data-dir=/data --playlist La", "Night", "unexpected"},
				{"waxwing token revoke ", "", "unexpected"},
			} {
				got := ask(t, script, c.line)
				if !strings.Contains(got, c.has) || strings.Contains(got, c.hasNot) {
					t.Errorf("after %q: %q", c.line, got)
				}
			}
		})
	}
}

// TestManualPageIsRoff checks the page with mandoc, and that it contains commands and settings.
func TestManualPageIsRoff(t *testing.T) {
	testenv.NeedsTool(t, "mandoc")
	text, errs, code := waxwing(t, "man")
	if code != 0 {
		t.Fatal(errs)
	}
	page := filepath.Join(t.TempDir(), "waxwing.1")
	if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	lint, _ := exec.Command("mandoc", "-T", "lint", "-W", "warning", page).CombinedOutput()
	if len(lint) > 0 {
		t.Errorf("%s", lint)
	}
	rendered, err := exec.Command("mandoc", "-T", "ascii", page).Output()
	if err != nil {
		t.Fatal(err)
	}
	plain := overstruck.Replace(string(rendered))
	for _, word := range []string{"waxwing config show", "token create",
		"--metrics-addr=HOST:PORT, WAXWING_METRICS_ADDR", "--db-file=FILE", "--catalog-host=NAME,..., WAXWING_CATALOG_HOST",
		"no server is running at the address"} {
		if !strings.Contains(plain, word) {
			t.Errorf("the page lacks %q", word)
		}
	}
}

// overstruck removes the backspace sequences for bold letters.
var overstruck = strings.NewReplacer(func() (pairs []string) {
	for c := ' '; c <= '~'; c++ {
		pairs = append(pairs, string(c)+"\b", "")
	}
	return pairs
}()...)
