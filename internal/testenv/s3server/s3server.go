// Package s3server runs a real S3 server for tests: versitygw over a temporary folder, on a free
// loopback port.
package s3server

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"waxwing/internal/testenv"
)

// version is the release of the server. It is built once and cached.
const version = "v1.8.0"

// AccessKey and SecretKey are the credentials of the server's owner.
const (
	AccessKey = "waxwing-test-access"
	SecretKey = "waxwing-test-secret-canary"
)

// Server is a running S3 server with one bucket, music.
type Server struct {
	t       testing.TB
	Addr    string // HOST:PORT
	Client  *minio.Client
	bin     string
	dir     string
	command *exec.Cmd
	exited  chan struct{}
	log     bytes.Buffer // read it only after the server has ended
}

// Bucket is the bucket that every server has.
const Bucket = "music"

// Start starts a server, which stops at the end of the test. The test is skipped with -short.
func Start(t testing.TB) *Server {
	t.Helper()
	testenv.SkipIfShort(t)
	s := &Server{t: t, bin: program(t), dir: t.TempDir(), Addr: freeAddr(t)}
	s.Run()
	t.Cleanup(s.Kill)
	var err error
	s.Client, err = minio.New(s.Addr, &minio.Options{
		Creds: credentials.NewStaticV4(AccessKey, SecretKey, ""), Region: "us-east-1", BucketLookup: minio.BucketLookupPath,
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Client.MakeBucket(t.Context(), Bucket, minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	return s
}

// Run starts the server again after Kill, with the same address and objects.
func (s *Server) Run() {
	s.t.Helper()
	for _, dir := range []string{"objects", "metadata"} {
		if err := os.MkdirAll(filepath.Join(s.dir, dir), 0o700); err != nil {
			s.t.Fatal(err)
		}
	}
	s.log.Reset()
	s.command = exec.Command(s.bin, "--port", s.Addr, "--quiet",
		"posix", "--sidecar", filepath.Join(s.dir, "metadata"), filepath.Join(s.dir, "objects"))
	s.command.Env = append(os.Environ(), "ROOT_ACCESS_KEY="+AccessKey, "ROOT_SECRET_KEY="+SecretKey)
	s.command.Stdout, s.command.Stderr = &s.log, &s.log
	testenv.KillWithParent(s.command)
	if err := s.command.Start(); err != nil {
		s.t.Fatal(err)
	}
	exited := make(chan struct{})
	s.exited = exited
	go func() {
		defer close(exited)
		_ = s.command.Wait() // the log says how it ended
	}()
	for deadline := time.Now().Add(20 * time.Second); ; {
		if c, err := net.Dial("tcp", s.Addr); err == nil {
			_ = c.Close() // it only had to connect
			return
		}
		select {
		case <-exited:
			s.t.Fatalf("versitygw ended at its start:\n%s", s.log.String())
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			s.t.Fatal("versitygw does not accept connections after 20 s")
		}
	}
}

// Kill ends the server with SIGKILL.
func (s *Server) Kill() {
	_ = s.command.Process.Kill() // it may have ended already
	<-s.exited
}

// Put writes an object of the bucket.
func (s *Server) Put(key string, content []byte) {
	s.t.Helper()
	_, err := s.Client.PutObject(context.Background(), Bucket, key, bytes.NewReader(content), int64(len(content)),
		minio.PutObjectOptions{DisableMultipart: true})
	if err != nil {
		s.t.Fatal(err)
	}
}

// Remove deletes an object of the bucket.
func (s *Server) Remove(key string) {
	s.t.Helper()
	if err := s.Client.RemoveObject(context.Background(), Bucket, key, minio.RemoveObjectOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

// CredentialsFile writes a file with credentials and returns its path.
func CredentialsFile(t testing.TB, access, secret string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "credentials")
	WriteCredentials(t, file, access, secret)
	return file
}

// WriteCredentials replaces the content of a file with credentials.
func WriteCredentials(t testing.TB, file, access, secret string) {
	t.Helper()
	text := fmt.Sprintf("[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n", access, secret)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func freeAddr(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// program returns the path of the server's program, which it builds if the cache of this account
// does not have it.
func program(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, "waxwing-tests", "versitygw-"+version)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "versitygw")
	lock := flock.New(bin + ".lock")
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Unlock() }() // it ends with the process at the latest
	if _, err := os.Stat(bin); err == nil {
		return bin
	}
	build := exec.Command("go", "install", "-trimpath", "-ldflags=-s -w",
		"github.com/versity/versitygw/cmd/versitygw@"+version)
	build.Dir = dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GOFLAGS=") && !strings.HasPrefix(v, "GOBIN=") {
			build.Env = append(build.Env, v)
		}
	}
	build.Env = append(build.Env, "GOBIN="+dir, "CGO_ENABLED=0", "GOFLAGS=-mod=mod")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("cannot build versitygw, the S3 server of the tests: %v\n%s", err, out)
	}
	return bin
}
