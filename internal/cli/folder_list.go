package cli

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// folderList is a list of folders, separated as in PATH: by “:”, on Windows by “;”. Lists use the
// same separator in a flag (which may be repeated), a variable and a string in config.toml; an
// array in config.toml needs none.
type folderList []string

// Decode implements kong.MapperValue. The path of an existing folder is not split.
func (l *folderList) Decode(ctx *kong.DecodeContext) error {
	words, err := splitValue(ctx, func(word string) []string {
		if info, err := os.Stat(word); err == nil && info.IsDir() {
			return []string{word}
		}
		return splitFolders(word)
	})
	*l = append(*l, words...)
	return err
}

// splitFolders splits a list as in PATH. The colon of s3:// separates nothing.
func splitFolders(word string) []string {
	parts := filepath.SplitList(word)
	for i := len(parts) - 2; i >= 0; i-- {
		if parts[i] == "s3" && strings.HasPrefix(parts[i+1], "//") {
			parts[i] += ":" + parts[i+1]
			parts = slices.Delete(parts, i+1, i+2)
		}
	}
	return parts
}

// splitValue reads one value of the command line, the environment or config.toml.
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

// checkURLPrefix returns an error for a URL to which no path can be appended.
func checkURLPrefix(flag, base string) error {
	if base == "" {
		return nil
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.ContainsAny(base, "?# ") {
		return settingError(flag, "--%s must be a URL without query and fragment, for example https://music.example.net",
			flag)
	}
	return nil
}
