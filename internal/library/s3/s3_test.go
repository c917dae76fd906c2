package s3

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"waxwing/internal/fault"
	"waxwing/internal/library"
	"waxwing/internal/testenv"
	"waxwing/internal/testenv/s3server"
)

// open returns a bucket of a server at addr.
func open(t *testing.T, addr, name string) *Bucket {
	t.Helper()
	b, err := New(name, Config{
		Endpoint: "http://" + addr, PathStyle: true,
		CredentialsFile: s3server.CredentialsFile(t, s3server.AccessKey, s3server.SecretKey),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// walkAll walks a tree in the order that a scan has and returns the paths of all files.
func walkAll(ctx context.Context, t library.Tree) (files []string, err error) {
	list, end := t.(library.Walker).Walk(ctx)
	defer end()
	var walk func(dir string) error
	walk = func(dir string) error {
		entries, err := list(dir)
		if err != nil {
			return err
		}
		key := func(e library.Entry) string {
			if e.Mode.IsDir() {
				return e.Name + "/"
			}
			return e.Name
		}
		slices.SortFunc(entries, func(a, b library.Entry) int { return cmp.Compare(key(a), key(b)) })
		for _, e := range entries {
			p := strings.TrimPrefix(dir+"/"+e.Name, "./")
			if !e.Mode.IsDir() {
				files = append(files, p)
			} else if err := walk(p); err != nil {
				return err
			}
		}
		return nil
	}
	err = walk(".")
	return files, err
}

// TestWalkListsEveryObjectOnce compares walks with all limits, from one page for everything to many
// parallel parts of few keys.
func TestWalkListsEveryObjectOnce(t *testing.T) {
	server := s3server.Start(t)
	var want []string
	for artist := range 12 {
		for album := range artist%4 + 1 {
			for song := range 1 + (artist*album)%7 {
				want = append(want, fmt.Sprintf("Artist %d/Album-%d/%02d.mp3", artist, album, song))
			}
		}
	}
	want = append(want, "Artist 1.txt", "Artist 1-live/a.mp3", "Artist 1", "zebra.mp3", "ä/é.mp3", "a+b &%/c?d.mp3")
	want = slices.DeleteFunc(want, func(p string) bool { return p == "Artist 1" }) // a file system has no such pair
	for _, p := range want {
		server.Put("library/"+p, []byte(p))
	}
	server.Put("library-of-others/x.mp3", []byte("x"))
	slices.Sort(want)
	for _, l := range []limits{
		{folder: 20_000, segment: 8_000, ahead: 4},
		{folder: 20_000, segment: 8_000, ahead: 4, page: 7},
		{folder: 10, segment: 8, ahead: 3, page: 5},
		{folder: 1, segment: 1, ahead: 2, page: 1},
	} {
		b := open(t, server.Addr, "s3://music/library/")
		b.limits = l
		tree, err := b.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got, err := walkAll(t.Context(), tree)
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("limits %+v: got %q, %v; want %q", l, got, err, want)
		}
		if lists := b.Stats().Lists; l.page == 0 && lists != 1 {
			t.Errorf("requests for %d objects: got %d, want 1", len(want), lists)
		}
	}
}

// TestStreamContinuesAfterBrokenConnections reads an object while its connections break.
func TestStreamContinuesAfterBrokenConnections(t *testing.T) {
	server := s3server.Start(t)
	proxy := testenv.NewProxy(t, server.Addr)
	content := make([]byte, 3<<20)
	for i := range content {
		content[i] = byte(rand.Uint32())
	}
	server.Put("a.flac", content)
	b := open(t, proxy.Addr(), "s3://music")
	s, err := b.OpenStream(t.Context(), "a.flac", "bytes=100-", false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if v := s.Version(); v.Size != int64(len(content)) {
		t.Errorf("size: got %d, want %d", v.Size, len(content))
	}
	if _, err := s.Seek(100, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for range 5 {
		if _, err := io.CopyN(&got, s, 200<<10); err != nil {
			t.Fatal(err)
		}
		proxy.Reset()
	}
	if _, err := io.Copy(&got, s); err != nil || !bytes.Equal(got.Bytes(), content[100:]) {
		t.Errorf("got %d bytes, %v; want %d, all equal", got.Len(), err, len(content)-100)
	}
	server.Put("a.flac", content[:1<<20])
	if _, err := s.Seek(200, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(make([]byte, 10)); !errors.Is(err, library.ErrChanged) {
		t.Errorf("read of a replaced object: got %v, want %v", err, library.ErrChanged)
	}
}

// TestFailuresSayWhatToDo tries what goes wrong with a storage.
func TestFailuresSayWhatToDo(t *testing.T) {
	server := s3server.Start(t)
	server.Put("a.mp3", []byte("audio"))
	b := open(t, server.Addr, "s3://music")
	if err := b.Check(t.Context()); err != nil {
		t.Fatalf("a bucket that is there: %v", err)
	}
	if _, err := b.OpenStream(t.Context(), "b.mp3", "", false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an object that is not there: got %v, want %v", err, fs.ErrNotExist)
	}
	for _, path := range []string{"../a.mp3", "/a.mp3", "", ".", "x//a.mp3"} {
		if _, err := b.OpenStream(t.Context(), path, "", false); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the path %q: got %v, want %v", path, err, fs.ErrNotExist)
		}
	}
	expect := func(what string, b *Bucket, words ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		err := b.Check(ctx)
		kind, sentence := fault.Of(err)
		for _, word := range words {
			if kind != fault.Unavailable || !strings.Contains(sentence, word) {
				t.Errorf("%s: got %v %q, want a sentence with %q", what, kind, sentence, word)
			}
		}
		if err != nil && strings.Contains(err.Error(), s3server.SecretKey) {
			t.Errorf("%s: the error contains the secret: %v", what, err)
		}
		if at, failure := b.Health(); failure == nil || at.IsZero() {
			t.Errorf("%s: the health is %v at %v, want a failure", what, failure, at)
		}
	}
	expect("another bucket", open(t, server.Addr, "s3://nothing"), "does not exist", "--music")

	file := s3server.CredentialsFile(t, s3server.AccessKey, "wrong-secret-canary")
	wrong, err := New("s3://music", Config{Endpoint: "http://" + server.Addr, PathStyle: true, CredentialsFile: file})
	if err != nil {
		t.Fatal(err)
	}
	expect("a wrong secret", wrong, "refuses the credentials", "a changed file is read at once")
	s3server.WriteCredentials(t, file, s3server.AccessKey, s3server.SecretKey)
	testenv.WaitFor(t, "new credentials are used", func() bool { return wrong.Check(t.Context()) == nil })
	if _, failure := wrong.Health(); failure != nil {
		t.Errorf("health after the correction: got %v, want nil", failure)
	}

	region, err := New("s3://music", Config{
		Endpoint: "http://" + server.Addr, PathStyle: true, CredentialsFile: file, Region: "eu-elsewhere-1",
	})
	if err != nil {
		t.Fatal(err)
	}
	expect("a wrong region", region, "region", "--s3-region")
	server.Kill()
	expect("a storage that has ended", b, "does not reply", "--s3-endpoint")
	server.Run()
	testenv.WaitFor(t, "the storage is back", func() bool { return b.Check(t.Context()) == nil })
}

// TestRepliesOfTheStorageSayWhatToDo lets the storage reply with errors, and with a certificate
// that nobody trusts.
func TestRepliesOfTheStorageSayWhatToDo(t *testing.T) {
	server := s3server.Start(t)
	server.Put("a.mp3", []byte("audio"))
	gate := server.NewGate(t, false)
	b := open(t, gate.Addr, "s3://music")
	const limit = 300 * time.Millisecond // some requests are repeated for longer
	b.limits.reply = limit
	for _, c := range []struct {
		status    int
		code      string
		sentences []string
	}{
		{503, "SlowDown", []string{"has a problem (503)", "tried again"}},
		{400, "ExpiredToken", []string{"have expired", "replace them"}},
		{403, "AccessDenied", []string{"denies", "s3:ListBucket"}},
		{403, "RequestTimeTooSkewed", []string{"clock"}},
		{400, "AuthorizationHeaderMalformed", []string{"eu-north-1", "--s3-region"}},
	} {
		gate.Fail(c.status, c.code)
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		err := b.Check(ctx)
		cancel()
		kind, sentence := fault.Of(err)
		for _, word := range c.sentences {
			if kind != fault.Unavailable || !strings.Contains(sentence, word) {
				t.Errorf("%s: got %v %q, want a sentence with %q", c.code, kind, sentence, word)
			}
		}
		_, err = b.OpenStream(t.Context(), "a.mp3", "", false)
		if kind, _ := fault.Of(err); kind != fault.Unavailable || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a song is %v, want it unavailable", c.code, err)
		}
		gate.Heal()
		if err := b.Check(t.Context()); err != nil {
			t.Errorf("after %s: %v", c.code, err)
		}
	}
	secure, err := New("s3://music", Config{Endpoint: server.NewGate(t, true).URL, PathStyle: true,
		CredentialsFile: s3server.CredentialsFile(t, s3server.AccessKey, s3server.SecretKey)})
	if err != nil {
		t.Fatal(err)
	}
	defer secure.Close()
	if _, sentence := fault.Of(secure.Check(t.Context())); !strings.Contains(sentence, "certificate") {
		t.Errorf("an untrusted certificate: got %q, want a sentence about it", sentence)
	}
}

// TestNamesOfBuckets covers what an operator may write.
func TestNamesOfBuckets(t *testing.T) {
	for name, want := range map[string]string{
		"s3://music": "s3://music", "s3://music/": "s3://music", "s3://music/a/b/": "s3://music/a/b",
	} {
		b, err := New(name, Config{})
		if err != nil || b.Name() != want {
			t.Errorf("%s: got %v, %v; want %s", name, b, err, want)
		}
	}
	for _, name := range []string{"s3://", "s3:///a", "s3://key:canary@music", "s3://music/../x", "/music", "s3://a b"} {
		if _, err := New(name, Config{}); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: got %v, want an error without a secret", name, err)
		}
	}
	for _, endpoint := range []string{"s3.example.net", "https://u:canary@s3.example.net", "https://s3.example.net/x"} {
		if _, err := New("s3://music", Config{Endpoint: endpoint}); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("endpoint %s: got %v, want an error without a secret", endpoint, err)
		}
	}
}
