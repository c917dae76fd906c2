package audit

import (
	"bytes"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"
)

const queueLength = 1024

// Log writes entries in the background, so that no request waits for the disk. Entries are dropped
// when a queue is full or the disk fails, and the log records how many. A nil Log discards all.
//
// Changes to credentials go to a file and a queue of their own: denied requests, in
// whatever number, cannot displace them.
type Log struct {
	requests, credentials *writer
}

// Open opens the log at path for appending, and beside it the log of credential events. Later
// failures to write drop entries and are reported to log. Close it after the last server has
// stopped.
func Open(path string, log *slog.Logger) (*Log, error) {
	return openLimited(path, maxFileSize, log)
}

func openLimited(path string, limit int64, log *slog.Logger) (*Log, error) {
	l := &Log{requests: newWriter(path, limit, log), credentials: newWriter(credentialsPath(path), limit, log)}
	for _, w := range []*writer{l.requests, l.credentials} {
		if err := w.file.prepare(0); err != nil {
			return nil, err
		}
	}
	go l.requests.run()
	go l.credentials.run()
	return l, nil
}

// credentialsPath returns the file of credential events that belongs to the log at path.
func credentialsPath(path string) string {
	return strings.TrimSuffix(path, ".log") + "-credentials.log"
}

// changesCredential reports whether e belongs to the log of credential events. A pairing request
// does not: it needs no credential.
func (e Entry) changesCredential() bool {
	return e.Event != "" && e.Event != PairingRequested && e.Event != entriesDropped && e.Decision != Denied
}

// Record queues an entry, or drops it if the queue is full. It never blocks.
func (l *Log) Record(e Entry) {
	if l == nil {
		return
	}
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	w := l.requests
	if e.changesCredential() {
		w = l.credentials
	}
	select {
	case w.queue <- &e:
	default:
		w.dropped.Add(1)
	}
}

// Close writes the queued entries and closes the files.
func (l *Log) Close() {
	if l == nil {
		return
	}
	for _, w := range []*writer{l.requests, l.credentials} {
		close(w.stop)
		<-w.done
	}
}

// writer is the queue and the goroutine of one file.
type writer struct {
	queue   chan *Entry
	stop    chan struct{}
	done    chan struct{}
	dropped atomic.Int64
	log     *slog.Logger

	file    file // this and what follows belongs to the goroutine of run
	denials denials
	failed  bool
}

func newWriter(path string, limit int64, log *slog.Logger) *writer {
	return &writer{
		queue: make(chan *Entry, queueLength), stop: make(chan struct{}), done: make(chan struct{}), log: log,
		file: file{path: path, limit: limit}, denials: newDenials(),
	}
}

func (w *writer) run() {
	defer close(w.done)
	defer w.file.close()
	for {
		select {
		case e := <-w.queue:
			w.write(e)
		case <-w.denials.window.C:
			w.summarizeDenials()
		case <-w.stop:
			for len(w.queue) > 0 {
				w.write(<-w.queue)
			}
			w.summarizeDenials()
			return
		}
	}
}

// write appends first and all queued entries with one write.
func (w *writer) write(first *Entry) {
	var lines bytes.Buffer
	count := int64(0)
	for e := first; ; e = <-w.queue {
		if e.Decision != Denied || w.denials.ownLine(e.Address) {
			count += w.encode(&lines, *e)
		}
		if len(w.queue) == 0 {
			break
		}
	}
	w.flush(&lines, count)
}

// encode appends e to lines and returns the number of lines added.
func (w *writer) encode(lines *bytes.Buffer, e Entry) int64 {
	b, err := e.line()
	if err != nil {
		w.log.Error("cannot encode an audit entry", "err", err)
		return 0
	}
	lines.Write(b)
	return 1
}

// flush writes lines to the file, after a line with the number of entries dropped before them.
func (w *writer) flush(lines *bytes.Buffer, count int64) {
	if count == 0 {
		return
	}
	dropped := w.dropped.Swap(0)
	if dropped > 0 {
		var notice bytes.Buffer
		w.encode(&notice, Entry{Time: time.Now(), Event: entriesDropped, Count: dropped})
		notice.Write(lines.Bytes())
		lines = &notice
	}
	if err := w.file.append(lines.Bytes()); err != nil {
		w.dropped.Add(dropped + count)
		if !w.failed {
			w.log.Warn("cannot write the audit log; requests are served, dropped entries are counted", "err", err)
		}
		w.failed = true
		return
	}
	if w.failed {
		w.log.Info("the audit log can be written again", "entries_dropped", dropped)
	}
	w.failed = false
}

// summarizeDenials writes a line per source for the denials without one, and ends the window.
func (w *writer) summarizeDenials() {
	var lines bytes.Buffer
	count := int64(0)
	for source, n := range w.denials.end() {
		count += w.encode(&lines, Entry{Time: time.Now(), Decision: Denied, Address: source, Count: n})
	}
	w.flush(&lines, count)
}

// Append writes one entry without a queue, for commands that exit afterwards.
func Append(path string, e Entry) error {
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	b, err := e.line()
	if err != nil {
		return err
	}
	if e.changesCredential() {
		path = credentialsPath(path)
	}
	f := file{path: path, limit: maxFileSize}
	defer f.close()
	return f.append(b)
}
