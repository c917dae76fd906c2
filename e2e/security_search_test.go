package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// needles returns the encodings of a secret: plain, percent-encoded, hexadecimal, and base64 at
// its three alignments. They contain only the middle part, so that a truncated copy is found, too.
func needles(secret string) map[string][]byte {
	middle := secret
	if len(secret) > 28 {
		middle = secret[4:24]
	}
	percent := ""
	for _, b := range []byte(middle) {
		percent += fmt.Sprintf("%%%02x", b)
	}
	forms := map[string][]byte{
		"plain":           []byte(middle),
		"percent-encoded": []byte(percent), "PERCENT-ENCODED": []byte(strings.ToUpper(percent)),
		"hex": []byte(hex.EncodeToString([]byte(middle))),
		"HEX": []byte(strings.ToUpper(hex.EncodeToString([]byte(middle)))),
	}
	for shift := range 3 {
		for name, encoding := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding,
			"base64 for URLs": base64.RawURLEncoding} {
			text := encoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + middle))
			// The first and last digits also depend on the bytes next to the secret.
			forms[fmt.Sprintf("%s, shifted by %d", name, shift)] = []byte(text[4 : len(text)-2])
		}
	}
	return forms
}

// leakSearch searches texts for secrets in every encoding.
type leakSearch struct {
	t        *testing.T
	secrets  map[string]string // by description
	searched int               // secrets × forms × texts
	found    int
}

func (h *leakSearch) search(where string, text []byte) {
	h.t.Helper()
	for what, secret := range h.secrets {
		for form, needle := range needles(secret) {
			h.searched++
			if at := bytes.Index(text, needle); at >= 0 {
				h.found++
				h.t.Errorf("%s contains the %s, %s, at byte %d: …%q…", where, what, form, at,
					text[max(0, at-60):min(len(text), at+60)])
			}
		}
	}
}

// searchFolder searches every file of a folder except those that store a secret, which only their
// owner may read.
func (h *leakSearch) searchFolder(dir string, keep ...string) {
	h.t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		for _, name := range keep {
			if d.Name() == name {
				info, err := d.Info()
				if err == nil && info.Mode().Perm() != 0o600 {
					h.t.Errorf("mode of %s: got %v, want 0600", name, info.Mode())
				}
				return err
			}
		}
		text, err := os.ReadFile(path)
		if os.IsNotExist(err) {
			return nil // the server may have removed it
		}
		files++
		h.search(path, text)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	if files == 0 {
		h.t.Errorf("files in %s: got none, want some to search", dir)
	}
}

// TestLeakSearchFindsEveryEncoding checks the search itself.
func TestLeakSearchFindsEveryEncoding(t *testing.T) {
	const secret = "wxt_0123456789ABCDEFGHIJKLMNOPQRST0jEII3"
	basic := func(prefix string) string {
		return base64.StdEncoding.EncodeToString([]byte(prefix + secret + ":x"))
	}
	for _, text := range []string{
		secret, "x=" + secret[:30] + "…", basic(""), basic("a"), basic("ab"), basic("user:"),
		hex.EncodeToString([]byte(secret)),
		fmt.Sprintf("%% x %%%s", strings.Join(strings.Split(hex.EncodeToString([]byte(secret)), ""), "")),
	} {
		found := false
		for _, needle := range needles(secret) {
			found = found || bytes.Contains([]byte(text), needle)
		}
		if !found {
			t.Errorf("search in %q: got nothing, want the secret", text)
		}
	}
}
