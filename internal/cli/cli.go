// Package cli is the command line: it parses arguments and configuration, and runs commands.
// Servers are started by package app.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"time"

	"github.com/alecthomas/kong"
	"golang.org/x/term"

	"waxwing/client"
	"waxwing/internal/app"
	"waxwing/internal/fault"
)

// Exit codes, as `waxwing --help` lists them.
const (
	exitFailed     = 1 // the command failed
	exitUsage      = 2 // the command line or the configuration is wrong
	exitNotRunning = 3 // no server is running at the address
	exitDenied     = 4 // the token or key may not do this
)

// IO is where a command reads and writes.
type IO struct {
	In       io.Reader
	Out      io.Writer // results only
	Err      io.Writer // messages and logs
	Terminal bool      // Out is a terminal: use colour and progress bars
	// Interactive is whether somebody can answer questions: In and Err are terminals.
	Interactive bool
}

// System is the process's own IO.
func System() IO {
	isTerminal := func(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
	return IO{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Terminal: isTerminal(os.Stdout),
		Interactive: isTerminal(os.Stdin) && isTerminal(os.Stderr)}
}

// Run executes one command line and returns the exit code.
func Run(ctx context.Context, std IO, version string, args []string) int {
	var grammar grammar
	values := &configuration{lookup: os.LookupEnv}
	exit := -1
	parser, err := kong.New(&grammar,
		kong.Name("waxwing"),
		kong.Description(description),
		kong.Writers(std.Out, std.Err),
		kong.Exit(func(code int) { exit = code }),
		kong.Vars{"version": version, "data_dir": defaultDataDir()},
		kong.Help(help),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 100}),
		kong.ExplicitGroups(groups),
		kong.Resolvers(values),
		kong.KindMapper(reflect.Int, intValue),
		kong.KindMapper(reflect.Int64, intValue),
		kong.KindMapper(reflect.Float64, floatValue),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), durationValue),
	)
	if err != nil {
		fmt.Fprintln(std.Err, "waxwing: invalid command table:", err)
		return exitFailed
	}
	if len(args) == 0 {
		args = []string{"up"}
	}
	args = escapeNegativeNumbers(args)
	if err := values.load(args); err != nil {
		fmt.Fprintln(std.Err, "waxwing:", err)
		return exitUsage
	}
	parsed, err := parser.Parse(args)
	if exit >= 0 {
		return exit // --help or --version was printed
	}
	if err != nil {
		fmt.Fprintf(std.Err, "waxwing: %v%s\n", err, values.sourceOf(err))
		fmt.Fprintf(std.Err, "Run “waxwing %s--help” for usage.\n", commandOf(parsed, err))
		return exitUsage
	}
	values.noteFlags(parsed)
	if s, ok := parsed.Selected().Target.Addr().Interface().(server); ok {
		err = s.serve(ctx, std, versionString(version))
	} else {
		parsed.BindTo(ctx, (*context.Context)(nil))
		err = parsed.Run(std, values, parser.Model, versionString(version))
	}
	if err == nil {
		return 0
	}
	code, message := explain(err)
	if message != "" {
		fmt.Fprintf(std.Err, "waxwing: %s%s\n", message, values.sourceOf(err))
	}
	return code
}

// server is a command that runs until ctx is done. The parser does not run it, so that the memory
// of the parser and of all other commands can be freed.
type server interface {
	serve(ctx context.Context, std IO, version versionString) error
}

// escapeNegativeNumbers makes “waxwing seek -10s” work: the parser would take -10s for a flag.
// Commands for which a negative number is invalid report a clearer error than the parser.
func escapeNegativeNumbers(args []string) []string {
	if !slices.Contains([]string{"seek", "volume", "queue", "rate"}, args[0]) {
		return args
	}
	var flags, numbers []string
	for _, a := range args {
		if len(a) > 1 && a[0] == '-' && a[1] >= '0' && a[1] <= '9' {
			numbers = append(numbers, a)
			continue
		}
		flags = append(flags, a)
	}
	if numbers == nil {
		return args
	}
	return slices.Concat(flags, []string{"--"}, numbers)
}

type versionString string

// commandOf returns the name of the command in which parsing failed, for a hint.
func commandOf(parsed *kong.Context, err error) string {
	var perr *kong.ParseError
	if errors.As(err, &perr) && perr.Context != nil {
		parsed = perr.Context
	}
	if parsed == nil || parsed.Selected() == nil {
		return ""
	}
	name := ""
	for n := parsed.Selected(); n != nil && n.Type == kong.CommandNode; n = n.Parent {
		if n != n.Parent.DefaultCmd { // the default command was probably not meant
			name = n.Name + " " + name
		}
	}
	return name
}

// usageError is a mistake in the command line that only the command itself can find.
type usageError string

func (e usageError) Error() string { return string(e) }

func usage(format string, args ...any) error { return usageError(fmt.Sprintf(format, args...)) }

// settingError is a setting with a value that cannot be used. The message names its flag and an
// example of a value that can; where the value comes from is added when it is printed.
func settingError(setting, format string, args ...any) error {
	return &app.SettingError{Setting: setting, Message: fmt.Sprintf(format, args...)}
}

// explain returns the exit code and the message of an error.
func explain(err error) (int, string) {
	var wrongUse usageError
	if errors.As(err, &wrongUse) {
		return exitUsage, wrongUse.Error()
	}
	var setting *app.SettingError
	if errors.As(err, &setting) {
		return exitUsage, setting.Message
	}
	if errors.Is(err, context.Canceled) {
		return exitFailed, ""
	}
	var api *client.Error
	if errors.As(err, &api) {
		switch {
		case api.Status == 401 || api.Status == 403:
			return exitDenied, err.Error()
		case api.Status == 0:
			return exitNotRunning, err.Error()
		}
		return exitFailed, err.Error()
	}
	if kind, message := fault.Of(err); kind != fault.Internal {
		return exitFailed, message
	}
	return exitFailed, err.Error()
}
