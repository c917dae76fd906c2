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
	denialsPerWindow = 60   // denials of one address in a window that get a line each
	maxAddresses     = 4096 // addresses; all further ones share a count
)

// Log writes entries in the background, so that no request ever waits for the disk. Entries that
// come faster than the disk takes them, or that find it full, are lost; the log then says how many.
// A nil Log keeps nothing.
type Log struct {
	queue   chan Entry
	stop    chan struct{}
	done    chan struct{}
	dropped atomic.Int64
	log     *slog.Logger

	file    file // the rest belongs to the goroutine of run
	denials map[string]int64
	window  *time.Timer
	failed  bool
}

// Open begins to keep the log at path, or says why it cannot be written there. What befalls it later stops nothing: it is
// told of, here and to log. Close it when the last server has ended.
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

// Record keeps an entry, unless there is no room for it. It never waits.
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

// Close writes what waits and ends.
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

// write writes first and all that waits behind it at once.
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

// encode adds e to lines and returns how many lines that made.
func (l *Log) encode(lines *bytes.Buffer, e Entry) int64 {
	b, err := e.line()
	if err != nil {
		l.log.Error("an access was not recorded", "err", err)
		return 0
	}
	lines.Write(b)
	return 1
}

// put appends lines. What an earlier failure cost is told in front of them.
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
			l.log.Warn("the audit log cannot be written; requests go on, and it will say how many lines it lost", "err", err)
		}
		l.failed = true
		return
	}
	if l.failed {
		l.log.Info("the audit log is written again", "lines_lost", dropped)
	}
	l.failed = false
}

// ownLine counts the denials of an address: past a number of them, one line at the end of the
// window stands for the rest, so that nobody can wash older lines out of the log by being refused.
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

// summarizeDenials tells what was window and begins a new window.
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

// Append writes one entry at once, for a command that ends thereafter.
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
