package cli

import "net/netip"

// prefixes parses the value of --stream-allow.
func prefixes(words []string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, word := range words {
		prefix, err := netip.ParsePrefix(word)
		if addr, addrErr := netip.ParseAddr(word); addrErr == nil {
			prefix, err = netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()), nil
		}
		if err != nil {
			return nil, settingError("stream-allow",
				"--stream-allow must be addresses or networks separated by commas, for example 192.168.1.0/24, not %q", word)
		}
		all = append(all, prefix.Masked())
	}
	return all, nil
}
