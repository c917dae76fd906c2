package cli

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// hostList is a list of host names, separated by commas.
type hostList []string

// Decode implements kong.MapperValue.
func (l *hostList) Decode(ctx *kong.DecodeContext) error {
	words, err := splitValue(ctx, func(word string) []string { return strings.Split(word, ",") })
	for _, w := range words {
		*l = append(*l, strings.TrimSpace(w))
	}
	return err
}

var hostForm = regexp.MustCompile(`^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9_][A-Za-z0-9_.-]*)(:[1-9][0-9]{0,4})?$`)

// check returns an error for anything that cannot be the Host header of a request.
func (l hostList) check(flag string) error {
	for _, host := range l {
		if !hostForm.MatchString(host) || !portFits(host) {
			return settingError(flag, "--%s must be host names separated by commas, for example music.example.net or "+
				"music.example.net:8443, not %q", flag, host)
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
