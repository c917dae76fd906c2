package stream

import (
	"bytes"
	"errors"
	"mime"
	"net/url"
	"path"
	"strings"

	"waxwing/internal/fault"
)

const (
	maxPlaylist = 64 << 10 // bytes of a playlist
	maxTried    = 5        // entries of a playlist that are tried
)

var errSegments = fault.New(fault.Invalid, "segmented streams (HLS) cannot be played")

// isPlaylist reports whether a reply is a list of URLs instead of audio.
func isPlaylist(contentType, file string, head []byte) bool {
	kind, _, _ := mime.ParseMediaType(contentType) // an invalid type says nothing
	switch kind {
	case "audio/mpegurl", "audio/x-mpegurl", "application/mpegurl", "application/x-mpegurl",
		"application/vnd.apple.mpegurl", "audio/x-scpls", "application/pls+xml":
		return true
	}
	head = bytes.ToLower(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	if bytes.HasPrefix(head, []byte("[playlist]")) || bytes.HasPrefix(head, []byte("#extm3u")) {
		return true
	}
	switch strings.ToLower(path.Ext(file)) {
	case ".m3u", ".m3u8", ".pls":
		return bytes.HasPrefix(head, []byte("http")) || bytes.HasPrefix(head, []byte("#"))
	}
	return false
}

// entries returns the first URLs of an M3U or PLS playlist that was read from base.
func entries(base *url.URL, body []byte) ([]*url.URL, error) {
	var found []*url.URL
	for line := range strings.Lines(strings.TrimPrefix(string(body), "\xef\xbb\xbf")) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#EXT-X-") {
			return nil, errSegments
		}
		if key, value, ok := strings.Cut(line, "="); ok && strings.HasPrefix(strings.ToLower(key), "file") {
			line = strings.TrimSpace(value) // PLS
		} else if isPLS(body) {
			continue
		}
		if line == "" || line[0] == '#' || line[0] == '[' || len(line) > MaxURL {
			continue
		}
		u, err := base.Parse(line)
		if err != nil || checkURL(u) != nil {
			continue
		}
		if found = append(found, u); len(found) == maxTried {
			break
		}
	}
	if len(found) == 0 {
		return nil, errors.New("the playlist has no http address")
	}
	return found, nil
}

func isPLS(body []byte) bool {
	return bytes.Contains(bytes.ToLower(body[:min(len(body), 512)]), []byte("[playlist]"))
}
