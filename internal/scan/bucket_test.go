package scan_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/library"
	"waxwing/internal/library/s3"
	"waxwing/internal/scan"
	"waxwing/internal/testenv"
	"waxwing/internal/testenv/s3server"
)

// bucketFixture is a catalog over a bucket.
type bucketFixture struct {
	*fixture
	server *s3server.Server
	bucket *s3.Bucket
	cfg    s3.Config
}

func newBucketFixture(t *testing.T, server *s3server.Server, addr string, pageSize int) bucketFixture {
	t.Helper()
	f := bucketFixture{newFixture(t), server, nil, s3.Config{
		Endpoint: "http://" + addr, PathStyle: true, PageSize: pageSize,
		CredentialsFile: s3server.CredentialsFile(t, s3server.AccessKey, s3server.SecretKey),
	}}
	return f.with(t, "s3://music/library")
}

// with returns a fixture with the same catalog over another bucket.
func (f bucketFixture) with(t *testing.T, name string) bucketFixture {
	t.Helper()
	b, err := s3.New(name, f.cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	h := &fixture{t, b.Name(), f.store, scan.New(f.store, []library.Root{b}, nil, slog.New(slog.DiscardHandler))}
	return bucketFixture{h, f.server, b, f.cfg}
}

func (f bucketFixture) put(name string, content []byte) { f.server.Put("library/"+name, content) }

// requests returns the requests since the last call.
func (f bucketFixture) requests(before *library.Stats) library.Stats {
	now := f.bucket.Stats()
	d := library.Stats{Lists: now.Lists - before.Lists, Gets: now.Gets - before.Gets, Heads: now.Heads - before.Heads,
		Failures: now.Failures - before.Failures}
	*before = now
	return d
}

// TestBucketIsScannedLikeAFolder scans the same files in a folder and in a bucket.
func TestBucketIsScannedLikeAFolder(t *testing.T) {
	server := s3server.Start(t)
	b := newBucketFixture(t, server, server.Addr, 0)
	folder := newFixture(t)
	files := map[string][]byte{
		"Band/Album/one.mp3":      titled(1, "One", "Band", "Album"),
		"Band/Album/two.mp3":      titled(2, "Two", "Band", "Album"),
		"Band/Album/cover.png":    pngFile(t, 20),
		"Band/Album/two.lrc":      []byte("[00:01.00]La la"),
		"Lists/all.m3u":           []byte("../Band/Album/two.mp3\n../Band/Album/one.mp3\n"),
		"Band/Live/CD1/three.mp3": titled(3, "Three", "Band", "Live"),
		"Band/broken.mp3":         []byte("not audio"),
		"Band/.hidden.mp3":        titled(4, "Four", "Band", "Hidden"),
		"readme.pdf":              []byte("nothing"),
	}
	for name, content := range files {
		folder.write(name, content)
		b.put(name, content)
	}
	for _, h := range []*fixture{folder, b.fixture} {
		if _, err := h.store.EnsureUser(t.Context(), "listener"); err != nil {
			t.Fatal(err)
		}
	}
	var before library.Stats
	want, got := folder.run(scan.Options{}), b.run(scan.Options{})
	for _, r := range []*scan.Report{&want, &got} {
		r.Took = 0
		for i := range r.Playlists {
			r.Playlists[i].ID, r.Playlists[i].File = "", ""
		}
	}
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("report: got %+v, want %+v as of the folder", got, want)
	}
	t.Logf("requests of the first scan: %+v", b.requests(&before))
	for name, id := range folder.songs() {
		mine := b.songs()[name]
		if mine == "" {
			t.Errorf("%s is not in the catalog of the bucket", name)
			continue
		}
		want, got := folder.facts(id), b.facts(mine)
		if want.Title != got.Title || value(want.Album) != value(got.Album) || want.Duration != got.Duration {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
	}
	song, err := b.store.Song(t.Context(), b.songs()["Band/Album/one.mp3"])
	if err != nil {
		t.Fatal(err)
	}
	if src, err := b.scan.FindPicture(t.Context(), song.Cover); err != nil ||
		!bytes.Equal(src.Bytes, files["Band/Album/cover.png"]) {
		t.Errorf("cover: got %d bytes, %v; want those of cover.png", len(src.Bytes), err)
	}
	b.requests(&before)
	if r := b.run(scan.Options{}); r.Unchanged != 4 || changes(r) != 0 {
		t.Errorf("second scan: got %+v, want 4 unchanged", r)
	}
	if r := b.requests(&before); r != (library.Stats{Lists: 1}) {
		t.Errorf("requests of a scan without changes: got %+v, want one list", r)
	}
	// The same length within the same second is another version all the same.
	b.put("Band/Album/one.mp3", titled(1, "Eno", "Band", "Album"))
	if r := b.run(scan.Options{}); r.Changed != 1 || changes(r) != 1 {
		t.Errorf("after a change: got %+v, want one changed", r)
	}
	if got := b.facts(b.songs()["Band/Album/one.mp3"]).Title; got != "Eno" {
		t.Errorf("title after a change: got %s, want Eno", got)
	}
}

// TestNewSongsCostTwoRequests counts the requests for new albums of songs that are as long as real
// ones: with and without covers, tags at both ends, and the header of MP4 files at either end.
func TestNewSongsCostTwoRequests(t *testing.T) {
	testenv.NeedsTool(t, "ffmpeg")
	server := s3server.Start(t)
	gate := server.NewGate(t, false)
	b := newBucketFixture(t, server, gate.Addr, 0)
	for name, content := range largeSongs(t) {
		b.put(name, content)
	}
	r := b.run(scan.Options{})
	counts := map[string][]int{} // by album
	var all []int
	for key, n := range gate.Gets() {
		album := path.Dir(strings.TrimPrefix(key, "library/"))
		counts[album] = append(counts[album], n)
		all = append(all, n)
	}
	if r.Added != len(all) || r.Problems != 0 {
		t.Errorf("got %+v and requests for %d files, want all added", r, len(all))
	}
	slices.Sort(all)
	for album, each := range counts {
		slices.Sort(each)
		t.Logf("%-20s requests for each song: %v", album, each)
		if median := each[len(each)/2]; median > 2 {
			t.Errorf("%s: the median of requests for a new song is %d, want at most 2", album, median)
		}
	}
	if most := all[len(all)-1]; most > 4 {
		t.Errorf("most requests for a new song: got %d, want at most 4", most)
	}
}

// largeSongs returns albums of three songs of more than half a megabyte, by name.
func largeSongs(t *testing.T) map[string][]byte {
	t.Helper()
	dir, files := t.TempDir(), map[string][]byte{}
	ffmpeg := func(args ...string) {
		t.Helper()
		args = append([]string{"-v", "error", "-y"}, args...)
		if out, err := exec.Command("ffmpeg", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	cover := filepath.Join(dir, "cover.png") // noise: 187 KB
	ffmpeg("-f", "lavfi", "-i", "nullsrc=s=250x250,geq=random(1)*255:128:128", "-frames:v", "1", cover)
	for _, album := range []struct {
		name, ext    string
		encode, copy []string
	}{
		{"mp3", ".mp3", []string{"-b:a", "320k"}, []string{"-write_id3v1", "1"}},
		{"aac", ".m4a", []string{"-b:a", "320k"}, nil}, // the header is at the end
		{"aac, header first", ".m4a", nil, []string{"-movflags", "+faststart"}},
		{"flac", ".flac", []string{"-compression_level", "0"}, nil},
		{"vorbis", ".ogg", []string{"-ac", "2", "-c:a", "libvorbis", "-b:a", "320k"}, nil},
		{"opus", ".opus", []string{"-ac", "2", "-c:a", "libopus", "-b:a", "400k"}, nil},
	} {
		song := filepath.Join(dir, "song"+album.ext)
		if album.encode != nil { // otherwise that of the album before is used
			ffmpeg(append(append([]string{"-f", "lavfi", "-i", "anoisesrc=d=20:seed=7"}, album.encode...), song)...)
		}
		for _, pictured := range []bool{false, true} {
			if pictured && (album.ext == ".ogg" || album.ext == ".opus") {
				continue // ffmpeg does not write pictures there
			}
			for n := range 3 {
				tagged := filepath.Join(dir, "tagged"+album.ext)
				args := []string{"-i", song}
				name := album.name
				if pictured {
					args = append(args, "-i", cover, "-map", "0", "-map", "1", "-disposition:v", "attached_pic")
					name += ", cover"
				}
				args = append(args, "-c", "copy", "-metadata", fmt.Sprintf("title=%d", n), "-metadata", "artist=Band",
					"-metadata", "album="+name)
				ffmpeg(append(append(args, album.copy...), tagged)...)
				content, err := os.ReadFile(tagged)
				if err != nil {
					t.Fatal(err)
				}
				if len(content) < 512<<10 {
					t.Fatalf("%s has %d bytes, want more than half a megabyte", name, len(content))
				}
				files[fmt.Sprintf("%s/%d%s", name, n, album.ext)] = content
			}
		}
	}
	return files
}

// TestFailedListingLosesNoSong ends the listing of a bucket after its first page.
func TestFailedListingLosesNoSong(t *testing.T) {
	server := s3server.Start(t)
	proxy := testenv.NewProxy(t, server.Addr)
	b := newBucketFixture(t, server, proxy.Addr(), 10)
	const files = 60
	for i := range files {
		b.put(fmt.Sprintf("%d/%02d.mp3", i/10, i), titled(uint64(i), fmt.Sprint(i), "Band", fmt.Sprint(i/10)))
	}
	if r := b.run(scan.Options{}); r.Added != files {
		t.Fatalf("first scan: got %+v, want %d added", r, files)
	}
	server.Remove("library/0/00.mp3")
	lists := b.bucket.Stats().Lists
	proxy.Latency(50 * time.Millisecond)
	cut := make(chan struct{})
	go func() {
		defer close(cut)
		for b.bucket.Stats().Lists < lists+3 { // the first pages have arrived
			time.Sleep(time.Millisecond)
		}
		proxy.Cut()
	}()
	r := b.run(scan.Options{})
	<-cut
	proxy.Latency(0)
	if len(r.Unavailable) != 1 || r.Missing != 0 || !r.Retry ||
		!strings.Contains(r.Unavailable[0].Reason, "--s3-endpoint") {
		t.Errorf("scan without a storage: got %+v, want an unavailable bucket and nothing missing", r)
	}
	proxy.Restore()
	b.server.Kill()
	b.server.Run()
	if r := b.run(scan.Options{}); r.Missing != 1 || r.Unchanged != files-1 || r.Retry {
		t.Errorf("scan after it: got %+v, want one missing", r)
	}
	if got := len(b.songs()); got != files-1 {
		t.Errorf("songs: got %d, want %d", got, files-1)
	}
}

// TestOutageDuringAScanLosesNothing lets the storage fail while new files are read: they are read
// by the next scan, with covers and lyrics, and have no problem.
func TestOutageDuringAScanLosesNothing(t *testing.T) {
	server := s3server.Start(t)
	proxy := testenv.NewProxy(t, server.Addr)
	b := newBucketFixture(t, server, proxy.Addr(), 0)
	b.put("old/one.mp3", titled(1, "One", "Band", "Old"))
	b.run(scan.Options{})
	old := b.songs()["old/one.mp3"]
	server.Remove("library/old/one.mp3")
	b.put("new/one.mp3", titled(1, "One", "Band", "Old"))
	const files = 40
	for i := range files {
		dir := fmt.Sprintf("%02d/", i)
		b.put(dir+"a.mp3", titled(uint64(100+i), fmt.Sprint(i), "Band", fmt.Sprint(i)))
		b.put(dir+"a.lrc", []byte("[00:01.00]La"))
		b.put(dir+"cover.png", pngFile(t, 10+i))
	}
	gets := b.bucket.Stats().Gets
	proxy.Latency(10 * time.Millisecond)
	cut := make(chan struct{})
	go func() {
		defer close(cut)
		for b.bucket.Stats().Gets < gets+40 {
			time.Sleep(time.Millisecond)
		}
		proxy.Cut()
	}()
	r := b.run(scan.Options{})
	<-cut
	if len(r.Unavailable) != 1 || !r.Retry || r.Problems != 0 || r.Missing != 0 || r.Added == files+1 {
		t.Errorf("scan with an outage: got %+v, want an unavailable bucket, no problem and nothing missing", r)
	}
	lost := 0
	if song, err := b.store.Song(t.Context(), old); err != nil || !song.Available {
		t.Errorf("the moved song during the outage: got %v, %v; want it available", song.Available, err)
	}
	proxy.Latency(0)
	proxy.Restore()
	if r := b.run(scan.Options{}); r.Problems != 0 || r.Retry || len(b.songs()) != files+1 ||
		b.songs()["new/one.mp3"] != old {
		t.Errorf("scan after it: got %+v and %d songs, want %d", r, len(b.songs()), files+1)
	}
	for name, id := range b.songs() {
		if name == "new/one.mp3" {
			continue
		}
		texts, err := b.store.Lyrics(t.Context(), id)
		if err != nil || len(texts) != 1 {
			t.Errorf("lyrics of %s: got %v, %v; want one text", name, texts, err)
		}
		if c := b.cover(name); c.Source != catalog.CoverInFile {
			t.Errorf("cover of %s: got %q, want that of the folder", name, c.Source)
			lost++
		}
	}
	testenv.Report(t, testenv.ObjectStorage, testenv.Tally{
		Inputs: files + 1, Faults: 1, Violations: lost + files + 1 - len(b.songs()),
		Note: fmt.Sprintf("%d of %d new songs read before the outage", r.Added, files),
	})
}

// TestSongsKeepTheirIdentityBetweenFoldersAndBuckets moves songs within a bucket and between a
// bucket and a folder.
func TestSongsKeepTheirIdentityBetweenFoldersAndBuckets(t *testing.T) {
	server := s3server.Start(t)
	b := newBucketFixture(t, server, server.Addr, 0)
	song := titled(1, "One", "Band", "Album")
	b.put("a/one.mp3", song)
	b.run(scan.Options{})
	id := b.songs()["a/one.mp3"]

	b.put("b/uno.mp3", song)
	server.Remove("library/a/one.mp3")
	if r := b.run(scan.Options{}); r.Moved != 1 || b.songs()["b/uno.mp3"] != id {
		t.Errorf("move within the bucket: got %+v and the song %q, want %q", r, b.songs()["b/uno.mp3"], id)
	}

	dir := t.TempDir()
	f := &fixture{t, dir, b.store, scan.New(b.store, folders(t, []string{dir}), nil, slog.New(slog.DiscardHandler))}
	f.write("c/one.mp3", song)
	forget := scan.Options{Forget: func(string) bool { return true }}
	if r := f.run(forget); r.Moved != 1 || f.songs()["c/one.mp3"] != id {
		t.Errorf("move to a folder: got %+v and the song %q, want %q", r, f.songs()["c/one.mp3"], id)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if r := b.run(forget); r.Moved != 1 || b.songs()["b/uno.mp3"] != id {
		t.Errorf("move to a bucket: got %+v and the song %q, want %q", r, b.songs()["b/uno.mp3"], id)
	}

	// Servers that share a database forget no place: the former bucket is asked.
	other := b.with(t, "s3://music/elsewhere")
	other.scan.FindRoots(func(name string) (library.Root, error) {
		if name != b.bucket.Name() {
			t.Errorf("the root %s is looked up, want only %s", name, b.bucket.Name())
		}
		return b.bucket, nil
	})
	server.Put("elsewhere/eins.mp3", song)
	if r := other.run(scan.Options{}); r.Added != 1 || other.songs()["eins.mp3"] == id {
		t.Errorf("a copy in another bucket: got %+v, want a song of its own", r)
	}
	server.Remove("library/b/uno.mp3")
	server.Put("elsewhere/two/zwei.mp3", song)
	if r := other.run(scan.Options{}); r.Moved != 1 || other.songs()["two/zwei.mp3"] != id {
		t.Errorf("move to another bucket: got %+v and %v, want the song %q", r, other.songs(), id)
	}
}
