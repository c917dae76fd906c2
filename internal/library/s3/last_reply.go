package s3

import (
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/minio/minio-go/v7"
)

// lastReply is the last error that the storage replied to the requests of one operation, nil if it
// replied with something else. The client repeats requests, and when the time for that is over,
// its own error does not say why.
type lastReply struct {
	atomic.Pointer[minio.ErrorResponse]
}

type lastReplyKey struct{}

// tracked returns a context whose requests note the last reply.
func tracked(ctx context.Context) context.Context {
	return context.WithValue(ctx, lastReplyKey{}, new(lastReply))
}

// replyOf returns the last error that was a reply to requests of ctx, or nil.
func replyOf(ctx context.Context) *minio.ErrorResponse {
	if last, ok := ctx.Value(lastReplyKey{}).(*lastReply); ok {
		return last.Load()
	}
	return nil
}

const maxErrorBody = 64 << 10

// noteReply notes a reply, and lets the client read it again.
func noteReply(ctx context.Context, resp *http.Response) {
	last, ok := ctx.Value(lastReplyKey{}).(*lastReply)
	if !ok {
		return
	}
	if resp.StatusCode < http.StatusBadRequest {
		last.Store(nil)
		return
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil {
		return
	}
	_ = resp.Body.Close() // all of it that matters has been read
	resp.Body = io.NopCloser(bytes.NewReader(text))
	var parsed struct{ Code, Region string }
	_ = xml.Unmarshal(text, &parsed) // without a code, the status says enough
	last.Store(&minio.ErrorResponse{StatusCode: resp.StatusCode, Code: parsed.Code, Region: parsed.Region})
}
