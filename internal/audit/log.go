package audit

import (
	"bytes"
	"log/slog"
	"sync/atomic"
	"time"
)

const (
	queueLength      = 1024
	denialWindow     = time.Minute
	denialsPerWindow = 60   // lines per address and window; one line with a count stands for the rest
	maxAddresses     = 4096 // counted per window; further addresses share one count
)

// Log writes entries in the background, so that no request waits for the disk. Entries are dropped
// when the queue is full or the disk fails, and the log records how many. A nil Log discards all.
type Log struct {
	queue   chan Entry
	stop    chan struct{}
	done    chan struct{}
	dropped atomic.Int64
	log     *slog.Logger

	file    file // this and what follows belongs to the goroutine of run
	denials map[string]int64
	window  *time.Timer
	failed  bool
}

// Open opens the log at path for appending. Later failures to write drop entries and are reported
// to log. Close it after the last server has stopped.
func Open(path string, log *slog.Logger) (*Log, error) {
	return openLimited(path, maxFileSize, log)
}

func openLimited(path string, limit int64, log *slog.Logger) (*Log, error) {
	l := &Log{
		queue: make(chan Entry, queueLength), stop: make(chan struct{}), done: make(chan struct{}), log: log,
		file: file{path: path, limit: limit}, denials: make(map[string]int64), window: time.NewTimer(denialWindow),
	}
	l.window.Stop()
	if err := l.file.prepare(0); err != nil {
		return nil, err
	}
	go l.run()
	return l, nil
}

// Record queues an entry, or drops it if the queue is full. It never blocks.
func (l *Log) Record(e Entry) {
	if l == nil {
		return
	}
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	select {
	case l.queue <- e:
	default:
		l.dropped.Add(1)
	}
}

// Close writes the queued entries and closes the file.
func (l *Log) Close() {
	if l == nil {
		return
	}
	close(l.stop)
	<-l.done
}

func (l *Log) run() {
	defer close(l.done)
	defer l.file.close()
	for {
		select {
		case e := <-l.queue:
			l.write(e)
		case <-l.window.C:
			l.summarizeDenials()
		case <-l.stop:
			for len(l.queue) > 0 {
				l.write(<-l.queue)
			}
			l.summarizeDenials()
			return
		}
	}
}

// write appends first and all queued entries with one write.
func (l *Log) write(first Entry) {
	var lines bytes.Buffer
	count := int64(0)
	for e := first; ; e = <-l.queue {
		if l.ownLine(e) {
			count += l.encode(&lines, e)
		}
		if len(l.queue) == 0 {
			break
		}
	}
	l.flush(&lines, count)
}

// encode appends e to lines and returns the number of lines added.
func (l *Log) encode(lines *bytes.Buffer, e Entry) int64 {
	b, err := e.line()
	if err != nil {
		l.log.Error("cannot encode an audit entry", "err", err)
		return 0
	}
	lines.Write(b)
	return 1
}

// flush writes lines to the file, after a line with the number of entries dropped before them.
func (l *Log) flush(lines *bytes.Buffer, count int64) {
	if count == 0 {
		return
	}
	dropped := l.dropped.Swap(0)
	if dropped > 0 {
		var notice bytes.Buffer
		l.encode(&notice, Entry{Time: time.Now(), Event: entriesDropped, Count: dropped})
		notice.Write(lines.Bytes())
		lines = &notice
	}
	if err := l.file.append(lines.Bytes()); err != nil {
		l.dropped.Add(dropped + count)
		if !l.failed {
			l.log.Warn("cannot write the audit log; requests are served, dropped entries are counted", "err", err)
		}
		l.failed = true
		return
	}
	if l.failed {
		l.log.Info("the audit log can be written again", "entries_dropped", dropped)
	}
	l.failed = false
}

// ownLine reports whether e gets a line of its own. Past denialsPerWindow denials of one address it
// does not, so that a flood of denied requests cannot push older lines out of the log.
func (l *Log) ownLine(e Entry) bool {
	if e.Decision != Denied {
		return true
	}
	if len(l.denials) == 0 {
		l.window.Reset(denialWindow)
	}
	address := e.Address
	if _, known := l.denials[address]; !known && len(l.denials) >= maxAddresses {
		address = "others"
	}
	l.denials[address]++
	return l.denials[address] <= denialsPerWindow
}

// summarizeDenials writes a line per address for the denials without one, and ends the window.
func (l *Log) summarizeDenials() {
	var lines bytes.Buffer
	count := int64(0)
	for address, n := range l.denials {
		if n > denialsPerWindow {
			count += l.encode(&lines, Entry{Time: time.Now(), Decision: Denied, Address: address, Count: n - denialsPerWindow})
		}
	}
	clear(l.denials)
	l.flush(&lines, count)
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
	f := file{path: path, limit: maxFileSize}
	defer f.close()
	return f.append(b)
}
