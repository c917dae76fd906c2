package httpkit

import "strings"

// MatchesETag reports whether an If-None-Match header contains the tag, by weak comparison.
func MatchesETag(header []string, tag string) bool {
	tag = strings.TrimPrefix(tag, "W/")
	for _, line := range header {
		for candidate := range strings.SplitSeq(line, ",") {
			if strings.TrimPrefix(strings.TrimSpace(candidate), "W/") == tag {
				return true
			}
		}
	}
	return false
}
