package app

import (
	"fmt"
	"net"
	"strings"

	"waxwing/api/catalogapi"
)

// appAddress returns the address of the catalog for apps on other devices, or what to change so
// that there is one.
func appAddress(at net.Addr, hosts []string, publicURL string) catalogapi.AppAddress {
	tcp, ok := at.(*net.TCPAddr)
	switch {
	case publicURL != "":
		return reachableAt(strings.TrimSuffix(publicURL, "/"))
	case !ok:
		return notReachable("Set the URL of the catalog with --public-url.")
	case tcp.IP.IsLoopback():
		return notReachable(fmt.Sprintf("Only this machine reaches the catalog. Start it with --catalog-addr %s, "+
			"or put a TLS proxy in front and set --public-url.", net.JoinHostPort(ownAddressText(), fmt.Sprint(tcp.Port))))
	case !tcp.IP.IsUnspecified():
		return reachableAt("http://" + tcp.String())
	case len(hosts) == 0:
		if url := lanURL(at); url != "" {
			return reachableAt(url)
		}
		return notReachable("The address of this machine in its network is unknown. Set the name that apps use with " +
			"--catalog-host.")
	}
	host := hosts[0]
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(strings.Trim(host, "[]"), fmt.Sprint(tcp.Port))
	}
	return reachableAt("http://" + host)
}

func reachableAt(url string) catalogapi.AppAddress { return catalogapi.AppAddress{URL: &url} }

func notReachable(advice string) catalogapi.AppAddress { return catalogapi.AppAddress{Advice: &advice} }

// ownAddressText returns the address of this machine in its network, or a word for it.
func ownAddressText() string {
	if ip := ownAddress(); ip != nil {
		return ip.String()
	}
	return "ADDRESS"
}
