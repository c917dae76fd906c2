package cataloghttp

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"waxwing/internal/httpkit"
	"waxwing/internal/testenv"
)

// Every Range header gets a valid status, and a body that is not much larger than the file.
func FuzzRange(f *testing.F) {
	for _, seed := range []string{
		"bytes=0-", "bytes=-1", "bytes=0-0,-1", "bytes=5-2", "bytes=9999-", "bytes=0-1,0-1,0-1,0-1",
		"bytes=18446744073709551615-", "lines=1-2", "bytes=-", "bytes= 1 - 2 ",
	} {
		f.Add(seed, "", "")
		f.Add(seed, `"2710-38d7ea4c68000"`, "Mon, 02 Jan 2006 15:04:05 GMT")
	}
	content := bytes.Repeat([]byte("audio"), 2000)
	f.Fuzz(func(t *testing.T, parts, ifRange, ifModified string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		for name, value := range map[string]string{"Range": parts, "If-Range": ifRange, "If-Modified-Since": ifModified} {
			if value != "" {
				r.Header[name] = []string{value}
			}
		}
		testenv.CheckCost(t, func() {
			got := httptest.NewRecorder()
			file := httpkit.File{Content: bytes.NewReader(content), Changed: time.Unix(1e9, 0), Type: "audio/flac", Name: "x"}
			err := httpkit.ServeFile(got, r, file, func(status int, err error) { http.Error(got, err.Error(), status) })
			if err != nil {
				t.Fatal(err)
			}
			switch got.Code {
			case http.StatusOK, http.StatusPartialContent, http.StatusNotModified,
				http.StatusRequestedRangeNotSatisfiable, http.StatusPreconditionFailed:
			default:
				t.Fatalf("Range %q: got status %d, want 200, 206, 304, 412 or 416", parts, got.Code)
			}
			if most := len(content) + 400*(len(parts)+1); got.Body.Len() > most {
				t.Fatalf("Range %q: got %d bytes of a file of %d, want at most %d",
					parts, got.Body.Len(), len(content), most)
			}
		})
	})
}
