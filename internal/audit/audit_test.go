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

	"waxwing/internal/testenv"
)

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

// begin opens a log that rotates at limit bytes.
func begin(t *testing.T, path string, limit int64, log *slog.Logger) *Log {
	t.Helper()
	l, err := openLimited(path, limit, log)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestEntriesKeepTheirOrderAndTheFileIsPrivate(t *testing.T) {
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
		t.Errorf("got %d entries, want 101 in the order of their recording: %+v", len(got), got)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v; want 0600", info.Mode(), err)
	}
	(*Log)(nil).Record(Entry{})
	(*Log)(nil).Close()
}

// Fields that a client chooses are escaped and truncated.
func TestHostileFieldsCannotForgeALine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	evil := "x\"}\n{\"decision\":\"allowed\"}\r\n\x1b[2J\u2028\u202e\x00\xff" + strings.Repeat("A", 100_000)
	l := begin(t, path, maxFileSize, discard)
	l.Record(Entry{Decision: Denied, Method: evil, Name: evil, SubjectName: evil, Address: evil})
	l.Close()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Count(b, []byte("\n")) != 1 || bytes.ContainsAny(b, "\x1b\x00\r") || bytes.Contains(b, []byte("\u2028")) ||
		!json.Valid(b) || len(b) > 4096 {
		t.Errorf("got %q, want one line of escaped JSON", b)
	}
	testenv.Report(t, testenv.AuditLog, testenv.Tally{Inputs: 4, Note: "fields that try to forge a line"})
}

func TestRotationWithTwoWritersBoundsTheFilesAndKeepsTheOrder(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.log")
	const limit = 4096
	// Two servers with the same data folder write at the same time.
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
				for len(l.requests.queue) > queueLength/2 {
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
	const most = rotatedFiles + 3 // the current file, the lock and the file of credential events
	if len(files) > most || total == 0 {
		t.Errorf("got %d files with %d bytes, want at most %d files", len(files), total, most)
	}
	last := map[string]int{}
	for _, e := range entries(t, path) {
		if e.Status <= last[e.Server] {
			t.Fatalf("entry %d of writer %s comes after entry %d", e.Status, e.Server, last[e.Server])
		}
		last[e.Server] = e.Status
	}
	if last["0"] != 400 && last["1"] != 400 {
		t.Errorf("the newest entries are missing: got %v, want 400 of one writer", last)
	}
}

func TestAppendReopensAFileThatWasMoved(t *testing.T) {
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
		t.Errorf("the moved file holds %q, %v; want one line", b, err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := f.append([]byte("{}\n")); err == nil {
		t.Error("append to a directory succeeded")
	}
}

func TestOpenRefusesAPathThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{dir, filepath.Join(dir, "no", "folder", "audit.log"), "/dev/null"} {
		if l, err := Open(path, discard); err == nil {
			l.Close()
			t.Errorf("Open(%s) succeeded", path)
		}
	}
	path := filepath.Join(dir, "audit.log")
	begin(t, path, maxFileSize, discard).Close()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v; want a file of mode 0600", info, err)
	}
}

func TestDroppedEntriesAreCountedAfterTheLogRecovers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "missing")
	path := filepath.Join(dir, "audit.log")
	var logged bytes.Buffer
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l := begin(t, path, maxFileSize, slog.New(slog.NewTextHandler(&logged, nil)))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		l.Record(Entry{Status: i + 1})
	}
	wait(t, func() bool { return l.requests.dropped.Load() == 500 })
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l.Record(Entry{Status: 501})
	l.Close()
	got := entries(t, path)
	if len(got) != 2 || got[0].Event != entriesDropped || got[0].Count != 500 || got[1].Status != 501 {
		t.Errorf("got %+v, want a count of 500 dropped entries, then entry 501", got)
	}
	if strings.Count(logged.String(), "cannot write") != 1 || !strings.Contains(logged.String(), "can be written again") {
		t.Errorf("logged %s; want one warning and one recovery", logged.String())
	}
}

// Every write to /dev/full fails with ENOSPC.
func TestFullDiskFailsAppendWithoutATornLine(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := file{path: "/dev/full", limit: maxFileSize, open: full}
	defer f.close()
	if err := f.append([]byte("{}\n")); err == nil || f.torn {
		t.Errorf("got error %v, torn %v; want an error and no torn line", err, f.torn)
	}
}

func TestRecordDropsEntriesWhenTheQueueIsFull(t *testing.T) {
	l := &Log{requests: &writer{queue: make(chan *Entry, 2)}} // without a goroutine that empties it
	for range 10 {
		l.Record(Entry{})
	}
	if l.requests.dropped.Load() != 8 {
		t.Errorf("dropped %d entries, want 8", l.requests.dropped.Load())
	}
}

// A flood from one address leaves denialsPerSource lines and a count. Other addresses keep theirs.
func TestFloodOfDenialsIsSummarized(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "audit.log")
		l := begin(t, path, maxFileSize, discard)
		for range 5000 {
			for len(l.requests.queue) > queueLength/2 {
				time.Sleep(time.Millisecond)
			}
			l.Record(Entry{Decision: Denied, Reason: Invalid, Address: "192.0.2.1"})
		}
		l.Record(Entry{Decision: Denied, Reason: Invalid, Address: "192.0.2.2"})
		time.Sleep(2 * denialWindow)
		l.Record(Entry{Decision: Denied, Reason: Revoked, Address: "192.0.2.1"})
		l.Close()
		got := entries(t, path)
		const n = denialsPerSource
		if len(got) != n+3 || got[n+1].Count != 5000-n || got[n+2].Reason != Revoked {
			t.Errorf("got %d lines, want %d; the last are %+v", len(got), n+3, got[max(0, len(got)-3):])
		}
	})
}

// The attack: as many denied requests, from as many addresses, as a process without a credential
// can send, with a method that grows sixfold when it is escaped.
func TestFloodOfDenialsKeepsCredentialEvents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	l := begin(t, path, 64<<10, discard)
	const before = 77
	for i := range before {
		l.Record(Entry{Server: "player", Decision: Allowed, Event: TokenCreated, Subject: fmt.Sprintf("to_%d", i)})
	}
	method := strings.Repeat("&", 128)
	for i := range 100_000 {
		ip := fmt.Sprintf("127.0.%d.%d", i/250%4, i%250+1)
		if i%2 == 0 {
			ip = fmt.Sprintf("2001:db8::%x", i)
		}
		l.Record(Entry{Server: "player", Decision: Denied, Reason: Host, Method: method, Address: ip})
		if i%10_000 == 0 {
			l.Record(Entry{Server: "player", Decision: Allowed, Event: TokenRevoked, Subject: "to_1"})
		}
	}
	l.Close()
	created, revoked := 0, 0
	for _, e := range entries(t, path) {
		switch e.Event {
		case TokenCreated:
			created++
		case TokenRevoked:
			revoked++
		}
	}
	if created != before || revoked != 10 {
		t.Errorf("got %d created and %d revoked, want %d and 10", created, revoked, before)
	}
	missing := max(0, before-created) + max(0, 10-revoked)
	testenv.Report(t, testenv.AuditLog, testenv.Tally{Inputs: 100_000, Violations: missing, Note: fmt.Sprintf(
		"%s from 50,500 addresses; %d of %d credential events kept",
		testenv.TriedOf(100_000, 100_000, "denied requests"), created+revoked, before+10)})
}

// More addresses than one sender needs cannot fill the log either.
func TestDenialsAreBoundedInTotal(t *testing.T) {
	d := newDenials()
	lines := 0
	for i := range 100_000 {
		if d.ownLine(fmt.Sprintf("198.18.%d.%d", i/250%250, i%250)) {
			lines++
		}
	}
	rest := int64(0)
	for _, n := range d.end() {
		rest += n
	}
	if lines != denialsPerWindow || rest != int64(100_000-lines) || len(d.sources) != 0 {
		t.Errorf("got %d lines and %d summarized, want %d and %d", lines, rest, denialsPerWindow, 100_000-denialsPerWindow)
	}
}

func TestSourceOfGroupsAddressesOfOneSender(t *testing.T) {
	for address, want := range map[string]string{
		"127.0.0.1": "loopback", "127.9.8.7": "loopback", "::1": "loopback", "192.0.2.1": "192.0.2.1",
		"2001:db8::1": "2001:db8::/64", "2001:db8::ffff:1": "2001:db8::/64", "fe80::1%eth0": "fe80::/64", "@": "@", "": "",
	} {
		if got := sourceOf(address); got != want {
			t.Errorf("sourceOf(%q) = %q, want %q", address, got, want)
		}
	}
}

func TestReadMergesCredentialEventsByTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 9 {
		e := Entry{Time: start.Add(time.Duration(i) * time.Second), Status: i + 1, Decision: Allowed}
		if i%3 != 1 {
			e.Event = KeyRotated
		}
		if err := Append(path, e); err != nil {
			t.Fatal(err)
		}
	}
	for i, e := range entries(t, path) {
		if e.Status != i+1 {
			t.Fatalf("entry %d is number %d, want the order of time", i+1, e.Status)
		}
	}
}

func TestTornLineIsSkippedAndNotContinued(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(path, []byte(`{"time":"2026-01-01T00:00:00Z","se`), 0o600); err != nil {
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
		t.Errorf("got %+v, want the one whole entry", got)
	}
}

func wait(t *testing.T, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("condition not met within 5 s")
		}
	}
}
