package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// option is a word or flag that can follow a command.
type option struct {
	word, help string
	value      bool     // a flag that takes a value
	values     []string // the allowed values, if they are enumerated
	ask        string   // what waxwing complete prints the values of; "": nothing
}

// completionContext is a command path and the options that can follow it.
type completionContext struct {
	path    string // "token create"; "" at the beginning
	options []option
	ask     string // what waxwing complete prints for the next word; "": nothing
}

func (c *completionCmd) Run(std IO, app *kong.Application) error {
	contexts := contextsOf(app.Node, "")
	switch c.Shell {
	case "bash":
		return bashCompletion(std.Out, contexts)
	case "zsh":
		return zshCompletion(std.Out, contexts)
	}
	return fishCompletion(std.Out, contexts)
}

func contextsOf(n *kong.Node, path string) (all []completionContext) {
	here := completionContext{path: path}
	var below []completionContext
	for _, child := range n.Children {
		if child.Type != kong.CommandNode || child.Hidden {
			continue
		}
		here.options = append(here.options, option{word: child.Name, help: child.Help})
		below = append(below, contextsOf(child, strings.TrimSpace(path+" "+child.Name))...)
	}
	if len(n.Positional) > 0 {
		here.ask = n.Positional[0].Tag.Get("complete")
	}
	for _, p := range n.Positional {
		for word := range p.EnumMap() {
			if word != "" {
				here.options = append(here.options, option{word: word, help: p.Help})
			}
		}
	}
	for _, f := range n.Flags {
		if !f.Hidden {
			values := f.EnumMap()
			delete(values, "") // what a flag without an enumeration has
			here.options = append(here.options, option{word: "--" + f.Name, help: f.Help, value: !f.IsBool(),
				values: slices.Sorted(maps.Keys(values)), ask: f.Tag.Get("complete")})
		}
	}
	slices.SortStableFunc(here.options, func(a, b option) int {
		return strings.Compare(flagsLast(a.word),
			flagsLast(b.word))
	})
	return append([]completionContext{here}, below...)
}

// flagsLast sorts words before flags.
func flagsLast(word string) string {
	if strings.HasPrefix(word, "-") {
		return "~" + word
	}
	return word
}

// flagsWithValue returns the flags that take a value, each once.
func flagsWithValue(contexts []completionContext) (flags []option) {
	seen := map[string]bool{}
	for _, s := range contexts {
		for _, o := range s.options {
			if o.value && !seen[o.word] {
				seen[o.word] = true
				flags = append(flags, o)
			}
		}
	}
	slices.SortFunc(flags, func(a, b option) int { return strings.Compare(a.word, b.word) })
	return flags
}

// collect returns shell code for bash and zsh. It sets $chosen to the words before the cursor that
// are neither flags nor their values, $flag to the flag whose value is being typed, and $folder to
// the data folder.
func collect(contexts []completionContext) string {
	var names []string
	for _, f := range flagsWithValue(contexts) {
		names = append(names, f.word)
	}
	return `  local chosen="" flag="" folder="" ask="" word
  for word in "${before[@]}"; do
    if [[ "$flag" == --data-dir ]]; then folder="$word"; fi
    if [[ -n "$flag" ]]; then flag=""; continue; fi
    case "$word" in
      --data-dir=*) folder="${word#*=}" ;;
      ` + strings.Join(names, "|") + `) flag="$word" ;;
      -*) ;;
      *) chosen="${chosen:+$chosen }$word" ;;
    esac
  done
`
}

func bashCompletion(w io.Writer, contexts []completionContext) error {
	var b strings.Builder
	b.WriteString("_waxwing() {\n  local current=\"${COMP_WORDS[COMP_CWORD]}\" " +
		"before=(\"${COMP_WORDS[@]:1:COMP_CWORD-1}\") words=\"\"\n" + collect(contexts) + "  case \"$flag:$chosen\" in\n")
	for _, f := range flagsWithValue(contexts) {
		fmt.Fprintf(&b, "    %s:*) words=%q%s ;;\n", f.word, strings.Join(f.values, " "), setAsk(f.ask))
	}
	for _, s := range contexts {
		var words []string
		for _, o := range s.options {
			words = append(words, o.word)
		}
		fmt.Fprintf(&b, "    %q) words=%q%s ;;\n", ":"+s.path, strings.Join(words, " "), setAsk(s.ask))
	}
	b.WriteString(`  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if [[ -n "$ask" ]]; then
    while IFS= read -r word; do
      if [[ "$word" == "$current"* ]]; then COMPREPLY+=("$(printf %q "$word")"); fi
    done < <("${COMP_WORDS[0]}" complete "$ask" ${folder:+"--data-dir=$folder"} 2>/dev/null)
  fi
}
complete -o default -F _waxwing waxwing
`)
	_, err := io.WriteString(w, b.String())
	return err
}

func zshCompletion(w io.Writer, contexts []completionContext) error {
	var b strings.Builder
	b.WriteString("#compdef waxwing\n_waxwing() {\n  local -a before options\n  " +
		"before=(\"${words[@]:1:$((CURRENT-2))}\")\n" + collect(contexts) + "  case \"$flag:$chosen\" in\n")
	for _, f := range flagsWithValue(contexts) {
		fmt.Fprintf(&b, "    %s:*) options=(%s)%s ;;\n", f.word, strings.Join(f.values, " "), setAsk(f.ask))
	}
	for _, s := range contexts {
		fmt.Fprintf(&b, "    %q) options=(", ":"+s.path)
		for _, o := range s.options {
			fmt.Fprintf(&b, "\n      '%s:%s'", o.word, shellText(o.help))
		}
		b.WriteString(")" + setAsk(s.ask) + " ;;\n")
	}
	b.WriteString(`  esac
  if [[ -n "$ask" ]]; then
    local -a values
    values=("${(@f)$("${words[1]}" complete "$ask" ${folder:+"--data-dir=$folder"} 2>/dev/null)}")
    values=(${values:#})
    if (( ${#values} )); then compadd -- "${values[@]}"; fi
  fi
`)
	b.WriteString("  if (( ${#options} )); then _describe waxwing options; elif [[ -z \"$ask\" ]]; then _files; fi\n}\n" +
		"if [[ \"${funcstack[1]}\" = _waxwing ]]; then _waxwing \"$@\"; else compdef _waxwing waxwing; fi\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func fishCompletion(w io.Writer, contexts []completionContext) error {
	var b strings.Builder
	var names []string
	for _, f := range flagsWithValue(contexts) {
		names = append(names, f.word)
	}
	fmt.Fprintf(&b, `function __waxwing_at
  set -l path
  set -l flag 0
  for word in (commandline -opc)[2..-1]
    if test $flag = 1
      set flag 0
    else if contains -- $word %s
      set flag 1
    else if not string match -q -- '-*' $word
      set -a path $word
    end
  end
  test "$path" = "$argv"
end
function __waxwing_values
  set -l words (commandline -opc)
  set -l folder
  for i in (seq 2 (count $words))
    if string match -q -- '--data-dir=*' $words[$i]
      set folder $words[$i]
    else if test "$words[$i]" = --data-dir; and test $i -lt (count $words)
      set folder --data-dir=$words[(math $i + 1)]
    end
  end
  command -q $words[1]; and $words[1] complete $argv $folder 2>/dev/null
end
complete -c waxwing -f
`, strings.Join(names, " "))
	for _, s := range contexts {
		if s.ask != "" {
			fmt.Fprintf(&b, "complete -c waxwing -n '__waxwing_at %s' -a '(__waxwing_values %s)'\n", s.path, s.ask)
		}
		for _, o := range s.options {
			kind := "-a " + o.word
			if name, ok := strings.CutPrefix(o.word, "--"); ok {
				kind = "-l " + name
				switch {
				case len(o.values) > 0:
					kind += " -x -a '" + strings.Join(o.values, " ") + "'"
				case o.ask != "":
					kind += " -x -a '(__waxwing_values " + o.ask + ")'"
				case o.value:
					kind += " -r -F"
				}
			}
			fmt.Fprintf(&b, "complete -c waxwing -n '__waxwing_at %s' %s -d '%s'\n", s.path, kind, shellText(o.help))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// setAsk returns shell code for bash and zsh that makes the script ask for values.
func setAsk(what string) string {
	if what == "" {
		return ""
	}
	return "; ask=" + what
}

// shellText removes what is special in single quotes of a shell, and zsh's colons.
func shellText(s string) string {
	return strings.NewReplacer("'", "’", ":", " ", "\\", "", "\n", " ").Replace(s)
}
