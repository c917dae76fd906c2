package cli

import (
	"log/slog"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

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

// names are those that the catalog answers to: the ones it was given, and the one address that it was told to listen at.
// No page of a stranger can have either of them for its own.
func (s catalogSettings) names(at net.Addr) []string {
	if tcp, ok := at.(*net.TCPAddr); ok && !tcp.IP.IsUnspecified() && !tcp.IP.IsLoopback() {
		return append(slices.Clone([]string(s.CatalogHosts)), tcp.String())
	}
	return s.CatalogHosts
}

// warnUnnamed says at the start what refusals would say later: whoever comes from another machine must be told a name that is
// ours, because a page in a browser can point any name of its own at us.
func warnUnnamed(at net.Addr, setting string, hosts hostList, log *slog.Logger) {
	if tcp, ok := at.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() && len(hosts) == 0 {
		variable := "WAXWING_" + strings.ToUpper(strings.ReplaceAll(setting, "-", "_"))
		log.Warn("listening at every address, but no name is ours: only this machine is answered, others get 421", "at", at.String(),
			"hint", "name what others call this server, for example --"+setting+" music.example.net ("+variable+")")
	}
}
