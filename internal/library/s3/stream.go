package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"waxwing/internal/library"
)

// Stream is an object that is sent to a client: the bytes of the storage pass through, and only
// those that are read. A connection that breaks is replaced by one that continues with the same
// version of the object. It is used by one goroutine at a time.
type Stream struct {
	bucket  *Bucket
	ctx     context.Context
	key     string
	etag    string
	version library.Version
	pos     int64 // of the next Read
	body    *body // nil if none is open
}

// body is the body of a reply.
type body struct {
	io.ReadCloser
	pos, end int64 // of the object
	timer    *time.Timer
	cancel   context.CancelFunc
}

func (b *body) close() {
	b.timer.Stop()
	b.cancel()
	_ = b.Close() // nothing was written
}

const (
	replyLimit = 12 * time.Second // for the reply to a request, with its repetitions
	stallLimit = 20 * time.Second // for the next bytes of a body
	maxBreaks  = 5                // of a body, without a byte between them
)

// OpenStream implements library.Remote. Usually one request suffices.
func (b *Bucket) OpenStream(ctx context.Context, path, span string, later bool) (library.Stream, error) {
	if !validPath(path) {
		return nil, errNoObject(path)
	}
	s := &Stream{bucket: b, ctx: tracked(ctx), key: b.prefix + path}
	if !later && (span == "" || strings.HasPrefix(span, "bytes=") && !strings.Contains(span, ",")) {
		err := s.get(span)
		if err == nil {
			return s, nil
		}
		if !errors.Is(err, errRange) {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(s.ctx, b.limits.reply)
	defer cancel()
	o, err := b.client.StatObject(ctx, b.bucket, s.key, minio.StatObjectOptions{})
	if err != nil {
		return nil, b.explain(s.ctx, err)
	}
	s.etag, s.version = strings.Trim(o.ETag, `"`), versionOf(o)
	return s, nil
}

// ETag returns the ETag of the object, with its quotes.
func (s *Stream) ETag() string { return `"` + s.etag + `"` }

// Version returns the version of the object that is sent.
func (s *Stream) Version() library.Version { return s.version }

// get requests bytes of the object and opens their body. The first request sets the version, all
// others are for that one.
func (s *Stream) get(span string) error {
	ctx, cancel := context.WithCancel(s.ctx)
	timer := time.AfterFunc(s.bucket.limits.reply, cancel)
	opts := minio.GetObjectOptions{}
	if span != "" {
		opts.Set("Range", span)
	}
	if s.etag != "" {
		if err := opts.SetMatchETag(s.etag); err != nil {
			cancel()
			return fmt.Errorf("request one version of an object: %w", err)
		}
	}
	reply, o, header, err := s.bucket.client.GetObject(ctx, s.bucket.bucket, s.key, opts)
	if err != nil {
		timer.Stop()
		cancel()
		return s.bucket.explain(s.ctx, err)
	}
	b := &body{ReadCloser: reply, end: o.Size, timer: timer, cancel: cancel}
	if start, end, total, ok := contentRange(header.Get("Content-Range")); ok {
		b.pos, b.end, o.Size = start, end+1, total
	}
	switch v := versionOf(o); {
	case s.etag == "":
		s.etag, s.version = strings.Trim(o.ETag, `"`), v
	case !v.Equal(s.version):
		b.close()
		return library.ErrChanged
	}
	timer.Reset(stallLimit)
	s.body = b
	return nil
}

// Seek implements io.Seeker. It sends no request.
func (s *Stream) Seek(offset int64, from int) (int64, error) {
	pos, err := seek(s.pos, s.version.Size, offset, from)
	if err == nil {
		s.pos = pos
	}
	return pos, err
}

// Read implements io.Reader.
func (s *Stream) Read(p []byte) (int, error) {
	if s.pos >= s.version.Size || len(p) == 0 {
		return 0, io.EOF
	}
	var err error
	for tried := range maxBreaks {
		if tried > 0 && !pause(s.ctx, time.Duration(tried)*100*time.Millisecond) {
			return 0, s.ctx.Err()
		}
		if err = s.ready(); err != nil {
			if errors.Is(err, library.ErrChanged) {
				return 0, err
			}
			continue
		}
		s.body.timer.Reset(stallLimit)
		var n int
		n, err = s.body.Read(p)
		s.pos, s.body.pos = s.pos+int64(n), s.body.pos+int64(n)
		if n > 0 {
			return n, nil // an error returns with the next Read
		}
		s.drop()
		if s.ctx.Err() != nil {
			return 0, s.ctx.Err()
		}
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return 0, s.bucket.explain(s.ctx, err)
}

// ready makes sure that a body is open at the position.
func (s *Stream) ready() error {
	if s.body != nil && (s.body.pos != s.pos || s.body.pos >= s.body.end) {
		s.drop()
	}
	if s.body != nil {
		return nil
	}
	if err := s.get(fmt.Sprintf("bytes=%d-", s.pos)); err != nil {
		return err
	}
	if s.body.pos != s.pos {
		s.drop()
		return errors.New("the storage sent another range")
	}
	return nil
}

func (s *Stream) drop() {
	if s.body != nil {
		s.body.close()
		s.body = nil
	}
}

// Close implements io.Closer.
func (s *Stream) Close() error {
	s.drop()
	return nil
}

// pause waits, and reports whether ctx is still valid.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
