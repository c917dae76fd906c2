package httpkit

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"waxwing/internal/fault"
)

// File is a file to send.
type File struct {
	Content io.ReadSeeker
	Changed time.Time
	Type    string // Content-Type
	Name    string // without quotes
	ETag    string // "": from size and time of change
	// Location is a URL at which the client gets the file; "": this server sends it.
	Location string
}

// Close closes the content.
func (f File) Close() {
	if c, ok := f.Content.(io.Closer); ok {
		_ = c.Close() // nothing was written
	}
}

// RedirectHeader, with the value "never", is sent by clients that follow no redirect.
const RedirectHeader = "X-Waxwing-Redirect"

// OpenedBy returns what opens files for clients with a function that opens files of type F.
func OpenedBy[F any](
	open func(ctx context.Context, file F) (io.ReadSeekCloser, time.Time, error),
) func(r *http.Request, file F, contentType string) (File, error) {
	return func(r *http.Request, file F, _ string) (File, error) {
		content, changed, err := open(r.Context(), file)
		return File{Content: content, Changed: changed}, err
	}
}

// ServeFile sends a file unchanged. The standard library handles ranges and conditions; fail
// replies in place of its error bodies.
func ServeFile(w http.ResponseWriter, r *http.Request, f File, fail func(status int, err error)) error {
	if f.Location != "" {
		h := w.Header()
		h.Set("Location", f.Location)
		h.Set("Cache-Control", "no-store") // the URL expires
		w.WriteHeader(http.StatusFound)
		return nil
	}
	size, err := f.Content.Seek(0, io.SeekEnd)
	if err != nil {
		return fmt.Errorf("get the size of the file %s: %w", f.Name, err)
	}
	h := w.Header()
	h.Set("Content-Type", f.Type)
	if f.ETag == "" {
		f.ETag = fmt.Sprintf(`"%x-%x"`, size, f.Changed.UnixMicro())
	}
	h.Set("ETag", f.ETag)
	h.Set("Cache-Control", "private, no-cache")
	h.Set("Content-Disposition", `inline; filename="`+f.Name+`"`)
	http.ServeContent(&fileWriter{ResponseWriter: w, fail: fail}, r, "", f.Changed, f.Content)
	return nil
}

// fileWriter replaces the error bodies of http.ServeContent.
type fileWriter struct {
	http.ResponseWriter
	fail    func(status int, err error)
	refused bool
}

func (w *fileWriter) WriteHeader(status int) {
	var err error
	switch status {
	case http.StatusRequestedRangeNotSatisfiable:
		err = fault.WithCode(fault.Invalid, fault.InvalidRange,
			"the range is outside of the file; request a range within its size")
	case http.StatusPreconditionFailed:
		err = fault.WithCode(fault.Conflict, fault.PreconditionFailed,
			"the file has changed; request it without the condition")
	case http.StatusInternalServerError:
		err = fault.WithCode(fault.Unavailable, fault.InternalError,
			"cannot read the file; check the disk of the music folder")
	default:
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	w.Header().Del("Content-Disposition")
	w.fail(status, err)
}

func (w *fileWriter) Write(b []byte) (int, error) {
	if w.refused {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// ReadFrom preserves sendfile, which copies a file without using this process's memory.
func (w *fileWriter) ReadFrom(src io.Reader) (int64, error) {
	if to, ok := w.ResponseWriter.(io.ReaderFrom); ok && !w.refused {
		return to.ReadFrom(src)
	}
	return io.Copy(struct{ io.Writer }{w}, src)
}

func (w *fileWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
