package cataloghttp

import (
	"hash/crc32"
	"strconv"
	"strings"

	"waxwing/internal/catalog"
)

// etag names the answer to a question at one state of the catalog. It holds the catalog's epoch and
// revision, the version of this program and the question itself, with whose it is where answers
// differ between owners: so a tag that was given for one answer never stands for another.
func etag(view catalog.View, version string, key cacheKey) string {
	b := make([]byte, 0, 160)
	b = append(b, version...)
	b = append(b, key.base...)
	b = append(b, key.path...)
	b = append(b, '?')
	b = strconv.AppendInt(b, key.page.Number, 10)
	b = append(b, '&')
	b = strconv.AppendInt(b, key.page.Limit, 10)
	b = append(b, '&')
	b = append(b, key.viewer.Tag()...)
	b = append(b, '&')
	b = append(b, key.query...)
	if key.gain {
		b = append(b, "&gain"...)
	}
	sum := crc32.ChecksumIEEE(b)

	b = append(b[:0], `W/"`...)
	b = appendRevision(b, view)
	b = append(b, '.')
	b = strconv.AppendUint(b, uint64(sum), 36)
	b = append(b, '"')
	return string(b)
}

// appendRevision writes the revision as clients see it, in ETags and in events.
func appendRevision(b []byte, view catalog.View) []byte {
	b = append(b, view.Epoch...)
	b = append(b, '.')
	return strconv.AppendInt(b, view.Revision, 36)
}

// named reports whether an If-None-Match header names the tag. Tags are compared weakly.
func matchesETag(header []string, tag string) bool {
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
