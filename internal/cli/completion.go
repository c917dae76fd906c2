package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// option is something that can be typed after a command.
type option struct{ word, help string }

// scene is a command path and what can follow it.
type scene struct {
	path    string // "token create"; "" at the beginning
	options []option
}

func (c *completionCmd) Run(std IO, app *kong.Application) error {
	scenes := scenesOf(app.Node, "")
	switch c.Shell {
	case "bash":
		return bashCompletion(std.Out, scenes)
	case "zsh":
		return zshCompletion(std.Out, scenes)
	}
	return fishCompletion(std.Out, scenes)
}

func scenesOf(n *kong.Node, path string) (all []scene) {
	here := scene{path: path}
	var below []scene
	for _, child := range n.Children {
		if child.Type != kong.CommandNode || child.Hidden {
			continue
		}
		here.options = append(here.options, option{child.Name, child.Help})
		below = append(below, scenesOf(child, strings.TrimSpace(path+" "+child.Name))...)
	}
	for _, p := range n.Positional {
		for word := range p.EnumMap() {
			if word != "" {
				here.options = append(here.options, option{word, p.Help})
			}
		}
	}
	for _, f := range n.Flags {
		if !f.Hidden {
			here.options = append(here.options, option{"--" + f.Name, f.Help})
		}
	}
	slices.SortStableFunc(here.options, func(a, b option) int { return strings.Compare(flagsLast(a.word), flagsLast(b.word)) })
	return append([]scene{here}, below...)
}

// flagsLast sorts words before flags.
func flagsLast(word string) string {
	if strings.HasPrefix(word, "-") {
		return "~" + word
	}
	return word
}

// collect is the shell code, the same for bash and zsh, that gathers the words before the
// cursor that are no flags into $chosen.
const collect = `  local chosen="" word
  for word in "${before[@]}"; do
    case "$word" in -*) ;; *) chosen="${chosen:+$chosen }$word" ;; esac
  done
`

func bashCompletion(w io.Writer, scenes []scene) error {
	var b strings.Builder
	b.WriteString("_waxwing() {\n  local current=\"${COMP_WORDS[COMP_CWORD]}\" before=(\"${COMP_WORDS[@]:1:COMP_CWORD-1}\") words=\"\"\n" + collect + "  case \"$chosen\" in\n")
	for _, s := range scenes {
		var words []string
		for _, o := range s.options {
			words = append(words, o.word)
		}
		fmt.Fprintf(&b, "    %q) words=%q ;;\n", s.path, strings.Join(words, " "))
	}
	b.WriteString("  esac\n  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n}\ncomplete -o default -F _waxwing waxwing\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func zshCompletion(w io.Writer, scenes []scene) error {
	var b strings.Builder
	b.WriteString("#compdef waxwing\n_waxwing() {\n  local -a before options\n  before=(\"${words[@]:1:$((CURRENT-2))}\")\n" + collect + "  case \"$chosen\" in\n")
	for _, s := range scenes {
		fmt.Fprintf(&b, "    %q) options=(", s.path)
		for _, o := range s.options {
			fmt.Fprintf(&b, "\n      '%s:%s'", o.word, shellText(o.help))
		}
		b.WriteString(") ;;\n")
	}
	b.WriteString("  esac\n  (( ${#options} )) && _describe waxwing options || _files\n}\ncompdef _waxwing waxwing\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func fishCompletion(w io.Writer, scenes []scene) error {
	var b strings.Builder
	b.WriteString("function __waxwing_at\n  set -l path (string match -v -- '-*' (commandline -opc)[2..-1])\n  test \"$path\" = \"$argv\"\nend\ncomplete -c waxwing -f\n")
	for _, s := range scenes {
		for _, o := range s.options {
			kind := "-a " + o.word
			if name, ok := strings.CutPrefix(o.word, "--"); ok {
				kind = "-l " + name
			}
			fmt.Fprintf(&b, "complete -c waxwing -n '__waxwing_at %s' %s -d '%s'\n", s.path, kind, shellText(o.help))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// shellText makes help fit between single quotes of any shell, and before zsh's colons.
func shellText(s string) string {
	return strings.NewReplacer("'", "’", ":", " ", "\\", "", "\n", " ").Replace(s)
}
