package e2e

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.senan.xyz/taglib"

	"waxwing/internal/testenv"
)

// bombPNG returns a valid image of a few kilobytes that decodes to w × h pixels.
func bombPNG(t *testing.T, w, h int) []byte {
	t.Helper()
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	row := make([]byte, 1+(w+7)/8)
	for range h {
		if _, err := z.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	chunk := func(out []byte, kind string, data []byte) []byte {
		out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
		body := append([]byte(kind), data...)
		return binary.BigEndian.AppendUint32(append(out, body...), crc32.ChecksumIEEE(body))
	}
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	out := chunk([]byte("\x89PNG\r\n\x1a\n"), "IHDR", append(header, 1, 0, 0, 0, 0)) // one bit a pixel
	return chunk(chunk(out, "IDAT", packed.Bytes()), "IEND", nil)
}

// bombs returns images of kinds that have crashed servers, and polyglots.
func bombs(t *testing.T) map[string][]byte {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, 400, 400))
	for i := range picture.Pix {
		picture.Pix[i] = byte(i * i)
	}
	picture.Set(1, 1, color.White)
	var whole, photo, moving bytes.Buffer
	if err := png.Encode(&whole, picture); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&photo, picture, nil); err != nil {
		t.Fatal(err)
	}
	frames := &gif.GIF{}
	for range 300 {
		frame := image.NewPaletted(image.Rect(0, 0, 600, 600), color.Palette{color.Black, color.White})
		frames.Image, frames.Delay = append(frames.Image, frame), append(frames.Delay, 1)
	}
	if err := gif.EncodeAll(&moving, frames); err != nil {
		t.Fatal(err)
	}
	forged := []byte("\xff\xd8\xff\xc2\x00\x11\x08\xff\xff\xff\xff\x03\x01\x11\x00\x02\x11\x00\x03\x11\x00\xff\xda" +
		"\x00\x0c\x03\x01\x00\x02\x00\x03\x00\x00\x00\x00")
	return map[string][]byte{
		"png of 30000 by 30000": bombPNG(t, 30_000, 30_000), "png of 65000 by 9000": bombPNG(t, 65_000, 9000),
		"long and thin png": bombPNG(t, 1_000_000, 8),
		"truncated png":     whole.Bytes()[:whole.Len()/2], "truncated jpeg": photo.Bytes()[:photo.Len()/2],
		"progressive jpeg of 65535 by 65535": forged,
		"gif of 300 frames":                  moving.Bytes(),
		"svg with a script": []byte(`<svg xmlns="http://www.w3.org/2000/svg" ` +
			`onload="alert(1)"><script>alert(1)</script></svg>`),
		"jpeg that is html as well":  append(bytes.Clone(photo.Bytes()), "<html><script>alert(1)</script></html>"...),
		"gif that is script as well": []byte("GIF89a/*" + strings.Repeat("\x00", 60) + "*/=1;alert(1)//;"),
		"html":                       []byte("<!doctype html><script>alert(1)</script>"), "nothing": {},
		"webp with forged sizes":     []byte("RIFF\xff\xff\xff\xffWEBPVP8L\xff\xff\xff\xff\x2f\xff\xff\xff\xff"),
		"jpeg with a forged segment": []byte("\xff\xd8\xff\xe1\xff\xffExif" + strings.Repeat("\xff", 4000)),
	}
}

// memory reads a line of the process status, in bytes.
func (s *server) memory(line string) int64 {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	for row := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(row, line+":"); ok {
			n, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				s.t.Fatal(err)
			}
			return n << 10
		}
	}
	s.t.Fatalf("the status of the process has no line %s", line)
	return 0
}

// processorTime returns the processor time that the server has used, which does not depend on the
// load of the machine.
func (s *server) processorTime() time.Duration {
	s.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		s.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the process name before may contain anything
	fields := strings.Fields(rest)
	total := time.Duration(0)
	for _, field := range fields[11:13] { // time in user and in kernel mode, in hundredths of a second
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			s.t.Fatal(err)
		}
		total += time.Duration(n) * 10 * time.Millisecond
	}
	return total
}

// TestImageBombsCostBoundedMemory scans hostile covers, next to files and inside them, and
// requests them in every size.
func TestImageBombsCostBoundedMemory(t *testing.T) {
	t.Parallel()
	testenv.NeedsTool(t, "ffmpeg")
	music := t.TempDir()
	tone(t, filepath.Join(music, "first.flac"))
	s := launch(t, nil, "--output", "null", "--no-mpris", "--music", music, "--rate-limit", "0")
	s.eventually(20*time.Second, "the first song", func() bool { return s.get("/api/songs")["total"] == 1.0 })
	// Reset the peak of the memory use.
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.cmd.Process.Pid), []byte("5"), 0); err != nil {
		t.Fatal(err)
	}
	before := s.memory("VmRSS")
	sound, err := os.ReadFile(filepath.Join(music, "first.flac"))
	if err != nil {
		t.Fatal(err)
	}
	hostile := bombs(t)
	files := 0
	for name, content := range hostile {
		beside, inside := filepath.Join(music, "beside "+name), filepath.Join(music, "inside "+name)
		for i, dir := range []string{beside, inside} {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			song := filepath.Join(dir, "song.flac")
			if err := os.WriteFile(song, append(bytes.Clone(sound), byte(files), byte(i)), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := taglib.WriteTags(song, map[string][]string{"TITLE": {name}, "ALBUM": {dir}}, 0); err != nil {
				t.Fatal(err)
			}
			files++
		}
		for _, cover := range []string{"cover.jpg", "folder.png"} {
			if err := os.WriteFile(filepath.Join(beside, cover), content, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := taglib.WriteImage(filepath.Join(inside, "song.flac"), content); err != nil && len(content) > 0 {
			t.Fatalf("%s: %v", name, err)
		}
	}
	s.eventually(60*time.Second, "the scan of all songs",
		func() bool { return s.get("/api/songs")["total"] == float64(files+1) })
	requests, violations := 0, 0
	var slowest time.Duration
	sizes := []string{"96", "300", "0", "-1", "97", "99999999999999999999", "1e9", "NaN", "300px", "../300", "300%00",
		"", "600", "1200"}
	for i, song := range s.get("/api/songs?limit=200")["songs"].([]any) {
		cover, err := url.Parse(song.(map[string]any)["cover_url"].(string))
		if err != nil {
			t.Fatal(err)
		}
		if i > 4 {
			sizes = sizes[:11] // all have been requested at their largest size
		}
		for _, size := range sizes {
			query := "?size=" + size
			if size == "" {
				query = ""
			}
			start := s.processorTime()
			r := send(t, "GET", s.base+cover.Path+query, "")
			requests++
			took := s.processorTime() - start
			slowest = max(slowest, took)
			kind := r.header.Get("Content-Type")
			if r.status >= 500 || took > 2*time.Second && r.status == http.StatusOK || r.status == http.StatusOK &&
				kind != "image/jpeg" && kind != "image/png" && kind != "image/webp" && kind != "image/gif" {
				violations++
				t.Errorf("%s%s: got %d %s after %v of processor time; want an image within 2s, or a client error",
					cover.Path, query, r.status, kind, took)
			}
		}
	}
	grown := s.memory("VmHWM") - before
	if grown > 64<<20 {
		violations++
		t.Errorf("growth of the process: got %d MiB, want at most 64", grown>>20)
	}
	var cached int64
	err = filepath.WalkDir(filepath.Join(s.dir, "covers"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				cached += info.Size()
			}
		}
		return err
	})
	if err != nil || cached > 512<<20 {
		violations++
		t.Errorf("size of the cover cache: got %d bytes, error %v; want at most 512 MiB", cached, err)
	}
	testenv.Report(t, testenv.Images, testenv.Tally{Inputs: 2*len(hostile) + requests, Violations: violations,
		Note: fmt.Sprintf("process grew by %d MiB of 64 at its peak, slowest response %d ms of 2,000", grown>>20,
			slowest.Milliseconds())})
}
