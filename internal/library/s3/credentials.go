package s3

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// credentials returns where the secrets come from: the configured file; otherwise the environment,
// the shared credentials file, and the role of the container, if the platform announces one.
// Without any, requests are anonymous.
func (cfg Config) credentials() *credentials.Credentials {
	if cfg.CredentialsFile != "" {
		return credentials.New(&fileProvider{
			inner: &credentials.FileAWSCredentials{Filename: cfg.CredentialsFile}, files: []string{cfg.CredentialsFile},
		})
	}
	providers := []credentials.Provider{
		&credentials.EnvAWS{},
		&fileProvider{inner: &credentials.FileAWSCredentials{}, files: sharedFiles()},
	}
	for _, announced := range []string{
		"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI",
	} {
		if os.Getenv(announced) != "" {
			providers = append(providers, &credentials.IAM{})
			break
		}
	}
	return credentials.NewChainCredentials(providers)
}

// sharedFiles are the files in which the AWS tools keep credentials.
func sharedFiles() (files []string) {
	home, err := os.UserHomeDir()
	for _, f := range [][2]string{{"AWS_SHARED_CREDENTIALS_FILE", "credentials"}, {"AWS_CONFIG_FILE", "config"}} {
		if file := os.Getenv(f[0]); file != "" {
			files = append(files, file)
		} else if err == nil {
			files = append(files, filepath.Join(home, ".aws", f[1]))
		}
	}
	return files
}

// fileProvider reads credentials again when their files have changed, so that an operator can
// replace expired ones without a restart.
type fileProvider struct {
	inner *credentials.FileAWSCredentials
	files []string

	mu      sync.Mutex
	checked time.Time
	read    [2]time.Time // modification times of the files when they were read
	last    credentials.Value
}

// checkEvery is how often the files are compared.
const checkEvery = time.Second

// RetrieveWithCredContext implements credentials.Provider. While a file is being replaced, the
// last credentials are used.
func (p *fileProvider) RetrieveWithCredContext(cc *credentials.CredContext) (credentials.Value, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	times := p.times()
	v, err := p.inner.RetrieveWithCredContext(cc)
	if err != nil && p.last.AccessKeyID != "" {
		return p.last, nil
	}
	if err == nil {
		p.last, p.read, p.checked = v, times, time.Now()
	}
	return v, err
}

// Retrieve implements credentials.Provider.
func (p *fileProvider) Retrieve() (credentials.Value, error) { return p.RetrieveWithCredContext(nil) }

// IsExpired implements credentials.Provider.
func (p *fileProvider) IsExpired() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.inner.IsExpired() {
		return true
	}
	if time.Since(p.checked) < checkEvery {
		return false
	}
	p.checked = time.Now()
	return p.times() != p.read
}

func (p *fileProvider) times() (out [2]time.Time) {
	for i, file := range p.files[:min(len(p.files), len(out))] {
		if info, err := os.Stat(file); err == nil {
			out[i] = info.ModTime()
		}
	}
	return out
}
