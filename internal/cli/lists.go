package cli

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// Settings with several values are written in the same way everywhere: a flag (which may also be repeated), a variable and a
// plain value of config.toml are separated alike. A list of config.toml is separated already.

// folderList names folders, separated as in PATH: by “:”, on Windows by “;”.
type folderList []string

// Decode implements kong.MapperValue. A word that is a folder as it stands is one, whatever its name holds.
func (l *folderList) Decode(ctx *kong.DecodeContext) error {
	words, err := listed(ctx, func(word string) []string {
		if info, err := os.Stat(word); err == nil && info.IsDir() {
			return []string{word}
		}
		return filepath.SplitList(word)
	})
	*l = append(*l, words...)
	return err
}

// hostList names hosts, separated by commas.
type hostList []string

// Decode implements kong.MapperValue.
func (l *hostList) Decode(ctx *kong.DecodeContext) error {
	words, err := listed(ctx, func(word string) []string { return strings.Split(word, ",") })
	for _, w := range words {
		*l = append(*l, strings.TrimSpace(w))
	}
	return err
}

// listed reads one value of the command line, the environment or the configuration.
func listed(ctx *kong.DecodeContext, separate func(string) []string) (words []string, err error) {
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

var hostForm = regexp.MustCompile(`^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_][A-Za-z0-9_.-]*)(:[1-9][0-9]{0,4})?$`)

// check refuses what no client ever sends as the Host of a request.
func (l hostList) check(flag string) error {
	for _, host := range l {
		if !hostForm.MatchString(host) || !portFits(host) {
			return wrong(flag, "--%s takes host names as browsers send them, separated by commas, for example music.example.net or music.example.net:8443, not %q", flag, host)
		}
	}
	return nil
}

func portFits(host string) bool {
	i := strings.LastIndexByte(host, ':')
	if i < 0 || strings.HasSuffix(host, "]") {
		return true
	}
	n, err := strconv.Atoi(host[i+1:])
	return err == nil && n <= 65535
}

// withoutPorts adds to each name with a port the name alone: it stands for any port of ours.
func (l hostList) withoutPorts() (names []string) {
	for _, host := range l {
		names = append(names, host)
		if i := strings.LastIndexByte(host, ':'); i > 0 && !strings.HasSuffix(host, "]") {
			names = append(names, host[:i])
		}
	}
	return names
}

// checkBase refuses a URL that others could not be put after.
func checkBase(flag, base string) error {
	if base == "" {
		return nil
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.ContainsAny(base, "?# ") {
		return wrong(flag, "--%s must be the beginning of a URL, for example https://music.example.net, and nothing more", flag)
	}
	return nil
}
