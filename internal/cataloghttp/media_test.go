package cataloghttp_test

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"waxwing/api/catalogapi"
	"waxwing/client"
	"waxwing/internal/testenv"
)

func TestAudioIsServedInRanges(t *testing.T) {
	h := start(t, 3)
	path := "/api/songs/" + h.ids[0] + "/stream"
	whole := h.get(t, path).is(t, 200, nil)
	if len(whole.body) != 1001 || whole.header.Get("Content-Type") != "audio/flac" ||
		whole.header.Get("Accept-Ranges") != "bytes" || whole.header.Get("ETag") == "" {
		t.Fatalf("got %d bytes, %v; want 1001 of audio/flac with an ETag", len(whole.body), whole.header)
	}
	tag := whole.header.Get("ETag")
	for _, c := range []struct {
		header []string
		status int
		length int
		span   string
	}{
		{[]string{"Range", "bytes=0-0"}, 206, 1, "bytes 0-0/1001"},
		{[]string{"Range", "bytes=500-"}, 206, 501, "bytes 500-1000/1001"},
		{[]string{"Range", "bytes=-1"}, 206, 1, "bytes 1000-1000/1001"},
		{[]string{"Range", "bytes=990-99999"}, 206, 11, "bytes 990-1000/1001"},
		{[]string{"Range", "bytes=5-10", "If-Range", tag}, 206, 6, "bytes 5-10/1001"},
		{[]string{"Range", "bytes=5-10", "If-Range", `"other"`}, 200, 1001, ""},
		{[]string{"Range", "lines=1-2"}, 416, -1, ""},
		{[]string{"Range", "bytes=1001-"}, 416, -1, "bytes */1001"},
		{[]string{"Range", "bytes=x"}, 416, -1, ""},
		{[]string{"If-None-Match", tag}, 304, 0, ""},
		{[]string{"If-Match", `"other"`}, 412, -1, ""},
	} {
		got := h.get(t, path, c.header...)
		span := got.header.Get("Content-Range")
		if got.status != c.status || c.length >= 0 && len(got.body) != c.length || span != c.span {
			t.Errorf("%v: got %d, %d bytes, %q; want %d, %d, %q",
				c.header, got.status, len(got.body), span, c.status, c.length, c.span)
		}
		if got.status > 400 && !strings.HasPrefix(got.body, `{"error":"`) {
			t.Errorf("%v: got error body %s, want JSON", c.header, got.body)
		}
	}
	parts := h.get(t, path, "Range", "bytes=0-1,5-6").is(t, 206, nil)
	if !strings.HasPrefix(parts.header.Get("Content-Type"), "multipart/byteranges") {
		t.Errorf("content type of two ranges: got %s, want multipart/byteranges", parts.header.Get("Content-Type"))
	}
	head := h.do(t, "read", "HEAD", path, "").is(t, 200, nil)
	if head.header.Get("Content-Length") != "1001" {
		t.Errorf("Content-Length of HEAD: got %s, want 1001", head.header.Get("Content-Length"))
	}
	if got := h.do(t, "", "GET", path, ""); got.status != 401 {
		t.Errorf("stream without a key: got %d, want 401", got.status)
	}
	if err := os.Remove(filepath.Join(h.music, "00002.flac")); err != nil {
		t.Fatal(err)
	}
	if got := h.get(t, "/api/songs/"+h.ids[1]+"/stream"); got.status != 404 {
		t.Errorf("missing file: got %d %s, want 404", got.status, got.body)
	}
	// A symbolic link to a file outside of the folder is not followed.
	if err := os.Remove(filepath.Join(h.music, "00003.flac")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(h.music, "00003.flac")); err != nil {
		t.Fatal(err)
	}
	if got := h.get(t, "/api/songs/"+h.ids[2]+"/stream"); got.status != 404 || strings.Contains(got.body, "root") {
		t.Errorf("symbolic link to another folder: got %d %s, want 404", got.status, got.body)
	}
}

func TestSignedLinkIsValidForOneSongAndSixHours(t *testing.T) {
	h := start(t, 2)
	var link, other catalogapi.Link
	h.get(t, "/api/songs/"+h.ids[0]+"/link").is(t, 200, &link)
	h.get(t, "/api/songs/"+h.ids[1]+"/link").is(t, 200, &other)
	if left := time.Until(link.ExpiresAt.Time); left < 6*time.Hour-5*time.Second || left > 6*time.Hour {
		t.Errorf("lifetime of a link: got %s, want 6h", left)
	}
	path := strings.TrimPrefix(link.URL, h.url)
	if got := h.do(t, "", "GET", path, "", "Range", "bytes=0-9"); got.status != 206 || len(got.body) != 10 {
		t.Errorf("signed link: got %d %s, want 206", got.status, got.body)
	}
	parsed, err := url.Parse(link.URL)
	if err != nil {
		t.Fatal(err)
	}
	q := parsed.Query()
	expires, signature := q.Get("expires"), q.Get("signature")
	for name, bad := range map[string]string{
		"another song":      "/media/songs/" + h.ids[1] + "?" + parsed.RawQuery,
		"later expiry":      strings.Replace(path, "expires="+expires, "expires=9999999999", 1),
		"leading zero":      strings.Replace(path, "expires="+expires, "expires=0"+expires, 1),
		"truncated":         path[:len(path)-1],
		"altered":           strings.Replace(path, signature, strings.Repeat("A", len(signature)), 1),
		"no signature":      "/media/songs/" + h.ids[0] + "?expires=" + expires,
		"no parameters":     "/media/songs/" + h.ids[0],
		"expires twice":     path + "&expires=" + expires,
		"another signature": "/media/songs/" + h.ids[0] + "?" + strings.SplitN(other.URL, "?", 2)[1],
		"negative expiry":   "/media/songs/" + h.ids[0] + "?expires=-1&signature=" + signature,
	} {
		if got := h.do(t, "", "GET", bad, ""); got.status != 403 {
			t.Errorf("%s: got %d %s, want 403", name, got.status, got.body)
		}
	}
}

func TestFFprobeReadsASignedLink(t *testing.T) {
	testenv.NeedsTool(t, "ffmpeg", "ffprobe")
	h := start(t, 1)
	file := filepath.Join(h.music, "00001.flac")
	generate := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-y",
		"-f", "lavfi", "-i", "sine=duration=2", file)
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
	link, err := (&client.Catalog{BaseURL: h.url, Key: h.keys["read"], HTTP: h.http}).Link(t.Context(), h.ids[0])
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "ffprobe", "-v", "error",
		"-show_entries", "format=format_name,duration", "-of", "csv=p=0", link.URL).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "flac,2.000000" {
		t.Errorf("ffprobe: got %s, %v; want flac,2.000000", out, err)
	}
}

func TestCoversAreServedInAllSizes(t *testing.T) {
	h := start(t, 1)
	var song catalogapi.SongReply
	h.get(t, "/api/songs/"+h.ids[0]).is(t, 200, &song)
	path := strings.TrimPrefix(song.Song.CoverURL, h.url)
	sizes := map[string]int{}
	for _, size := range []string{"", "?size=96", "?size=300", "?size=600", "?size=1200", "?size=original"} {
		got := h.do(t, "", "GET", path+size, "").is(t, 200, nil)
		sizes[size] = len(got.body)
		if !strings.HasPrefix(got.header.Get("Content-Type"), "image/") || got.header.Get("ETag") == "" ||
			!strings.Contains(got.header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: got headers %v, want an immutable picture with an ETag", size, got.header)
		}
		if again := h.do(t, "", "GET", path+size, "", "If-None-Match", got.header.Get("ETag")); again.status != 304 {
			t.Errorf("%s with its ETag: got %d, want 304", size, again.status)
		}
	}
	if sizes["?size=96"] >= sizes["?size=600"] {
		t.Errorf("got bytes by size %v, want 96 smaller than 600", sizes)
	}
	for _, bad := range []string{"0", "97", "-1", "99999999", "big", "96&size=300", "%00"} {
		if got := h.do(t, "", "GET", path+"?size="+bad, ""); got.status != 400 {
			t.Errorf("size %s: got %d %s, want 400", bad, got.status, got.body)
		}
	}
	if got := h.do(t, "", "GET", "/media/covers/..%2f..%2fetc%2fpasswd", ""); got.status != 404 {
		t.Errorf("path as hash: got %d, want 404", got.status)
	}
}
