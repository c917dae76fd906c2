package cataloghttp

import (
	"hash/crc32"
	"strconv"

	"waxwing/internal/catalog"
)

// etag returns the ETag of a response. It covers the catalog's epoch and revision, what program
// stands for this program, and the key, so that no tag stands for another response.
func etag(view catalog.View, program string, key cacheKey) string {
	b := make([]byte, 0, 160)
	b = append(b, program...)
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
	if key.me {
		b = append(b, "&me"...)
	}
	if key.file {
		b = append(b, "&file"...)
	}
	if key.rules {
		b = append(b, "&rules"...)
	}
	if key.online {
		b = append(b, "&online"...)
	}
	b = append(b, '&')
	b = append(b, key.list...)
	for _, value := range key.chosen {
		b = append(b, '&')
		b = append(b, value...)
	}
	sum := crc32.ChecksumIEEE(b)

	b = append(b[:0], `W/"`...)
	b = appendRevision(b, view)
	for _, n := range [...]int64{key.personal, key.hour} {
		if n != 0 {
			b = append(b, '.')
			b = strconv.AppendInt(b, n, 36)
		}
	}
	b = append(b, '.')
	b = strconv.AppendUint(b, uint64(sum), 36)
	b = append(b, '"')
	return string(b)
}

// songsVersion is the version of the songs in its public form.
func songsVersion(view catalog.View) string {
	return view.Epoch + "." + strconv.FormatInt(view.RollVersion(), 36)
}

// appendRevision appends the revision in its public form, used in ETags and events.
func appendRevision(b []byte, view catalog.View) []byte {
	b = append(b, view.Epoch...)
	b = append(b, '.')
	return strconv.AppendInt(b, view.Revision, 36)
}
