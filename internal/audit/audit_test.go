package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var discard = slog.New(slog.DiscardHandler)

func entries(t *testing.T, path string) (all []Entry) {
	t.Helper()
	for e, err := range Read(path) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// begin opens a log of at most limit bytes.
func begin(t *testing.T, path string, limit int64, log *slog.Logger) *Log {
	t.Helper()
	l, err := openLimited(path, limit, log)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLinesAreKeptInOrderAndForTheOwnerAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	l := begin(t, path, maxFileSize, discard)
	for i := range 100 {
		l.Record(Entry{Server: "player", Decision: Allowed, Status: i + 1, Route: "POST /play", Credential: "to_1"})
	}
	l.Close()
	if err := Append(path, Entry{Server: Command, Event: TokenRevoked, Subject: "to_1"}); err != nil {
		t.Fatal(err)
	}
	got := entries(t, path)
	if len(got) != 101 || got[99].Status != 100 || got[100].Subject != "to_1" || got[0].Time.IsZero() {
		t.Errorf("%d lines: %+v", len(got), got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	(*Log)(nil).Record(Entry{})
	(*Log)(nil).Close()
}

// TestNothingForgesALine: what strangers choose ends up inside a JSON string, cut short.
func TestNothingForgesALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	evil := "x\"}\n{\"decision\":\"allowed\"}\r\n\x1b[2J\u2028\u202e\x00\xff" + strings.Repeat("A", 100_000)
	l := begin(t, path, maxFileSize, discard)
	l.Record(Entry{Decision: Denied, Method: evil, Name: evil, SubjectName: evil, Address: evil})
	l.Close()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Count(b, []byte("\n")) != 1 || bytes.ContainsAny(b, "\x1b\x00\r") || !json.Valid(b) || len(b) > 4096 || bytes.Contains(b, []byte("\u2028")) {
		t.Errorf("%q", b)
	}
}

func TestFilesTurnAndTheirSumIsBounded(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.log")
	const limit = 4096
	// Two servers of one data folder write at once.
	var writers sync.WaitGroup
	for server := range 2 {
		writers.Go(func() {
			l, err := openLimited(path, limit, discard)
			if err != nil {
				t.Error(err)
				return
			}
			defer l.Close()
			for i := range 400 {
				for len(l.queue) > queueLength/2 {
					time.Sleep(time.Millisecond)
				}
				l.Record(Entry{Server: fmt.Sprint(server), Status: i + 1})
			}
		})
	}
	writers.Wait()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if len(files) > rotatedFiles+2 || total == 0 {
		t.Errorf("%d files with %d bytes", len(files), total)
	}
	last := map[string]int{}
	for _, e := range entries(t, path) {
		if e.Status <= last[e.Server] {
			t.Fatalf("line %d of %s comes after %d", e.Status, e.Server, last[e.Server])
		}
		last[e.Server] = e.Status
	}
	if last["0"] != 400 && last["1"] != 400 {
		t.Errorf("the newest lines are gone: %v", last)
	}
}

func TestAFileMovedAwayIsBegunAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	f := file{path: path, limit: maxFileSize}
	defer f.close()
	for range 3 {
		if err := f.append([]byte("{}\n")); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path, path+".moved"); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := os.ReadFile(path + ".moved"); err != nil || string(b) != "{}\n" {
		t.Errorf("%q, %v", b, err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := f.append([]byte("{}\n")); err == nil {
		t.Error("a folder was written to")
	}
}

// TestAPlaceThatCannotBeWrittenIsRefused when the log is opened, not when its first line is lost.
func TestAPlaceThatCannotBeWrittenIsRefused(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "no", "folder", "audit.log"), "/dev/null"} {
		if l, err := Open(path, discard); err == nil {
			l.Close()
			t.Errorf("%s was opened", path)
		}
	}
	path := filepath.Join(dir, "audit.log")
	begin(t, path, maxFileSize, discard).Close()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestALogThatCannotBeWritten any more costs no request anything, and says later what it lost.
func TestALogThatCannotBeWritten(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "away")
	path := filepath.Join(dir, "audit.log")
	var said bytes.Buffer
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l := begin(t, path, maxFileSize, slog.New(slog.NewTextHandler(&said, nil)))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		l.Record(Entry{Status: i + 1})
	}
	wait(t, func() bool { return l.dropped.Load() == 500 })
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l.Record(Entry{Status: 501})
	l.Close()
	got := entries(t, path)
	if len(got) != 2 || got[0].Event != entriesDropped || got[0].Count != 500 || got[1].Status != 501 {
		t.Errorf("%+v", got)
	}
	if strings.Count(said.String(), "cannot be written") != 1 || !strings.Contains(said.String(), "written again") {
		t.Errorf("said %s", said.String())
	}
}

// TestAFullDisk: /dev/full refuses every byte, as a full disk does.
func TestAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := file{path: "/dev/full", limit: maxFileSize, open: full}
	defer f.close()
	if err := f.append([]byte("{}\n")); err == nil || f.torn {
		t.Errorf("%v, torn %v", err, f.torn)
	}
}

func TestRecordNeverWaits(t *testing.T) {
	l := &Log{queue: make(chan Entry, 2)} // nobody writes
	for range 10 {
		l.Record(Entry{})
	}
	if l.dropped.Load() != 8 {
		t.Errorf("%d dropped", l.dropped.Load())
	}
}

// TestDenialsFold: a flood from one address leaves sixty lines and a count, and the lines of others.
func TestDenialsFold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "audit.log")
		l := begin(t, path, maxFileSize, discard)
		for range 5000 {
			for len(l.queue) > queueLength/2 {
				time.Sleep(time.Millisecond)
			}
			l.Record(Entry{Decision: Denied, Reason: Invalid, Address: "192.0.2.1"})
		}
		l.Record(Entry{Decision: Denied, Reason: Invalid, Address: "192.0.2.2"})
		time.Sleep(2 * denialWindow)
		l.Record(Entry{Decision: Denied, Reason: Revoked, Address: "192.0.2.1"})
		l.Close()
		got := entries(t, path)
		if len(got) != denialsPerWindow+3 || got[denialsPerWindow+1].Count != 5000-denialsPerWindow || got[denialsPerWindow+2].Reason != Revoked {
			t.Errorf("%d lines, the last are %+v", len(got), got[max(0, len(got)-3):])
		}
	})
}

// TestHalfALine is passed over by readers, and the next line does not continue it.
func TestHalfALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(path, []byte(`{"time":"2026-01-01T00:00:00Z","fa`), 0o600); err != nil {
		t.Fatal(err)
	}
	f := file{path: path, limit: maxFileSize}
	defer f.close()
	b, err := Entry{Time: time.Now(), Server: "player"}.line()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.append(b); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, path); len(got) != 1 || got[0].Server != "player" {
		t.Errorf("%+v", got)
	}
}

func wait(t *testing.T, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it never happened")
		}
	}
}
