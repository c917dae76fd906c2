package art_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"waxwing/internal/art"
	"waxwing/internal/fault"
	"waxwing/internal/testenv"
)

// twoColours returns a picture with a red left half and a blue right half.
func twoColours(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			if x < w/2 {
				img.SetRGBA(x, y, color.RGBA{255, 0, 0, 255})
			} else {
				img.SetRGBA(x, y, color.RGBA{0, 0, 255, 255})
			}
		}
	}
	return img
}

func pngBytes(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t testing.TB, quota int64, originals map[string]art.Source) *art.Store {
	t.Helper()
	s, err := art.Open(t.TempDir(), quota, func(_ context.Context, hash string) (art.Source, error) {
		if src, ok := originals[hash]; ok {
			return src, nil
		}
		return art.Source{}, fault.New(fault.NotFound, "no cover %s", hash)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestPicturesAreScaledByAreaAveraging(t *testing.T) {
	var gifFile, jpegFile bytes.Buffer
	if err := gif.Encode(&gifFile, twoColours(1000, 500), nil); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&jpegFile, twoColours(1000, 500), nil); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{
		"png": pngBytes(t, twoColours(1000, 500)), "gif": gifFile.Bytes(), "jpeg": jpegFile.Bytes(),
	}
	for kind, b := range files {
		hash := art.Hash(b)
		s := open(t, 1<<20, map[string]art.Source{hash: {Bytes: b}})
		for _, c := range []struct {
			size          art.Size
			width, height int
		}{{art.Thumbnail, 96, 48}, {art.Small, 300, 150}, {art.Largest, 1000, 500}} {
			got, err := s.Get(t.Context(), art.Request{Hash: hash, Size: c.size})
			if err != nil {
				t.Fatal(kind, err)
			}
			img, err := jpeg.Decode(bytes.NewReader(got.Bytes))
			if err != nil || got.Type != "image/jpeg" {
				t.Fatal(kind, got.Type, err)
			}
			if b := img.Bounds(); b.Dx() != c.width || b.Dy() != c.height {
				t.Errorf("%s: got %v, want %d × %d", kind, b, c.width, c.height)
			}
			left := color.RGBAModel.Convert(img.At(4, 4)).(color.RGBA)
			right := color.RGBAModel.Convert(img.At(c.width-4, 4)).(color.RGBA)
			if left.R < 230 || left.B > 30 || right.B < 220 || right.R > 40 {
				t.Errorf("%s at %d: got left %v, right %v; want red and blue", kind, c.size, left, right)
			}
		}
		original, err := s.Get(t.Context(), art.Request{Hash: hash, Size: art.Original})
		if err != nil || !bytes.Equal(original.Bytes, b) || original.Type != "image/"+kind {
			t.Errorf("%s: original = %d bytes of %s, %v; want the source unchanged",
				kind, len(original.Bytes), original.Type, err)
		}
	}
}

// forgedPNG returns a valid PNG header for a picture of the given size, without its content.
func forgedPNG(w, h uint32) []byte {
	header := append([]byte("IHDR"), make([]byte, 13)...)
	binary.BigEndian.PutUint32(header[4:], w)
	binary.BigEndian.PutUint32(header[8:], h)
	header[12], header[13] = 8, 6
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	return append(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(header)), "\x00\x00\x00\x00IDAT"...)
}

// forgedJPEG returns the header of a progressive JPEG without chroma subsampling.
func forgedJPEG(w, h uint16) []byte {
	b := []byte("\xff\xd8\xff\xc2\x00\x11\x08")
	b = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, h), w)
	b = append(b, "\x03\x01\x11\x00\x02\x11\x00\x03\x11\x00"...)
	return append(b, "\xff\xda\x00\x0c\x03\x01\x00\x02\x00\x03\x00\x00\x00\x00"...)
}

func TestHostilePicturesAreRefusedWithBoundedMemory(t *testing.T) {
	valid := pngBytes(t, twoColours(400, 400))
	small := pngBytes(t, twoColours(4, 4))
	cases := map[string][]byte{
		"bomb 30000×30000":        forgedPNG(30000, 30000),
		"bomb 2^31":               forgedPNG(1<<31-1, 1<<31-1),
		"long and thin":           forgedPNG(1<<30, 1),
		"progressive 65535×65535": forgedJPEG(65535, 65535),
		"progressive 3000×3000":   forgedJPEG(3000, 3000),
		"header only":             forgedPNG(2000, 2000),
		"truncated":               valid[:len(valid)/2],
		"empty":                   {},
		"svg":                     []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`),
		"html":                    []byte("<html><script>alert(1)</script>"),
		"polyglot html first":     append([]byte("<script>alert(1)</script>"), small...),
		"gif header":              []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00"),
		"webp forged":             []byte("RIFF\xff\xff\xff\xffWEBPVP8L\xff\xff\xff\xff\x2f\xff\xff\xff\xff"),
		"webp vp8x forged": []byte("RIFF\x1e\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00" +
			"\x10\x00\x00\x00\xff\xff\xff\xff\xff\xff"),
		"bmp":            []byte("BM\xff\xff\xff\xff"),
		"too many bytes": append(bytes.Clone(small), make([]byte, art.MaxBytes)...),
	}
	for name, b := range cases {
		t.Run(name, func(t *testing.T) {
			hash := art.Hash(b)
			s := open(t, 1<<20, map[string]art.Source{hash: {Bytes: b}})
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			watch := testenv.StartWatch()
			_, err := s.Get(t.Context(), art.Request{Hash: hash, Size: art.Small})
			took := watch.Elapsed()
			runtime.ReadMemStats(&after)
			if kind, _ := fault.Of(err); kind != fault.NotFound {
				t.Errorf("got %v, want a NotFound fault", err)
			}
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
				t.Errorf("allocated %d MiB, want at most 64", grown>>20)
			}
			if took > 2*time.Second {
				t.Errorf("took %v, want at most 2 s", took)
			}
		})
	}
	// Row B5 of the trust table: hostile pictures.
	testenv.Report(t, testenv.Images, testenv.Tally{Inputs: len(cases), Note: "allocation bounded for each picture"})
}

func TestScalingALargePictureBoundsMemory(t *testing.T) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, twoColours(3000, 3000), nil); err != nil {
		t.Fatal(err)
	}
	hash := art.Hash(b.Bytes())
	s := open(t, 1<<20, map[string]art.Source{hash: {Bytes: b.Bytes()}})
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := s.Get(t.Context(), art.Request{Hash: hash, Size: art.Small}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 {
		t.Errorf("allocated %d MiB, want at most 64", grown>>20)
	}
}

func TestInvalidHashesAndSizesAreRefused(t *testing.T) {
	s := open(t, 1<<20, nil)
	for _, hash := range []string{
		"", "..", "../../../etc/passwd", "ABCDEF0123456789", "0123456789abcdef/", "0123456789abcdeg",
		strings.Repeat("a", 65), "0123456789abcdef\x00",
	} {
		if _, err := s.Get(t.Context(), art.Request{Hash: hash, Size: art.Small}); err == nil {
			t.Errorf("Get(%q) succeeded", hash)
		} else if kind, _ := fault.Of(err); kind != fault.NotFound {
			t.Errorf("Get(%q) = %v, want a NotFound fault", hash, err)
		}
	}
	for _, size := range []string{"0", "-1", "97", "1e9", "99999999999999999999", "300px", "Original", " 300", "96\x00"} {
		_, err := art.ParseSize(size)
		if kind, _ := fault.Of(err); kind != fault.Invalid {
			t.Errorf("ParseSize(%q) = %v, want an Invalid fault", size, err)
		}
	}
	for text, want := range map[string]art.Size{
		"": art.Original, "original": art.Original, "96": 96, "300": 300, "600": 600, "1200": 1200,
	} {
		if got, err := art.ParseSize(text); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestDrawIsDeterministicAndDistinct(t *testing.T) {
	seen := map[string]string{}
	for _, seed := range []string{
		"Queen\x1fJazz", "Queen\x1fJAZZ", "queen\x1fJazz", "artist\x1fqueen", "user\x1fqueen", "", "\x1f",
		"椎名林檎\x1f無罪モラトリアム", strings.Repeat("long ", 500) + "\x1f" + strings.Repeat("word", 900),
	} {
		a, b := art.Draw(seed, 96), art.Draw(seed, 96)
		if !bytes.Equal(a.Pix, b.Pix) {
			t.Errorf("seed %q gives two different pictures", seed)
		}
		if other, ok := seen[string(a.Pix)]; ok {
			t.Errorf("seeds %q and %q give the same picture", seed, other)
		}
		seen[string(a.Pix)] = seed
		if larger := art.Draw(seed, 192); distance(mean(a), mean(larger)) > 12 {
			t.Errorf("seed %q: mean colour is %v at 96 px and %v at 192 px", seed, mean(a), mean(larger))
		}
		if spread(a) < 6 {
			t.Errorf("seed %q gives a blank picture", seed)
		}
	}
}

func mean(img *image.RGBA) (m [3]float64) {
	for i, v := range img.Pix {
		if i%4 < 3 {
			m[i%4] += float64(v) / float64(len(img.Pix)/4)
		}
	}
	return m
}

func distance(a, b [3]float64) (d float64) {
	for i := range a {
		d = max(d, a[i]-b[i], b[i]-a[i])
	}
	return d
}

// spread returns the mean absolute deviation of the pixels.
func spread(img *image.RGBA) (d float64) {
	m := mean(img)
	for i, v := range img.Pix {
		if i%4 < 3 {
			d += max(float64(v)-m[i%4], m[i%4]-float64(v))
		}
	}
	return d / float64(len(img.Pix)/4*3)
}

func TestCacheStaysWithinItsQuota(t *testing.T) {
	const quota = 60 << 10
	originals := map[string]art.Source{}
	var hashes []string
	for i := range 40 {
		seed := "artist\x1f" + strings.Repeat("x", i+1)
		hash := art.Hash([]byte(seed))
		hashes, originals[hash] = append(hashes, hash), art.Source{Seed: seed}
	}
	dir := t.TempDir()
	find := func(_ context.Context, hash string) (art.Source, error) { return originals[hash], nil }
	s, err := art.Open(dir, quota, find)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range hashes {
				if _, err := s.Get(t.Context(), art.Request{Hash: hashes[(i*7+j)%len(hashes)], Size: art.Thumbnail}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if used := folderSize(t, dir); used > quota || used < quota/2 {
		t.Errorf("got %d bytes on disk, want %d to %d", used, quota/2, quota)
	}
	if s, err = art.Open(dir, quota/4, find); err != nil {
		t.Fatal(err)
	}
	if used := folderSize(t, dir); used > quota/4 {
		t.Errorf("reopened with a smaller quota: got %d bytes on disk, want at most %d", used, quota/4)
	}
	if _, err := s.Get(t.Context(), art.Request{Hash: hashes[0], Size: art.Thumbnail}); err != nil {
		t.Fatal(err)
	}
	testenv.Report(t, testenv.Images, testenv.Tally{
		Inputs: 4 * len(hashes), Note: "the cache stays within its quota, and within a smaller one",
	})
}

func folderSize(t *testing.T, dir string) (total int64) {
	t.Helper()
	err := filepath.Walk(dir, func(_ string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			total += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return total
}

func TestSavedPictureIsServed(t *testing.T) {
	s := open(t, 1<<20, nil)
	b := pngBytes(t, twoColours(200, 200))
	hash, err := s.Save(b)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), art.Request{Hash: hash, Size: art.Thumbnail}); err != nil || len(got.Bytes) == 0 {
		t.Fatal(err)
	}
	_, err = s.Save([]byte("<svg/>"))
	if kind, _ := fault.Of(err); kind != fault.Invalid || !errors.Is(err, art.ErrNotPicture) {
		t.Errorf("Save of an SVG returned %v, want an Invalid fault", err)
	}
}

func FuzzInspect(f *testing.F) {
	f.Add(pngBytes(f, twoColours(8, 8)))
	f.Add(forgedPNG(9, 9))
	f.Add(forgedJPEG(9, 9))
	f.Add([]byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00" +
		"\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		hash := art.Hash(b)
		s := open(t, 1<<20, map[string]art.Source{hash: {Bytes: b}})
		testenv.CheckCost(t, func() {
			if _, err := s.Get(t.Context(), art.Request{Hash: hash, Size: art.Thumbnail}); err != nil {
				if kind, _ := fault.Of(err); kind != fault.NotFound {
					t.Fatal(err)
				}
			}
		})
	})
}

func BenchmarkDraw300(b *testing.B) {
	for i := range b.N {
		art.Draw("Artist\x1fAlbum "+strings.Repeat("x", i%40), 300)
	}
}

func BenchmarkScale(b *testing.B) {
	var file bytes.Buffer
	if err := jpeg.Encode(&file, twoColours(1000, 1000), nil); err != nil {
		b.Fatal(err)
	}
	hash := art.Hash(file.Bytes())
	for b.Loop() {
		s := open(b, 1<<20, map[string]art.Source{hash: {Bytes: file.Bytes()}})
		if _, err := s.Get(b.Context(), art.Request{Hash: hash, Size: art.Small}); err != nil {
			b.Fatal(err)
		}
	}
}
