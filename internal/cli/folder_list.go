package cli

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"
)

// Settings with several values are written in the same way everywhere: a flag (which may also be repeated), a variable and a
// plain value of config.toml are separated alike. A list of config.toml is separated already.

// folderList names folders, separated as in PATH: by “:”, on Windows by “;”.
type folderList []string

// Decode implements kong.MapperValue. A word that is a folder as it stands is one, whatever its name holds.
func (l *folderList) Decode(ctx *kong.DecodeContext) error {
	words, err := splitValue(ctx, func(word string) []string {
		if info, err := os.Stat(word); err == nil && info.IsDir() {
			return []string{word}
		}
		return filepath.SplitList(word)
	})
	*l = append(*l, words...)
	return err
}

// splitValue reads one value of the command line, the environment or the configuration.
func splitValue(ctx *kong.DecodeContext, separate func(string) []string) (words []string, err error) {
	token, err := ctx.Scan.PopValue("value")
	if err != nil {
		return nil, err
	}
	if list, ok := token.Value.([]any); ok {
		for _, v := range list {
			words = append(words, fmt.Sprint(v))
		}
		return words, nil
	}
	for _, word := range separate(fmt.Sprint(token.Value)) {
		if strings.TrimSpace(word) != "" {
			words = append(words, word)
		}
	}
	return words, nil
}

// checkURLPrefix refuses a URL that others could not be put after.
func checkURLPrefix(flag, base string) error {
	if base == "" {
		return nil
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.ContainsAny(base, "?# ") {
		return settingError(flag, "--%s must be the beginning of a URL, for example https://music.example.net, and nothing more", flag)
	}
	return nil
}
