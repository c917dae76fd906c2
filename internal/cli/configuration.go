package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/adrg/xdg"
	"github.com/alecthomas/kong"

	"waxwing/internal/app"
	"waxwing/internal/catalog"
)

// configuration resolves settings: flags override the environment, which overrides config.toml,
// which overrides the defaults. A flag with an environment variable is a setting, and its name is
// its key in the file.
type configuration struct {
	lookup func(string) (string, bool)
	path   string         // the file that was read; "" if none
	file   map[string]any // its keys
	origin map[string]string
}

func defaultDataDir() string { return filepath.Join(xdg.DataHome, "waxwing") }

// load finds and reads config.toml. The two settings that decide which file cannot be set in it.
func (c *configuration) load(args []string) error {
	c.origin = map[string]string{}
	named := c.early(args, "config", "WAXWING_CONFIG")
	candidates := []string{named}
	if named == "" {
		dir := c.early(args, "data-dir", "WAXWING_DATA_DIR")
		if dir == "" {
			dir = defaultDataDir()
		}
		candidates = []string{filepath.Join(dir, "config.toml"), filepath.Join(xdg.ConfigHome, "waxwing", "config.toml")}
	}
	for _, path := range candidates {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) && named == "" {
			continue
		}
		if err != nil {
			return fmt.Errorf("read the configuration: %w", err)
		}
		if _, err := toml.Decode(string(text), &c.file); err != nil {
			return fmt.Errorf("%s is not valid TOML: %w", path, err)
		}
		c.path = path
		return nil
	}
	return nil
}

// early reads a setting before the command line is parsed.
func (c *configuration) early(args []string, flag, env string) string {
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, "--"+flag+"="); ok {
			return v
		}
		if a == "--"+flag && i+1 < len(args) {
			return args[i+1]
		}
	}
	v, _ := c.lookup(env)
	return v
}

// Validate implements kong.Resolver. An unknown key is an error.
func (c *configuration) Validate(app *kong.Application) error {
	known := map[string]bool{}
	var walk func(n *kong.Node)
	walk = func(n *kong.Node) {
		for _, f := range n.Flags {
			known[f.Name] = known[f.Name] || isSetting(f)
		}
		for _, child := range n.Children {
			walk(child)
		}
	}
	walk(app.Node)
	for key := range c.file {
		if !known[key] || key == "config" || key == "data-dir" {
			return fmt.Errorf("%s: unknown key %q; “waxwing config show” lists all settings%s", c.path, key,
				suggestion(key, known))
		}
	}
	return nil
}

// suggestion returns a hint at the setting with a similar name.
func suggestion(key string, known map[string]bool) string {
	fold := strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(key))
	for name, setting := range known {
		if setting && (name == fold || strings.HasPrefix(name, fold) || strings.HasPrefix(fold, name)) {
			return fmt.Sprintf(" (did you mean %q?)", name)
		}
	}
	return ""
}

func isSetting(f *kong.Flag) bool { return len(f.Envs) > 0 }

// isList also covers named slice types, which the parser takes for single values.
func isList(f *kong.Flag) bool { return f.Target.Kind() == reflect.Slice }

// Resolve implements kong.Resolver for flags that were not given on the command line.
func (c *configuration) Resolve(_ *kong.Context, _ *kong.Path, f *kong.Flag) (any, error) {
	if !isSetting(f) {
		return nil, nil //nolint:nilnil // kong: no value
	}
	if v, ok := c.lookup(f.Envs[0]); ok {
		c.origin[f.Name] = f.Envs[0]
		return v, nil
	}
	v, ok := c.file[f.Name]
	if !ok {
		return nil, nil //nolint:nilnil // likewise
	}
	c.origin[f.Name] = c.path
	switch v := v.(type) {
	case []any:
		for _, w := range v {
			if _, ok := w.(string); !ok {
				return nil, fmt.Errorf("%s: %s must be a list of strings", c.path, f.Name)
			}
		}
		if !isList(f) {
			return nil, fmt.Errorf("%s: %s takes one value, not a list", c.path, f.Name)
		}
		return v, nil
	case map[string]any, []map[string]any:
		return nil, fmt.Errorf("%s: %s takes a plain value, not a table", c.path, f.Name)
	}
	return fmt.Sprint(v), nil
}

// sourceOf describes where the setting in an error got its value; "" if the error is not about a
// setting, or about a default.
func (c *configuration) sourceOf(err error) string {
	var setting *app.SettingError
	name := ""
	if errors.As(err, &setting) {
		name = setting.Setting
	} else if begins := flagForm.FindStringSubmatch(err.Error()); begins != nil { // an error of the parser
		name = begins[1]
	}
	switch origin := c.origin[name]; origin {
	case "":
		return ""
	case "flag":
		return " (set on the command line)"
	default:
		return " (set in " + origin + ")"
	}
}

var flagForm = regexp.MustCompile(`^--([a-z-]+)`)

// noteFlags records which settings came from the command line.
func (c *configuration) noteFlags(ctx *kong.Context) {
	for _, p := range ctx.Path {
		if p.Flag != nil && !p.Resolved {
			c.origin[p.Flag.Name] = "flag"
		}
	}
}

// configShow prints every setting, its value and where that comes from.
type configShow struct {
	Settings
	JSON bool `name:"json" help:"Print JSON."`
}

type settingView struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
	Env    string `json:"env"`
}

func (cmd *configShow) Run(std IO, c *configuration, app *kong.Application) error {
	var rows []settingView
	config := slices.IndexFunc(app.Children, func(n *kong.Node) bool { return n.Name == "config" })
	show := slices.IndexFunc(app.Children[config].Children, func(n *kong.Node) bool { return n.Name == "show" })
	flags := slices.Concat(app.Flags, app.Children[config].Children[show].Flags)
	for _, f := range flags {
		if !isSetting(f) {
			continue
		}
		origin := c.origin[f.Name]
		if origin == "" {
			origin = "default"
		}
		value := fmt.Sprint(f.Target.Interface())
		if isList(f) {
			value = strings.Join(f.Target.Convert(reflect.TypeFor[[]string]()).Interface().([]string), ", ")
		}
		rows = append(rows, settingView{f.Name, catalog.RedactDSN(value), origin, f.Envs[0]})
	}
	sort.Slice(rows, func(i, j int) bool { return rows[i].Name < rows[j].Name })
	if cmd.JSON {
		return printJSON(std.Out, rows)
	}
	t := newTable(std.Out, "SETTING", "VALUE", "FROM", "ENVIRONMENT")
	for _, r := range rows {
		t.row(r.Name, r.Value, r.Origin, r.Env)
	}
	if err := t.flush(); err != nil {
		return err
	}
	if c.path == "" {
		fmt.Fprintln(std.Err, "No config.toml was found. Waxwing reads one from the data folder if it exists.")
	}
	return nil
}
