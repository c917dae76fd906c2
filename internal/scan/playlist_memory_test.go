package scan_test

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"waxwing/internal/catalog"
	"waxwing/internal/scan"
	"waxwing/internal/testenv"
)

// Importing a huge playlist costs a small multiple of its size. The garbage collector runs often,
// so that the test measures what the import holds, not what waits for collection.
func TestHugePlaylistsCostBoundedMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	h := newFixture(t)
	h.write("a/song.mp3", titled(1, "Song", "A", "B"))
	h.run(scan.Options{})
	user, err := h.store.CreateUser(t.Context(), catalog.NewUser{Name: "Ann"})
	if err != nil {
		t.Fatal(err)
	}
	size := testenv.Size(6, 6, 63) << 20
	var file bytes.Buffer
	file.WriteString("a/song.mp3\n")
	for i := 0; file.Len() < size; i++ {
		fmt.Fprintf(&file, "#EXTINF:200,Some Artist of a Name %d - Some Title of a Song %d\nfolder %d/album %d/%07d.mp3\n",
			i, i, i/100, i/10, i)
	}
	runtime.GC()
	var start runtime.MemStats
	runtime.ReadMemStats(&start)
	var most atomic.Uint64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for most.Load() < 1<<63 {
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			for old := most.Load(); old < now.HeapAlloc && !most.CompareAndSwap(old, now.HeapAlloc); old = most.Load() {
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	report, err := h.scan.ImportPlaylist(t.Context(), user.Viewer(), h.dir+"/huge.m3u", &file)
	peak := most.Swap(1 << 63)
	<-done
	if err != nil || report.Songs != 1 {
		t.Fatalf("got %d songs, %v; want 1", report.Songs, err)
	}
	times := float64(peak-min(peak, start.HeapAlloc)) / float64(size)
	if times > 5 {
		t.Errorf("got %.1f times the size of the file in memory, want at most 5", times)
	}
	t.Logf("%.1f times the size of the file, %d missing", times, len(report.Missing))
}

// A playlist whose entries all have the name of many files cannot occupy the scanner for hours.
func TestAmbiguousPlaylistsAreRefused(t *testing.T) {
	h := newFixture(t)
	for i := range 20 {
		h.write(fmt.Sprintf("%d/01.mp3", i), titled(uint64(i+1), fmt.Sprint("Title ", i), "A", "B"))
	}
	h.run(scan.Options{})
	user, err := h.store.CreateUser(t.Context(), catalog.NewUser{Name: "Ann"})
	if err != nil {
		t.Fatal(err)
	}
	scan.LimitCompared(h.scan, 1000)
	for entries, refused := range map[int]bool{50: false, 51: true} {
		file := strings.NewReader(strings.Repeat("x/01.mp3\n", entries))
		_, err := h.scan.ImportPlaylist(t.Context(), user.Viewer(), h.dir+"/huge.m3u", file)
		if (err != nil) != refused {
			t.Errorf("%d entries with the name of 20 files: got %v, want refused: %v", entries, err, refused)
		}
	}
}
