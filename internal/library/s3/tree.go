package s3

import (
	"context"
	"hash/fnv"
	"io/fs"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"

	"waxwing/internal/library"
)

// tree is the objects of a bucket below a prefix. Slashes in keys separate folders.
type tree struct {
	*Bucket
	at   string        // prefix of the keys; "" or with a slash at the end
	head *atomic.Int64 // see object.hint; nil above the folders
}

// validPath reports whether an object can have this path below a prefix. Keys with empty parts, “.”
// or “..” are in no folder that a person could see.
func validPath(p string) bool { return fs.ValidPath(p) && p != "." }

// below returns the prefix of the keys in a folder.
func (t tree) below(dir string) string {
	if dir == "." {
		return t.at
	}
	return t.at + dir + "/"
}

// List implements library.Tree with one request per thousand entries.
func (t tree) List(ctx context.Context, dir string) ([]library.Entry, error) {
	ctx, cancel := context.WithCancel(tracked(ctx))
	defer cancel()
	prefix := t.below(dir)
	var out []library.Entry
	opts := minio.ListObjectsOptions{Prefix: prefix, MaxKeys: t.limits.page}
	for o := range t.client.ListObjectsIter(ctx, t.bucket, opts) {
		if o.Err != nil {
			return nil, t.explain(ctx, o.Err)
		}
		name, isDir := strings.CutSuffix(strings.TrimPrefix(o.Key, prefix), "/")
		switch {
		case !validPath(name) || strings.Contains(name, "/"):
		case isDir:
			out = append(out, library.Entry{Name: name, Mode: fs.ModeDir})
		default:
			out = append(out, library.Entry{Name: name, Version: versionOf(o)})
		}
	}
	return out, ctx.Err()
}

// Sub implements library.Tree.
func (t tree) Sub(dir string) (library.Tree, error) {
	return tree{t.Bucket, t.below(path.Clean(dir)), new(atomic.Int64)}, nil
}

// Close implements library.Tree.
func (t tree) Close() error { return nil }

// versionOf returns the version of an object. The storage has times to the second; the fraction is
// derived from the ETag, so that the catalog, which stores size and time, tells versions of one
// second apart.
func versionOf(o minio.ObjectInfo) library.Version {
	h := fnv.New64a()
	_, _ = h.Write([]byte(strings.Trim(o.ETag, `"`))) // it cannot fail
	micros := int64(h.Sum64() % 1_000_000)
	return library.Version{Size: o.Size, ModTime: time.UnixMicro(o.LastModified.Unix()*1_000_000 + micros)}
}

// Open implements library.Tree. With a known version it sends no request.
func (t tree) Open(ctx context.Context, name string, known library.Version) (library.File, error) {
	if !validPath(name) {
		return nil, errNoObject(name)
	}
	key, ctx := t.at+name, tracked(ctx)
	if known == (library.Version{}) {
		o, err := t.client.StatObject(ctx, t.bucket, key, minio.StatObjectOptions{})
		if err != nil {
			return nil, t.explain(ctx, err)
		}
		known = versionOf(o)
	}
	return &object{bucket: t.Bucket, ctx: ctx, key: key, version: known, hint: t.head}, nil
}
