package web

import (
	"net/http"

	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
)

// pagePolicy lets a page load from this server only.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; " +
	"connect-src 'self'; font-src 'self'; media-src 'self' blob:; manifest-src 'self'; worker-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Page sends an HTML file of the web player.
func Page(name string) httpkit.Handler {
	return func(w http.ResponseWriter, r *http.Request) error { return sendFile(w, r, name) }
}

// ServeFile sends the file that the request's path names below /web/.
func ServeFile(w http.ResponseWriter, r *http.Request) error {
	return sendFile(w, r, r.PathValue("path"))
}

func sendFile(w http.ResponseWriter, r *http.Request, name string) error {
	file, ok := File(name)
	if !ok {
		return fault.New(fault.NotFound, "the web player has no such file")
	}
	h := w.Header()
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Service-Worker-Allowed", "/")
	h.Set("Cache-Control", "no-cache")
	if file.Immutable {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	h.Set("ETag", file.ETag)
	h.Set("Vary", "Accept-Encoding")
	if httpkit.MatchesETag(r.Header["If-None-Match"], file.ETag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return httpkit.WriteGzipped(w, r, file.Type, file.Content, func() []byte { return file.Gzipped })
}
