package httpkit

import (
	"net/http"
	"strings"
)

var gzipEncoding = []string{"gzip"}

// WriteGzipped replies with a body, or with its gzipped form if the client accepts that and it is
// smaller. gzipped returns that form, or nil.
func WriteGzipped(w http.ResponseWriter, r *http.Request, contentType string, body []byte,
	gzipped func() []byte) error {
	if acceptsGzip(r.Header["Accept-Encoding"]) {
		if small := gzipped(); small != nil {
			w.Header()["Content-Encoding"] = gzipEncoding
			body = small
		}
	}
	return WriteBody(w, http.StatusOK, contentType, body)
}

// acceptsGzip reports whether Accept-Encoding lists gzip with a weight above 0.
func acceptsGzip(header []string) bool {
	for _, line := range header {
		for part := range strings.SplitSeq(line, ",") {
			coding, weight, _ := strings.Cut(part, ";")
			if strings.EqualFold(strings.TrimSpace(coding), "gzip") {
				weight = strings.ReplaceAll(weight, " ", "")
				return weight != "q=0" && weight != "q=0.0" && weight != "q=0.00" && weight != "q=0.000"
			}
		}
	}
	return false
}
