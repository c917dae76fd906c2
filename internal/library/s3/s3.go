// Package s3 is music in a bucket of S3-compatible object storage.
package s3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	"waxwing/internal/library"
)

// Scheme is what the names of buckets begin with.
const Scheme = "s3://"

// Config says how to reach the storage. It holds no secret: credentials come from the environment
// or a file.
type Config struct {
	Endpoint  string // URL; "": that of Amazon
	Region    string // "": from the environment, else looked up
	PathStyle bool   // the bucket is in the path of URLs, not in the host name
	// CredentialsFile has the form of the AWS shared credentials file. "": the standard places.
	CredentialsFile string
	PageSize        int           // keys of one request of a listing; 0: a thousand
	Timeout         time.Duration // for the reply to a request of a client, with its repetitions; 0: 12 s
}

// Bucket is a root in a bucket. Its methods are safe for concurrent use.
type Bucket struct {
	name   string // of the root: s3://bucket/prefix
	bucket string
	prefix string // of all keys; "" or with a slash at the end
	client minio.Core
	meter  *meter
	limits limits
}

// limits bound what a walk and a read hold in memory.
type limits struct {
	folder  int // objects below a folder whose subfolders are not listed one by one
	segment int // objects of a part of the listing that is fetched in parallel to others
	ahead   int // such parts at once
	page    int // keys of one request; 0: the default of the storage
	reply   time.Duration
}

// New returns the bucket with the given name, s3://bucket or s3://bucket/prefix. It sends no
// request.
func New(name string, cfg Config) (*Bucket, error) {
	bucket, prefix, err := Parse(name)
	if err != nil {
		return nil, err
	}
	endpoint, secure, err := cfg.endpoint()
	if err != nil {
		return nil, err
	}
	m := newMeter(newTransport())
	lookup := minio.BucketLookupAuto
	if cfg.PathStyle {
		lookup = minio.BucketLookupPath
	}
	client, err := minio.New(endpoint, &minio.Options{
		Creds: cfg.credentials(), Secure: secure, Region: cfg.region(), BucketLookup: lookup, Transport: m,
		MaxRetries: tries,
	})
	if err != nil {
		return nil, fmt.Errorf("--s3-endpoint cannot be used: %w", err)
	}
	root := strings.TrimSuffix(Scheme+bucket+"/"+prefix, "/")
	return &Bucket{
		name: root, bucket: bucket, prefix: prefix, client: minio.Core{Client: client}, meter: m,
		limits: limits{folder: 20_000, segment: 8_000, ahead: 4, page: cfg.PageSize, reply: cmp.Or(cfg.Timeout, replyLimit)},
	}, nil
}

// tries is how often a request is sent before its failure is reported. The pauses between them grow
// to a second.
const tries = 4

// Parse splits the name of a bucket with a prefix. The prefix is empty or ends with a slash.
func Parse(name string) (bucket, prefix string, err error) {
	rest, ok := strings.CutPrefix(name, Scheme)
	bucket, prefix, _ = strings.Cut(rest, "/")
	prefix = strings.Trim(prefix, "/")
	if !ok || bucket == "" || strings.ContainsAny(bucket, ":@?#% ") {
		return "", "", fmt.Errorf("%s is not a bucket; write s3://BUCKET or s3://BUCKET/PREFIX", redact(name))
	}
	if prefix != "" {
		if !validPath(prefix) {
			return "", "", fmt.Errorf("the prefix in %s has an empty part, “.” or “..”", redact(name))
		}
		prefix += "/"
	}
	return bucket, prefix, nil
}

// redact removes what may be a credential from a name that somebody wrote in the form of a URL.
func redact(name string) string {
	if at := strings.LastIndex(name, "@"); at >= 0 {
		return Scheme + "…@" + name[at+1:]
	}
	return name
}

// endpoint returns the host of the storage and whether it is reached over TLS.
func (cfg Config) endpoint() (host string, secure bool, err error) {
	if cfg.Endpoint == "" {
		return "s3.amazonaws.com", true, nil
	}
	u, err := url.Parse(cfg.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
		return "", false, fmt.Errorf("--s3-endpoint must be a URL without a path, for example https://s3.example.net")
	}
	return u.Host, u.Scheme == "https", nil
}

// region returns the configured region. Servers other than Amazon's take a fixed one; Amazon is
// asked for that of the bucket.
func (cfg Config) region() string {
	for _, r := range []string{cfg.Region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")} {
		if r != "" {
			return r
		}
	}
	if cfg.Endpoint == "" {
		return ""
	}
	return "us-east-1"
}

// Name implements library.Root.
func (b *Bucket) Name() string { return b.name }

// Dir implements library.Root.
func (b *Bucket) Dir() string { return "" }

// Open implements library.Root. It sends no request: the first listing tells whether the bucket is
// available.
func (b *Bucket) Open(context.Context) (library.Tree, error) { return tree{b, b.prefix, nil}, nil }

// Check returns an error that says why the bucket cannot be listed, or nil.
func (b *Bucket) Check(ctx context.Context) error {
	ctx = tracked(ctx)
	listing, cancel := context.WithCancel(ctx)
	defer cancel() // ends the listing after its first object
	opts := minio.ListObjectsOptions{Prefix: b.prefix, MaxKeys: 1}
	for o := range b.client.ListObjectsIter(listing, b.bucket, opts) {
		if ctx.Err() != nil {
			break
		}
		return b.explain(ctx, o.Err)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return b.explain(context.WithoutCancel(ctx), ctx.Err())
	}
	return ctx.Err()
}

// Presign returns a URL with which anybody can read a file for a while. It sends no request.
func (b *Bucket) Presign(ctx context.Context, path, contentType string, lifetime time.Duration) (string, error) {
	if !validPath(path) {
		return "", errNoObject(path)
	}
	q := url.Values{}
	if contentType != "" {
		q.Set("response-content-type", contentType)
	}
	u, err := b.client.PresignedGetObject(ctx, b.bucket, b.prefix+path, lifetime, q)
	if err != nil {
		return "", b.explain(ctx, err)
	}
	return u.String(), nil
}

// newTransport returns a transport that does not wait for a storage that does not reply.
func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = 10 * time.Second
	t.TLSHandshakeTimeout = 5 * time.Second
	t.MaxIdleConnsPerHost = 32
	t.IdleConnTimeout = 30 * time.Second
	t.DisableCompression = true // the bytes of a range are those of the object
	return t
}

// Close ends idle connections.
func (b *Bucket) Close() { b.meter.transport.CloseIdleConnections() }
