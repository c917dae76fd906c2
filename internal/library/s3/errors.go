package s3

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/minio/minio-go/v7"

	"waxwing/internal/fault"
	"waxwing/internal/library"
)

// errNoObject is the error of a path that no object can have.
func errNoObject(path string) error {
	return &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
}

// explain translates an error of the storage. A missing object is fs.ErrNotExist, another version
// of it library.ErrChanged. Everything else is Unavailable, with a sentence that says what to do.
// The error itself is not wrapped: replies of a storage can quote requests.
func (b *Bucket) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return err
	}
	resp := minio.ErrorResponse{}
	if !errors.As(err, &resp) {
		last := replyOf(ctx)
		if last == nil {
			return b.unreachable(err)
		}
		resp = *last
	}
	switch resp.Code {
	case minio.NoSuchKey:
		return &fs.PathError{Op: "open", Path: resp.Key, Err: fs.ErrNotExist}
	case minio.PreconditionFailed:
		return library.ErrChanged
	case minio.InvalidRange:
		return errRange
	}
	if resp.StatusCode == http.StatusPreconditionFailed {
		return library.ErrChanged
	}
	if resp.StatusCode == http.StatusNotFound && resp.Code != minio.NoSuchBucket {
		return &fs.PathError{Op: "open", Path: resp.Key, Err: fs.ErrNotExist}
	}
	sentence := b.sentence(resp)
	if resp.Key != "" && (resp.Code == minio.AccessDenied || resp.Code == "InvalidObjectState") {
		return fault.Wrap(fault.Unavailable, fs.ErrPermission, "the storage denies access to this object (%s)", resp.Code)
	}
	b.meter.note(errors.New(sentence))
	cause := fmt.Errorf("the storage replied %d %s", resp.StatusCode, resp.Code)
	return fault.Wrap(fault.Unavailable, cause, "%s", sentence)
}

// unreachable is the error of a request without a reply.
func (b *Bucket) unreachable(err error) error {
	b.meter.note(err)
	cause := errors.New(networkReason(err))
	if untrusted := (*tls.CertificateVerificationError)(nil); errors.As(err, &untrusted) {
		return fault.Wrap(fault.Unavailable, cause,
			"the certificate of the storage is not trusted; add its authority to those of this system")
	}
	return fault.Wrap(fault.Unavailable, cause,
		"the storage of the bucket %s does not reply; check --s3-endpoint and the network", b.bucket)
}

// errRange is the error of a range outside of an object.
var errRange = errors.New("the range is outside of the object")

// sentence says for a person what the storage refused.
func (b *Bucket) sentence(resp minio.ErrorResponse) string {
	switch resp.Code {
	case minio.NoSuchBucket:
		return fmt.Sprintf("the bucket %s does not exist; correct --music or --s3-endpoint", b.bucket)
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "TokenRefreshRequired":
		return fmt.Sprintf("the storage refuses the credentials for the bucket %s (%s); correct them, "+
			"a changed file is read at once", b.bucket, resp.Code)
	case "ExpiredToken", "ExpiredTokenException":
		return fmt.Sprintf("the credentials for the bucket %s have expired; replace them, a changed file is read at once",
			b.bucket)
	case "RequestTimeTooSkewed":
		return "the storage refuses requests because the clock of this machine is wrong; set it"
	case "AuthorizationHeaderMalformed", "PermanentRedirect", "InvalidRegion", "IllegalLocationConstraintException",
		"TemporaryRedirect":
		if resp.Region != "" {
			return fmt.Sprintf("the bucket %s is in the region %.40q; set --s3-region", b.bucket, resp.Region)
		}
		return fmt.Sprintf("the bucket %s is in another region; set --s3-region", b.bucket)
	}
	if resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusUnauthorized {
		return fmt.Sprintf("the storage denies access to the bucket %s; the credentials need s3:ListBucket and s3:GetObject",
			b.bucket)
	}
	return fmt.Sprintf("the storage of the bucket %s has a problem (%d); it is tried again", b.bucket, resp.StatusCode)
}

// networkReason returns the last cause of an error, without the URL of the request.
func networkReason(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}
