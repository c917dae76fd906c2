package transcode_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"waxwing/internal/fault"
	"waxwing/internal/transcode"
)

// files lists the folder of a store.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		names = append(names, d.Name())
	}
	return names
}

func TestTranscodesSurviveARestart(t *testing.T) {
	dir, registry := t.TempDir(), prometheus.NewRegistry()
	path := music(t, "a.flac", "1", "44100", "2")
	v := transcode.Variant{Format: transcode.Opus}
	first, description := get(t, open(t, transcode.Config{Dir: dir}), source(t, path), v)
	for _, junk := range []string{"partial-123.flac", "waxwing-decode-5", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(dir, junk), []byte("junk"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, transcode.Config{Dir: dir, Metrics: registry})
	if left := files(t, dir); len(left) != 1 {
		t.Errorf("after a restart: got the files %v, want the transcode alone", left)
	}
	again, same := get(t, s, source(t, path), v)
	if !bytes.Equal(again, first) || same.Duration.Microseconds() != description.Duration.Microseconds() ||
		same.ETag != description.ETag {
		t.Errorf("after a restart: got %d bytes, %v, %s; want %d, %v, %s", len(again), same.Duration, same.ETag,
			len(first), description.Duration, description.ETag)
	}
	if hits := counted(t, registry, "waxwing_transcode_requests_total", "hit"); hits != 1 {
		t.Errorf("hits: got %v, want 1", hits)
	}
	// A file that changed is another source.
	if err := os.Chtimes(path, time.Now(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, other := get(t, s, source(t, path), v); other.ETag == same.ETag {
		t.Errorf("changed file: got the ETag %s again, want another", other.ETag)
	}
	// A file in the cache that somebody cut is never served.
	for _, name := range files(t, dir) {
		if err := os.Truncate(filepath.Join(dir, name), 100); err != nil {
			t.Fatal(err)
		}
	}
	if whole, _ := get(t, s, source(t, path), v); len(whole) != len(first) {
		t.Errorf("after a cut: got %d bytes, want %d", len(whole), len(first))
	}
}

func TestLeastRecentlyUsedTranscodesMakeRoom(t *testing.T) {
	dir, registry := t.TempDir(), prometheus.NewRegistry()
	one := 44 + 2*44100 // bytes of a second
	s := open(t, transcode.Config{Dir: dir, Quota: int64(3*one + 100), Metrics: registry})
	song := source(t, music(t, "a.flac", "1", "44100", "1", "-sample_fmt", "s16"))
	var sources []transcode.Source
	for i := range 4 {
		song.Name = fmt.Sprint(i)
		sources = append(sources, song)
	}
	wav := transcode.Variant{Format: transcode.WAV}
	for _, i := range []int{0, 1, 2, 0, 3} { // the last one displaces 1
		get(t, s, sources[i], wav)
	}
	for i, want := range []float64{1, 0, 1, 1} {
		before := counted(t, registry, "waxwing_transcode_requests_total", "hit")
		if i == 1 {
			continue // it would displace another
		}
		get(t, s, sources[i], wav)
		if hit := counted(t, registry, "waxwing_transcode_requests_total", "hit") - before; hit != want {
			t.Errorf("song %d: got %v hits, want %v", i, hit, want)
		}
	}
	if n := len(files(t, dir)); n != 3 {
		t.Errorf("got %d files, want 3", n)
	}
	if got := counted(t, registry, "waxwing_transcode_cache_bytes"); got != float64(3*one) {
		t.Errorf("bytes: got %v, want %d", got, 3*one)
	}
	long := source(t, music(t, "b.flac", "30", "44100", "1"))
	_, err := s.Get(t.Context(), transcode.Request{Source: long, Variant: wav})
	if kind, text := fault.Of(err); kind != fault.Unavailable || !strings.Contains(text, "--transcode-cache") {
		t.Errorf("larger than the quota: got %v, want what to do", err)
	}
	if n := len(files(t, dir)); n > 3 {
		t.Errorf("after a failure: got %d files, want no partial one", n)
	}
}

// slow is a source whose reads block until it is released.
type slow struct {
	*bytes.Reader
	started sync.Once
	reading chan struct{}
	release chan struct{}
}

func (s *slow) ReadAt(p []byte, off int64) (int, error) {
	s.started.Do(func() { close(s.reading) })
	<-s.release
	return s.Reader.ReadAt(p, off)
}

func (s *slow) Close() error { return nil }

func slowSource(t *testing.T, name string) (*slow, transcode.Source) {
	t.Helper()
	b, err := os.ReadFile(music(t, "a.flac", "0.5", "44100", "1"))
	if err != nil {
		t.Fatal(err)
	}
	f := &slow{Reader: bytes.NewReader(b), reading: make(chan struct{}), release: make(chan struct{})}
	at := time.Unix(1, 0)
	return f, transcode.Source{Name: name, Size: int64(len(b)), ModTime: at,
		Open: func(context.Context) (io.ReadSeekCloser, time.Time, error) { return f, at, nil }}
}

func TestRequestsForTheSameTranscodeShareOneJob(t *testing.T) {
	registry := prometheus.NewRegistry()
	s := open(t, transcode.Config{Metrics: registry})
	f, src := slowSource(t, "one")
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() { get(t, s, src, transcode.Variant{Format: transcode.FLAC}) })
	}
	<-f.reading
	close(f.release)
	wait.Wait()
	if jobs := counted(t, registry, "waxwing_transcode_jobs_total", "flac", "done"); jobs != 1 {
		t.Errorf("20 requests: got %v jobs, want 1", jobs)
	}
}

func TestAbandonedTranscodeIsCancelled(t *testing.T) {
	dir, registry := t.TempDir(), prometheus.NewRegistry()
	s := open(t, transcode.Config{Dir: dir, Metrics: registry, Linger: -1})
	f, src := slowSource(t, "one")
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := s.Get(ctx, transcode.Request{Source: src, Variant: transcode.Variant{Format: transcode.WAV}})
		failed <- err
	}()
	<-f.reading
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the error of the context", err)
	}
	close(f.release)
	s.Close() // waits for the job
	if got := counted(t, registry, "waxwing_transcode_jobs_total", "wav", "cancelled"); got != 1 {
		t.Errorf("cancelled jobs: got %v, want 1", got)
	}
	if left := files(t, dir); len(left) != 0 {
		t.Errorf("got the files %v, want none", left)
	}
	_, err := s.Get(t.Context(), transcode.Request{Source: src, Variant: transcode.Variant{Format: transcode.WAV}})
	if kind, _ := fault.Of(err); kind != fault.Unavailable {
		t.Errorf("closed store: got %v, want an Unavailable fault", err)
	}
}

func TestFullQueueIsRefused(t *testing.T) {
	registry := prometheus.NewRegistry()
	s := open(t, transcode.Config{Jobs: 1, Queue: 4, Metrics: registry, Linger: -1})
	f, running := slowSource(t, "running")
	var wait sync.WaitGroup
	defer wait.Wait()
	defer close(f.release)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request := func(ctx context.Context, name, caller string) error {
		src := running
		src.Name = name
		r := transcode.Request{Source: src, Variant: transcode.Variant{Format: transcode.WAV}, Caller: caller}
		file, err := s.Get(ctx, r)
		if err == nil {
			err = file.Close()
		}
		return err
	}
	for i, name := range []string{"running", "a", "b"} {
		wait.Go(func() {
			if err := request(ctx, name, "ann"); err != nil && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: got %v, want a place", name, err)
			}
		})
		if i == 0 {
			<-f.reading
		}
		for deadline := time.Now().Add(10 * time.Second); ; runtime.Gosched() {
			if counted(t, registry, "waxwing_transcode_waiting") == float64(i) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s does not wait", name)
			}
		}
	}
	err := request(t.Context(), "c", "ann")
	if kind, _ := fault.Of(err); !errors.Is(err, transcode.ErrBusy) || kind != fault.Unavailable {
		t.Errorf("ann has half of the queue: got %v, want a refusal", err)
	}
	short, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	if err := request(short, "d", "bob"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("bob, with room in the queue: got %v, want a place", err)
	}
}
