package cli

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

type manCmd struct{}

// Run prints the manual page, generated from the table that parses the command line.
func (manCmd) Run(std IO, app *kong.Application, version versionString) error {
	_, err := io.WriteString(std.Out, manual(app, string(version)))
	return err
}

// manual returns the page in roff, with the man macros.
func manual(app *kong.Application, version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH WAXWING 1 %q %q \"User Commands\"\n", builtFrom(), "Waxwing "+version)
	b.WriteString(".SH NAME\nwaxwing \\- music player daemon and library server\n")
	b.WriteString(".SH SYNOPSIS\n.B waxwing\n.RI [ command ]\n.RI [ flags ]\n")
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\nWithout a command, catalog and player start with the built-in demo music.\n",
		roff(description))
	b.WriteString(".SH COMMANDS\n")
	for _, g := range groups {
		fmt.Fprintf(&b, ".SS %s\n", roff(g.Title))
		for _, n := range app.Children {
			if !n.Hidden && n.Group != nil && n.Group.Key == g.Key {
				manualOf(&b, n, "")
			}
		}
	}
	b.WriteString(".SH SETTINGS\nA flag overrides the variable named with it, which overrides\n.I config.toml\n" +
		"(key: the name of the flag) in the data folder or the configuration folder.\n.B waxwing config show\nprints " +
		"all of them and where each value comes from.\n")
	for _, f := range settingFlags(app) {
		fmt.Fprintf(&b, ".TP\n%s, \\fB%s\\fR\n%s\n", flagOf(f), roff(f.Envs[0]), roff(f.Help))
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, line := range []string{"0:success", "1:failure", "2:invalid command line or configuration",
		"3:no server is running at the address", "4:the token or key lacks the permission",
	} {
		code, meaning, _ := strings.Cut(line, ":")
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", code, meaning)
	}
	b.WriteString(".SH EXAMPLES\n.nf\n")
	for _, line := range examples[""] {
		fmt.Fprintf(&b, "%s\n", roff(line))
	}
	b.WriteString(".fi\n.SH SEE ALSO\n.BR systemctl (1),\n.BR playerctl (1)\n")
	return b.String()
}

// builtFrom returns the date of the commit the program was built from, so that builds are
// reproducible. Without it, SOURCE_DATE_EPOCH decides, or else the date of the program file.
func builtFrom() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.time" {
				day, _, _ := strings.Cut(s.Value, "T")
				return day
			}
		}
	}
	if seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		return time.Unix(seconds, 0).UTC().Format(time.DateOnly)
	}
	if program, err := os.Executable(); err == nil {
		if info, err := os.Stat(program); err == nil {
			return info.ModTime().UTC().Format(time.DateOnly)
		}
	}
	return ""
}

// manualOf describes a command with its own flags; settings have a section of their own.
func manualOf(b *strings.Builder, n *kong.Node, path string) {
	name := strings.TrimSpace(path + " " + n.Name)
	fmt.Fprintf(b, ".TP\n\\fB%s\\fR", roff(name))
	for _, p := range n.Positional {
		fmt.Fprintf(b, " \\fI%s\\fR", roff(p.Summary()))
	}
	fmt.Fprintf(b, "\n%s\n", roff(n.Help))
	for _, f := range n.Flags {
		if !f.Hidden && !isSetting(f) && f.Name != "help" {
			fmt.Fprintf(b, ".RS\n.TP\n%s\n%s\n.RE\n", flagOf(f), roff(f.Help))
		}
	}
	for _, child := range n.Children {
		if !child.Hidden && child.Type == kong.CommandNode {
			manualOf(b, child, name)
		}
	}
}

func flagOf(f *kong.Flag) string {
	name := "\\fB" + roff("--"+f.Name) + "\\fR"
	if f.IsBool() {
		return name
	}
	return name + "=\\fI" + roff(strings.Trim(f.FormatPlaceHolder(), `"`)) + "\\fR"
}

// settingFlags returns the flags that are settings, each once, in the order of the command table.
func settingFlags(app *kong.Application) (all []*kong.Flag) {
	seen := map[string]bool{}
	var walk func(n *kong.Node)
	walk = func(n *kong.Node) {
		for _, f := range n.Flags {
			if isSetting(f) && !f.Hidden && !seen[f.Name] {
				seen[f.Name] = true
				all = append(all, f)
			}
		}
		for _, child := range n.Children {
			walk(child)
		}
	}
	walk(app.Node)
	return all
}

// roff escapes text.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
