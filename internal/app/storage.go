package app

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/catalog"
	"waxwing/internal/fault"
	"waxwing/internal/httpkit"
	"waxwing/internal/library"
	"waxwing/internal/library/s3"
	"waxwing/internal/scan"
)

// OpenRoot returns the root with a name as in --music, or as in the catalog.
func OpenRoot(name string, cfg s3.Config) (library.Root, error) {
	switch demo := DemoLibrary(); {
	case name == demo.Name():
		return demo, nil
	case strings.HasPrefix(name, s3.Scheme):
		return s3.New(name, cfg)
	}
	return library.NewFolder(name)
}

// remotes returns the roots on other machines.
func remotes(roots []library.Root) (out []library.Remote) {
	for _, r := range roots {
		if remote, ok := r.(library.Remote); ok {
			out = append(out, remote)
		}
	}
	return out
}

// presignedLifetime is how long a client can use the URL of a redirect.
const presignedLifetime = time.Hour

// openMedia opens the file of a song for a client, or redirects the client to the storage.
func (r *catalogRole) openMedia(req *http.Request, ref catalog.FileRef, contentType string) (httpkit.File, error) {
	if r.redirect && req.Method == http.MethodGet && req.Header.Get(httpkit.RedirectHeader) != "never" {
		for _, remote := range r.remotes {
			if remote.Name() == ref.Root {
				location, err := remote.Presign(req.Context(), ref.Path, contentType, presignedLifetime)
				return httpkit.File{Location: location}, err
			}
		}
	}
	var f scan.SongFile
	var err error
	if req.Method == http.MethodHead || isConditional(req.Header) { // the reply may have no body
		f, err = r.scanner.OpenFile(req.Context(), ref)
	} else {
		f, err = r.scanner.OpenPart(req.Context(), ref, req.Header.Get("Range"))
	}
	if err != nil {
		return httpkit.File{}, err
	}
	// The *os.File itself, so that net/http can use sendfile.
	return httpkit.File{Content: f.ReadSeekCloser, Changed: f.ModTime, ETag: f.ETag}, nil
}

// isConditional reports whether a request is for a file only under conditions.
func isConditional(h http.Header) bool {
	for _, name := range []string{"If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range"} {
		if h.Get(name) != "" {
			return true
		}
	}
	return false
}

// maxHealthAge is how old the result of the last request to a storage may be when it is reported.
const maxHealthAge = 5 * time.Second

// storageProblem says what is wrong with the storage of the music, "" if nothing. It checks a
// storage that has not been used for some time.
func (r *catalogRole) storageProblem(ctx context.Context) string {
	for _, remote := range r.remotes {
		at, failure := remote.Health()
		if time.Since(at) > maxHealthAge && r.probing.TryLock() {
			ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
			failure = remote.Check(ctx)
			cancel()
			r.probing.Unlock()
		}
		if failure == nil {
			continue
		}
		if kind, sentence := fault.Of(failure); kind != fault.Internal {
			return sentence
		}
		return "the storage of " + remote.Name() + " does not reply; check --s3-endpoint and the network"
	}
	return ""
}

func measureStorage(r prometheus.Registerer, buckets []library.Remote) {
	for _, b := range buckets {
		figure := func(read func(library.Stats) int64) func() float64 {
			return func() float64 { return float64(read(b.Stats())) }
		}
		const requests, help = "waxwing_storage_requests_total", "Requests to the storage of a bucket, by kind."
		counter(r, requests, help, figure(func(s library.Stats) int64 { return s.Lists }), "bucket", b.Name(), "kind", "list")
		counter(r, requests, help, figure(func(s library.Stats) int64 { return s.Gets }), "bucket", b.Name(), "kind", "get")
		counter(r, requests, help, figure(func(s library.Stats) int64 { return s.Heads }), "bucket", b.Name(), "kind", "head")
		const failures, why = "waxwing_storage_failures_total", "Requests to the storage that failed, by reason."
		counter(r, failures, why, figure(func(s library.Stats) int64 { return s.Failures }), "bucket", b.Name(), "reason",
			"unavailable")
		counter(r, failures, why, figure(func(s library.Stats) int64 { return s.Denied }), "bucket", b.Name(), "reason",
			"denied")
		counter(r, "waxwing_storage_read_bytes_total", "Bytes of files requested from the storage.",
			figure(func(s library.Stats) int64 { return s.Bytes }), "bucket", b.Name())
		gauge(r, "waxwing_storage_up", "1 if the last request to the storage of a bucket succeeded, 0 if it failed.",
			func() float64 {
				_, failure := b.Health()
				return truth(failure == nil)
			}, "bucket", b.Name())
	}
}
